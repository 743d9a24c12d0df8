#!/usr/bin/env python3
"""Runs the cells of the notebook and compares what they print: RHUMB=path/to/rhumb tools/test_python.py

Without RHUMB the package that is installed is tried, with its own binary.
"""

import contextlib
import io
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
if os.environ.get("RHUMB"):
    sys.path.insert(0, str(ROOT / "tools/python"))

notebook = json.loads((ROOT / "docs/notebook/rhumb.ipynb").read_text())
names: dict = {}
count = 0
for cell in notebook["cells"]:
    if cell["cell_type"] != "code":
        continue
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec("".join(cell["source"]), names)
    shown = "".join(text for output in cell["outputs"] for text in output["text"])
    assert said.getvalue() == shown, f"{said.getvalue()!r} is not {shown!r}"
    count += 1
assert count >= 4
rhumb = names["rhumb"]
try:
    rhumb.check_text("int main(void) { return x; }\n")
except rhumb.Error as error:
    assert "`x` is not declared" in str(error), error
else:
    raise AssertionError("no error")
print("ok")
