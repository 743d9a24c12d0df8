"""Rhumb, a software model checker for C, from Python.

>>> import rhumb
>>> report = rhumb.check("file.c", timeout="30s")
>>> report.verdict
'UNSAFE'
>>> [(step.line, step.remarks) for step in report.counterexample.steps]
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
from dataclasses import dataclass, field
from typing import Any, Optional, Sequence, Union

__all__ = ["Counterexample", "Error", "Input", "Invariant", "Report", "Step", "Target", "binary", "check"]

PathLike = Union[str, "os.PathLike[str]"]


class Error(Exception):
    """A program that can't be read, or a wrong option; the text is what the tool said."""


@dataclass(frozen=True)
class Target:
    """Something that must not be reached."""

    file: str
    line: int
    column: int
    kind: str
    verdict: str
    reason: Optional[str] = None


@dataclass(frozen=True)
class Input:
    """Something that a run reads."""

    what: str
    file: str
    line: int
    value: str


@dataclass(frozen=True)
class Step:
    """A line that a run passes."""

    file: str
    line: int
    function: str
    depth: int
    changes: "list[list[str]]"
    remarks: str


@dataclass(frozen=True)
class Counterexample:
    """A run to an error."""

    target: int
    inputs: "list[Input]"
    steps: "list[Step]"
    is_complete: bool


@dataclass(frozen=True)
class Invariant:
    """What holds at a loop."""

    file: str
    line: int
    expression: str


@dataclass(frozen=True)
class Report:
    """The answer: SAFE, UNSAFE or UNKNOWN, and what there is to it."""

    verdict: str
    reason: Optional[str]
    targets: "list[Target]"
    assumptions: "list[str]"
    counterexample: Optional[Counterexample]
    invariants: "list[Invariant]"
    raw: "dict[str, Any]" = field(repr=False)


def binary() -> str:
    """The tool itself: that of this package, or what RHUMB names."""
    named = os.environ.get("RHUMB")
    return named or str(pathlib.Path(__file__).resolve().parent / "bin" / "rhumb")


def check(*files: PathLike, args: Sequence[str] = (), **options: Union[str, int, bool]) -> Report:
    """Decides a program. Options are those of `rhumb check`: timeout="30s", entry="f", data_model="ILP32"; `args` are taken as they are."""
    command = [binary(), "check", "--format", "json", *map(os.fspath, files)]
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            command.append(option)
        elif value is not False:
            command += [option, str(value)]
    done = subprocess.run([*command, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if not done.stdout.startswith("{"):
        raise Error(done.stderr.strip() or done.stdout.strip())
    raw = json.loads(done.stdout)
    run = raw.get("counterexample")
    return Report(
        verdict=raw["verdict"],
        reason=raw.get("reason"),
        targets=[Target(**target) for target in raw["targets"]],
        assumptions=raw["assumptions"],
        counterexample=run
        and Counterexample(
            target=run["target"],
            inputs=[Input(**item) for item in run["inputs"]],
            steps=[Step(**step) for step in run["steps"]],
            is_complete=run["is_complete"],
        ),
        invariants=[Invariant(**item) for item in raw["invariants"]],
        raw=raw,
    )
