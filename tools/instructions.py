#!/usr/bin/env python3
"""Counts instructions of `rhumb check` on a few programs: a measure that is the same on a busy machine, to compare two commits.

    tools/instructions.py HEAD~5 HEAD                 builds both (in folders of their own) and compares them
    tools/instructions.py --binaries old/rhumb new/rhumb
    tools/instructions.py HEAD~5 HEAD --tasks a.c b.c --limit 1.05

Instructions come from the processor's counters (perf) where there are any, from valgrind where not, and without both the tool's own units of work are
compared. Exit status 1: some program takes more than the limit allows (1.05: five percent more).
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TASKS = ["examples/even.c", "examples/lock.c", "examples/average.c", "examples/queue.c", "examples/ticket.c"]


def run(command, **options):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def build(commit):
    """The binary of a commit; built once."""
    name = run(["git", "rev-parse", commit], cwd=ROOT, check=True).stdout.strip()
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "rhumb-instructions"
    binary = cache / name / "release" / "rhumb"
    if not binary.exists():
        tree = pathlib.Path(tempfile.mkdtemp()) / "tree"
        run(["git", "worktree", "add", "--detach", tree, name], cwd=ROOT, check=True)
        try:
            print(f"builds {name[:12]} ...", file=sys.stderr)
            environment = {**os.environ, "CARGO_TARGET_DIR": str(cache / name)}
            subprocess.run(["cargo", "build", "--quiet", "--release", "--locked", "--package", "rhumb"], cwd=tree, env=environment, check=True)
        finally:
            run(["git", "worktree", "remove", "--force", tree], cwd=ROOT)
    return binary


def by_perf(command):
    done = run(["perf", "stat", "-x,", "-e", "instructions:u", "--", *command])
    found = re.search(r"^(\d+),,instructions:u", done.stderr, re.MULTILINE)
    return int(found.group(1)) if found else None


def by_valgrind(command):
    with tempfile.TemporaryDirectory() as folder:
        done = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *command])
    found = re.search(r"Collected : (\d+)", done.stderr)
    return int(found.group(1)) if found else None


def by_work(command):
    found = re.search(r"^stat: work.units ([\d.]+)$", run([*command, "--stats"]).stdout, re.MULTILINE)
    return int(float(found.group(1))) if found else None


def measure(program):
    """The first way to count that works here."""
    for name, needs, way in [("instructions (perf)", "perf", by_perf), ("instructions (valgrind)", "valgrind", by_valgrind), ("units of work", None, by_work)]:
        if (needs is None or shutil.which(needs)) and way([program, "engines"] if needs else [program, "check", ROOT / TASKS[0]]):
            return name, way
    raise SystemExit("error: nothing can be counted here")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new", nargs="?", default="HEAD")
    parser.add_argument("--binaries", action="store_true", help="old and new are binaries, not commits")
    parser.add_argument("--tasks", nargs="+", type=pathlib.Path, default=[ROOT / task for task in TASKS])
    parser.add_argument("--limit", type=float, default=1.05)
    args = parser.parse_args()
    programs = [pathlib.Path(name) if args.binaries else build(name) for name in (args.old, args.new)]
    name, way = measure(programs[0])
    print(f"{'program':<28} {'old':>16} {'new':>16}   new/old   {name}")
    worse = False
    for task in args.tasks:
        # The clock has no part in it: time is far from being short.
        old, new = (way([program, "check", task, "--timeout", "1000s"]) for program in programs)
        ratio = new / old if old and new else float("nan")
        worse |= ratio > args.limit
        print(f"{task.name:<28} {old or '?':>16} {new or '?':>16}   {ratio:7.3f}{'   more' if ratio > args.limit else ''}")
    return 1 if worse else 0


sys.exit(main())
