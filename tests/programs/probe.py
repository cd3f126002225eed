"""Which values do the names of an unfinished program have at one place of it?

The program is run on all its calls with a probe at that place: a statement that is written next can rely on
what was seen, in every call and in every turn of the loops around, and on nothing else.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .case import Call, copies, run_before

LARGEST = 1e3  # of a variable; programs stay where differences are sure
SECONDS = 0.4

Kind = tuple[Any, ...]


def kind(value: Any) -> Kind:
    """('float',), ('int', 3), ('array', (2, 3), 'f', contiguous, writeable), ('list', 2, kinds), ..."""
    if isinstance(value, np.ndarray):
        return "array", value.shape, value.dtype.kind, value.flags.c_contiguous, value.flags.writeable
    if isinstance(value, bool | np.bool_):
        return ("bool",)
    if isinstance(value, int | np.integer):
        return "int", int(value)
    if isinstance(value, float | np.floating):
        return ("float",)
    if isinstance(value, list | tuple):
        return type(value).__name__, len(value), frozenset(kind(v) for v in value)
    if isinstance(value, dict):
        return "dict", tuple((k, kind(v)) for k, v in value.items() if isinstance(k, str))
    if value is None:
        return ("none",)
    return (type(value).__name__,)


def tame(value: Any) -> bool:
    """Whether all numbers in a value are finite and of moderate size."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "fc":
            return True
        return value.size < 300 and bool(np.all(np.abs(value) < LARGEST))
    if isinstance(value, float | np.floating | complex):
        return bool(abs(value) < LARGEST)
    if isinstance(value, int):
        return abs(value) < 10**6
    if isinstance(value, list | tuple):
        return len(value) < 100 and all(map(tame, value))
    if isinstance(value, dict):
        return all(map(tame, value.values()))
    return True


@dataclass(frozen=True)
class Seen:
    """What a name was, each time that the place was reached."""

    name: str
    kinds: tuple[Kind, ...]

    def all(self, *wanted: str) -> bool:
        return all(k[0] in wanted for k in self.kinds)

    @property
    def form(self) -> tuple[Any, ...]:
        """Equal for two arrays that have equal shapes whenever the place is reached."""
        return tuple(k[1] if k[0] == "array" else () for k in self.kinds)

    @property
    def rank(self) -> int | None:
        ranks = {len(shape) for shape in self.form}
        return ranks.pop() if len(ranks) == 1 else None

    @property
    def smallest(self) -> int:
        """The least length of the first dimension, or of a list."""
        if self.all("array"):
            return min((shape[0] if shape else 1 for shape in self.form), default=0)
        return min((k[1] for k in self.kinds if k[0] in ("list", "tuple")), default=0)

    @property
    def writeable(self) -> bool:
        return all(k[0] == "array" and k[2] == "f" and k[4] for k in self.kinds)


@dataclass(frozen=True)
class Scope:
    names: dict[str, Seen] = field(default_factory=dict)

    def of(self, *kinds: str) -> list[Seen]:
        return [seen for seen in self.names.values() if seen.all(*kinds)]


class Refuted(BaseException):
    """A trial showed that the program can't be continued like this; no handler of the program catches it."""


class OutOfTime(BaseException):
    """The program runs too long; no handler of its own catches this."""


@contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    """Stop what takes longer, in seconds of this process's own work."""

    def alarm(*_: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGVTALRM, alarm)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    except OutOfTime:
        raise Refuted("out of time") from None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@dataclass
class Trial:
    """How all calls of a program ended, and the scope at the probe."""

    scope: Scope | None  # None: the place was never reached
    errors: tuple[str, ...]  # the names of the exceptions; "" for none
    values: tuple[Any, ...]


def run(source: str, calls: tuple[Call, ...], outside: tuple[str, ...] = ()) -> Trial:
    """``outside``: globals that a program may read, besides its own variables."""
    snapshots: list[dict[str, Kind]] = []
    wild: list[bool] = []
    namespace: dict[str, Any] = {"__name__": "case"}

    def probe(variables: dict[str, Any]) -> None:
        if len(snapshots) > 200:
            raise OutOfTime
        known = {name: namespace[name] for name in outside} | variables
        if not all(map(tame, known.values())):
            wild.append(True)
            raise Refuted("large values")
        snapshots.append({name: kind(value) for name, value in known.items()})

    namespace["_probe"] = probe
    errors, values = [], []
    with limited():
        try:
            exec(compile(source, "<trial>", "exec", dont_inherit=True), namespace)
        except Exception as error:
            raise Refuted(repr(error)) from None
        for call in calls:
            value, error = None, ""
            try:
                run_before(call, namespace)
                value = namespace["f"](*copies(call.args), **copies(dict(call.kwargs)))
            except Exception as raised:
                error = type(raised).__name__
            if wild:  # a `finally` of the program may have swallowed what the probe raised
                raise Refuted("large values")
            errors.append(error)
            values.append(value)
    return Trial(_joined(snapshots), tuple(errors), tuple(values))


def _joined(snapshots: list[dict[str, Kind]]) -> Scope | None:
    if not snapshots:
        return None
    always = set(snapshots[0]).intersection(*snapshots[1:])
    return Scope({n: Seen(n, tuple(s[n] for s in snapshots)) for n in snapshots[0] if n in always})


Runner = Callable[[str], Trial]
