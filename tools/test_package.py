#!/usr/bin/env python3
"""Tries what `tools/package.py` makes in a clean folder: tools/test_package.py [--profile dev]

The binary must find its solver beside itself, not in the build tree or a cache.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = "extern void reach_error(void); int main(void) { int x = 0; while (x < 10) x += 2; if (x % 2) reach_error(); }\n"


def run(*command, **options):
    print("+", *command)
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def try_binary(binary, folder, prefix=()):
    """The verdict is right, and the solver that was loaded lies in the folder."""
    program = folder / "even.c"
    program.write_text(PROGRAM)
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LD_DEBUG": "libs"}
    done = run(*prefix, binary, "check", program, env=environment, cwd=folder)
    assert done.returncode == 0 and "verdict: SAFE" in done.stdout, done.stdout + done.stderr
    loaded = re.findall(r"calling init: (\S*libz3\S*)", done.stderr)
    assert loaded, done.stderr[-2000:]
    for library in loaded:
        real = pathlib.Path(library).resolve()
        assert real.is_relative_to(folder.resolve()), f"{real} is not in {folder}"


def main():
    extra = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        made = run(ROOT / "tools/package.py", "tarball", "--out", folder / "dist", *extra)
        assert made.returncode == 0, made.stderr
        tarball = pathlib.Path(made.stdout.strip())
        print(f"{tarball.name}: {tarball.stat().st_size / 1e6:.1f} MB")
        place = folder / "tarball"
        place.mkdir()
        run("tar", "xf", tarball, "-C", place, check=True)
        (top,) = place.iterdir()
        try_binary(top / "bin/rhumb", place)
        assert (top / "share/man/man1/rhumb-check.1").is_file()
        assert "rhumb" in (top / "share/bash-completion/completions/rhumb").read_text()

        made = run(ROOT / "tools/package.py", "wheel", "--out", folder / "dist", *extra)
        assert made.returncode == 0, made.stderr
        wheel = pathlib.Path(made.stdout.strip())
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
        place = folder / "wheel"
        run(sys.executable, "-m", "venv", place, check=True)
        run(place / "bin/pip", "install", "--quiet", "--no-index", wheel, check=True)
        try_binary(place / "bin/rhumb", place)
        script = (
            "import rhumb, sys; report = rhumb.check(sys.argv[1]); assert report.verdict == 'SAFE', report;"
            "assert report.targets[0].line == 1; print('ok')\n"
        )
        done = run(place / "bin/python", "-c", script, place / "even.c")
        assert done.stdout == "ok\n", done.stderr
        broken = place / "broken.c"
        broken.write_text("int main(void) { return x; }\n")
        done = run(place / "bin/python", "-c", "import rhumb, sys\ntry: rhumb.check(sys.argv[1])\nexcept rhumb.Error as e: print('x' in str(e))", broken)
        assert done.stdout == "True\n", done.stderr

        done = run(place / "bin/python", ROOT / "tools/test_python.py", env={"PATH": os.environ["PATH"], "HOME": str(place)})
        assert done.stdout == "ok\n", done.stderr

        made = run(ROOT / "tools/package.py", "svcomp", "--out", folder / "dist", *extra)
        assert made.returncode == 0, made.stderr
        archive = pathlib.Path(made.stdout.strip())
        print(f"{archive.name}: {archive.stat().st_size / 1e6:.1f} MB")
        place = folder / "svcomp"
        run("unzip", "-q", archive, "-d", place, check=True)
        assert [entry.name for entry in place.iterdir()] == ["rhumb"], "one folder"
        done = run(place / "rhumb/smoketest.sh", env={"PATH": os.environ["PATH"], "HOME": str(place)})
        assert done.returncode == 0, done.stdout + done.stderr
        try_binary(place / "rhumb/bin/rhumb", place)

        prefix = folder / "prefix"
        made = run(ROOT / "tools/package.py", "install", prefix, *extra)
        assert made.returncode == 0, made.stderr
        try_binary(prefix / "bin/rhumb", prefix)
    print("ok")


main()
