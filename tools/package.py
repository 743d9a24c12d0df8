#!/usr/bin/env python3
"""Makes what people install: a folder, a tarball or a Python wheel with the binary and its solver in one place.

    tools/package.py tarball           dist/rhumb-VERSION-linux-ARCH.tar.gz: unpack it anywhere, run bin/rhumb
    tools/package.py wheel             dist/rhumb-VERSION-py3-none-linux_ARCH.whl: pip install it
    tools/package.py install PREFIX    PREFIX/bin/rhumb, PREFIX/lib/libz3..., manual pages, completions
    tools/package.py svcomp            dist/rhumb.zip: what the competition on verification asks for

`--profile dev` takes the developers' build; `--out DIR` another folder than dist.
"""

import argparse
import base64
import csv
import gzip
import hashlib
import io
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Archives are the same for the same contents.
TIME = int(os.environ.get("SOURCE_DATE_EPOCH", "1700000000"))


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, cwd=ROOT, **options)


def version():
    text = (ROOT / "Cargo.toml").read_text()
    return re.search(r'^version = "(.*)"$', text, re.MULTILINE).group(1)


def build(profile):
    """The binary, and the solver that it is linked to."""
    run("cargo", "build", "--quiet", "--locked", "--package", "rhumb", "--profile", profile)
    folder = {"dev": "debug"}.get(profile, profile)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    binary = target / folder / "rhumb"
    needed = run("ldd", binary, stdout=subprocess.PIPE, text=True).stdout
    found = re.search(r"(libz3\.so\S*) => (/\S+)", needed)
    if not found:
        raise SystemExit(f"error: {binary} has no libz3")
    return binary, found.group(1), pathlib.Path(found.group(2))


def stage(folder, profile):
    """Everything as it is installed."""
    binary, soname, library = build(profile)
    for name in ["bin", "lib", "share/man/man1", "share/bash-completion/completions", "share/zsh/site-functions", "share/fish/vendor_completions.d", "share/doc/rhumb"]:
        (folder / name).mkdir(parents=True, exist_ok=True)
    shutil.copy(binary, folder / "bin/rhumb")
    shutil.copy(library, folder / "lib" / soname)
    if shutil.which("strip"):
        for file in [folder / "bin/rhumb", folder / "lib" / soname]:
            file.chmod(0o755)
            run("strip", "--strip-unneeded", file)
    run(binary, "man", folder / "share/man/man1")
    for shell, place in {"bash": "bash-completion/completions/rhumb", "zsh": "zsh/site-functions/_rhumb", "fish": "fish/vendor_completions.d/rhumb.fish"}.items():
        with open(folder / "share" / place, "wb") as file:
            run(binary, "completions", shell, stdout=file)
    for name in ["README.md", "LICENSE-APACHE", "LICENSE-MIT", "docs/report.schema.json"]:
        shutil.copy(ROOT / name, folder / "share/doc/rhumb")


def tarball(out, profile):
    name = f"rhumb-{version()}-linux-{platform.machine()}"
    path = out / f"{name}.tar.gz"
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / name
        stage(folder, profile)
        with open(path, "wb") as file, gzip.GzipFile("", "wb", mtime=TIME, fileobj=file) as packed:
            with tarfile.open(fileobj=packed, mode="w") as archive:
                for entry in sorted(folder.rglob("*")):
                    info = archive.gettarinfo(entry, f"{name}/{entry.relative_to(folder)}")
                    info.uid = info.gid = 0
                    info.uname = info.gname = ""
                    info.mtime = TIME
                    if entry.is_file():
                        with open(entry, "rb") as contents:
                            archive.addfile(info, contents)
                    else:
                        archive.addfile(info)
    return path


def wheel(out, profile):
    number = version()
    tag = f"py3-none-linux_{platform.machine()}"
    path = out / f"rhumb-{number}-{tag}.whl"
    info = f"rhumb-{number}.dist-info"
    files = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        stage(folder, profile)
        for part in ["bin", "lib"]:
            for file in (folder / part).iterdir():
                files[f"rhumb/{part}/{file.name}"] = file.read_bytes()
    for file in sorted((ROOT / "tools/python/rhumb").glob("*")):
        if file.is_file():
            files[f"rhumb/{file.name}"] = file.read_bytes()
    for name in ["LICENSE-APACHE", "LICENSE-MIT"]:
        files[f"{info}/licenses/{name}"] = (ROOT / name).read_bytes()
    readme = (ROOT / "README.md").read_text()
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: rhumb\nVersion: {number}\nSummary: A software model checker for C\n"
        "License: MIT OR Apache-2.0\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n" + readme
    ).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: rhumb\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nrhumb = rhumb.__main__:main\n"
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for name, contents in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
        rows.writerow([name, f"sha256={digest}", len(contents)])
    rows.writerow([f"{info}/RECORD", "", ""])
    files[f"{info}/RECORD"] = record.getvalue().encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, contents in files.items():
            entry = zipfile.ZipInfo(name, (2023, 11, 14, 0, 0, 0))
            mode = 0o755 if name.startswith(("rhumb/bin/", "rhumb/lib/")) else 0o644
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, contents)
    return path


SMOKETEST = """#!/bin/sh
# Whether the archive works where it was unpacked: one program that is safe, one that is not.
cd "$(dirname "$0")" || exit 1
bin/rhumb --version || exit 1
bin/rhumb check smoketest/safe.c --property smoketest/unreach-call.prp --data-model ILP32 --witness "${TMPDIR:-/tmp}/rhumb-smoketest.yml"
test $? -eq 0 || exit 1
bin/rhumb check smoketest/unsafe.c --property smoketest/unreach-call.prp --data-model ILP32
test $? -eq 10
"""
PROGRAM = "extern void reach_error(void);\nextern unsigned __VERIFIER_nondet_uint(void);\nint main(void) {\n  unsigned x = 0;\n  while (__VERIFIER_nondet_uint())\n    x += 2;\n  if (x @)\n    reach_error();\n  return 0;\n}\n"


def svcomp(out, profile):
    """One folder: binary, solver, licences, how to call it, the tool-info module, a smoke test."""
    path = out / "rhumb.zip"
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "rhumb"
        stage(folder, profile)
        for name in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"]:
            shutil.copy(ROOT / name, folder)
        (folder / "smoketest").mkdir()
        (folder / "smoketest/safe.c").write_text(PROGRAM.replace("@", "% 2"))
        (folder / "smoketest/unsafe.c").write_text(PROGRAM.replace("@", "== 20"))
        (folder / "smoketest/unreach-call.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
        (folder / "smoketest.sh").write_text(SMOKETEST)
        (folder / "smoketest.sh").chmod(0o755)
        shutil.copy(ROOT / "tools/benchexec/rhumb.py", folder / "rhumb_tool_info.py")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(folder.rglob("*")):
                if not file.is_file():
                    continue
                entry = zipfile.ZipInfo(f"rhumb/{file.relative_to(folder)}", (2023, 11, 14, 0, 0, 0))
                mode = 0o755 if os.access(file, os.X_OK) else 0o644
                entry.external_attr = (0o100000 | mode) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, file.read_bytes())
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["tarball", "wheel", "install", "svcomp"])
    parser.add_argument("prefix", nargs="?", type=pathlib.Path)
    parser.add_argument("--profile", default="release")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "dist")
    args = parser.parse_args()
    if args.what == "install":
        if args.prefix is None:
            parser.error("install needs a folder")
        stage(args.prefix.resolve(), args.profile)
        print(args.prefix / "bin/rhumb")
        return
    args.out.mkdir(parents=True, exist_ok=True)
    make = {"tarball": tarball, "wheel": wheel, "svcomp": svcomp}[args.what]
    print(make(args.out.resolve(), args.profile))


main()
