"""Rhumb, a software model checker for C, from Python.

>>> import rhumb
>>> report = rhumb.check("file.c", timeout="30s")
>>> report.verdict
'UNSAFE'
>>> [(step.line, step.remarks) for step in report.counterexample.steps]
"""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Type, TypeVar, Union

__all__ = ["Counterexample", "Decision", "Error", "Input", "Invariant", "Report", "Step", "Target", "Time", "binary", "check", "check_text"]

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
    key: str = ""
    reason: Optional[str] = None
    error: Optional[str] = None
    inputs: List[str] = field(default_factory=list)


@dataclass(frozen=True)
class Input:
    """Something that a run reads."""

    what: str
    file: str
    line: int
    value: str


@dataclass(frozen=True)
class Decision:
    """A condition, and which way it goes. It mattered if turning it alone would have kept the run from the error; None if that is not known."""

    text: str
    holds: bool
    mattered: Optional[bool] = None


@dataclass(frozen=True)
class Step:
    """A line that a run passes."""

    file: str
    line: int
    function: str
    depth: int
    changes: List[List[str]]
    remarks: str
    decisions: List[Decision] = field(default_factory=list)


@dataclass(frozen=True)
class Counterexample:
    """A run to an error."""

    target: int
    inputs: List[Input]
    steps: List[Step]
    is_complete: bool


@dataclass(frozen=True)
class Invariant:
    """What holds at a loop."""

    file: str
    line: int
    expression: str


@dataclass(frozen=True)
class Time:
    """A phase of the work, and how long it took."""

    phase: str
    seconds: float


@dataclass(frozen=True)
class Report:
    """The answer: SAFE, UNSAFE or UNKNOWN, and what there is to it."""

    verdict: str
    reason: Optional[str]
    targets: List[Target]
    assumptions: List[str]
    counterexample: Optional[Counterexample]
    invariants: List[Invariant]
    times: List[Time]
    help: List[str]
    raw: Dict[str, Any] = field(repr=False)
    established: Optional[str] = None

    @property
    def is_safe(self) -> bool:
        """Whether it is proved that nothing is reached that must not be."""
        return self.verdict == "SAFE"


T = TypeVar("T")


def _of(kind: Type[T], data: Dict[str, Any]) -> T:
    """An object of what a newer tool may say more of."""
    known = {part.name for part in dataclasses.fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in data.items() if name in known})


def binary() -> str:
    """The tool itself: that of this package, or what RHUMB names."""
    named = os.environ.get("RHUMB")
    return named or str(pathlib.Path(__file__).resolve().parent / "bin" / "rhumb")


def check(*files: PathLike, args: Sequence[str] = (), **options: Union[str, int, bool]) -> Report:
    """Decides a program. Options are those of `rhumb check`: timeout="30s", entry="f", data_model="ILP32"; `args` are taken as they are."""
    command = [binary(), "check", "--format", "json", *[os.fspath(file) for file in files]]
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
    counterexample = None
    if run:
        counterexample = Counterexample(
            target=run["target"],
            inputs=[_of(Input, item) for item in run["inputs"]],
            steps=[_of(Step, {**step, "decisions": [_of(Decision, one) for one in step.get("decisions", [])]}) for step in run["steps"]],
            is_complete=run["is_complete"],
        )
    return Report(
        verdict=raw["verdict"],
        reason=raw.get("reason"),
        targets=[_of(Target, target) for target in raw["targets"]],
        assumptions=raw["assumptions"],
        counterexample=counterexample,
        invariants=[_of(Invariant, item) for item in raw["invariants"]],
        times=[_of(Time, item) for item in raw["times"]],
        help=raw.get("help", []),
        established=raw.get("established"),
        raw=raw,
    )


def check_text(text: str, args: Sequence[str] = (), **options: Union[str, int, bool]) -> Report:
    """The same for a program that is there as text."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "program.c"
        file.write_text(text)
        return check(file, args=args, **options)
