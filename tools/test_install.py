#!/usr/bin/env python3
"""Tries `cargo install --path crates/rhumb` from a fresh copy of the sources, with the build tree gone afterwards: tools/test_install.py [--debug]

It takes as long as a build from nothing. The installed binary must still find its solver.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = "extern void reach_error(void); int main(void) { int x = 0; while (x < 10) x += 2; if (x % 2) reach_error(); }\n"

with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    source, target, prefix = folder / "source", folder / "target", folder / "prefix"
    subprocess.run(["git", "clone", "--quiet", "--local", ROOT, source], check=True)
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    command = ["cargo", "install", "--quiet", "--locked", "--path", "crates/rhumb", "--root", prefix, *sys.argv[1:]]
    subprocess.run([str(word) for word in command], cwd=source, env=environment, check=True)
    shutil.rmtree(source)
    shutil.rmtree(target)
    (folder / "even.c").write_text(PROGRAM)
    plain = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]}
    done = subprocess.run([str(prefix / "bin/rhumb"), "check", "even.c"], cwd=folder, env=plain, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0 and done.stdout.endswith("verdict: SAFE\n"), done.stdout
    size = (prefix / "bin/rhumb").stat().st_size / 1e6
    print(f"ok, {size:.0f} MB")
