#!/usr/bin/env python3
"""Holds the formats for tools against their definitions: tools/test_formats.py RHUMB

SARIF against its JSON schema (from the crate serde-sarif, which cargo fetches), JUnit and the competition's tests as XML, the report against ours. Needs the Python packages
jsonschema and lxml; what is missing is said and left out.
"""

import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n"
PROGRAMS = {
    "plain.c": HEAD + 'int main(void) {\n  const char *s = "]]>&<\\"";\n  int x = __VERIFIER_nondet_int();\n  if (x == 7 && s[0])\n    reach_error();\n  return 10 / x;\n}\n',
    "proved.c": HEAD + "int main(void) {\n  int x = 0;\n  while (__VERIFIER_nondet_int())\n    x = x < 100 ? x + 2 : 0;\n  if (x % 2)\n    reach_error();\n  return 0;\n}\n",
    "open <&>\"' é.c": HEAD + 'int main(void) {\n  __asm__("nop");\n  reach_error();\n}\n',
}
# As the description of the format has them.
DTDS = {
    "metadata.xml": "<!ELEMENT test-metadata (sourcecodelang, producer, specification, programfile, programhash, entryfunction, architecture, creationtime, (inputtestsuitefile, inputtestsuitehash)?)>"
    + "".join(
        f"<!ELEMENT {name} (#PCDATA)>"
        for name in "sourcecodelang producer specification programfile programhash entryfunction architecture creationtime inputtestsuitefile inputtestsuitehash".split()
    ),
    "test": '<!ELEMENT testcase (input)*><!ATTLIST testcase coversError (true|false) "false"><!ELEMENT input (#PCDATA)><!ATTLIST input variable CDATA #IMPLIED type CDATA #IMPLIED>',
}


def sarif_schema(folder):
    """The schema, from a package that has it."""
    (folder / "Cargo.toml").write_text('[package]\nname = "schema"\nversion = "0.1.0"\nedition = "2021"\n[lib]\npath = "lib.rs"\n[dependencies]\nserde-sarif = "=0.8.0"\n')
    (folder / "lib.rs").write_text("")
    # What is not there yet is fetched where other tests may fetch something, too.
    offline = [] if os.environ.get("RHUMB_SECOND_FETCH") else ["--offline"]
    done = subprocess.run(["cargo", "metadata", "--format-version", "1", *offline], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for package in json.loads(done.stdout or "{}").get("packages", []):
        if package["name"] == "serde-sarif":
            return json.loads((pathlib.Path(package["manifest_path"]).parent / "src/schema.json").read_text())
    print("left out: the schema of SARIF can't be fetched")
    return None


def main():
    rhumb = pathlib.Path(sys.argv[1]).resolve()
    try:
        import jsonschema
    except ImportError:
        jsonschema = None
        print("left out: schemas (pip install jsonschema)")
    try:
        from lxml import etree
    except ImportError:
        etree = None
        print("left out: DTDs (pip install lxml)")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        schema = sarif_schema(folder) if jsonschema else None
        ours = json.loads((ROOT / "docs/report.schema.json").read_text())
        for name, text in PROGRAMS.items():
            (folder / name).write_text(text)

            def said(*arguments):
                return subprocess.run([str(rhumb), *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout

            log = json.loads(said("check", name, "--format", "sarif"))
            if schema:
                jsonschema.validate(log, schema)
            report = json.loads(said("check", name, "--format", "json"))
            if jsonschema:
                jsonschema.validate(report, ours)
            suite = xml.etree.ElementTree.fromstring(said("check", name, "--format", "junit"))
            suite = suite if suite.tag == "testsuite" else suite[0]
            cases = suite.findall("testcase")
            for attribute, tag in [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")]:
                assert int(suite.get(attribute)) == len([case for case in cases if case.find(tag) is not None]), (name, attribute)
            assert int(suite.get("tests")) == len(cases), name
            said("cover", name, "--out", "tests")
            if etree:
                for file in sorted((folder / "tests").glob("*.xml")):
                    tree = etree.parse(file, etree.XMLParser(load_dtd=False, no_network=True))
                    dtd = etree.DTD(io.StringIO(DTDS.get(file.name, DTDS["test"])))
                    assert dtd.validate(tree), (file.name, dtd.error_log)
            print(f"{name}: {report['verdict']}, {len(log['runs'][0]['results'])} results, {len(cases)} cases")
    print("ok")


main()
