"""Is a program's derivative that of Python's own run of it, in the first call and in every later one?

A program is a plain function with ``@program(*args)``, in a module ``family_NN_*.py``. It is judged by what
the plain function does on copies of the same arguments: value, type, dtype, shape, exception, and differences
of the value for the gradient. Two judgements are kept apart: ``right`` (nothing of it differs), and
``compiled`` (in no call was the function, or a function that it calls, run on traced arrays).
"""

from __future__ import annotations

import functools
import importlib
import os
import pathlib
import warnings
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np

import ast_ad

from .differences import Unfit, differences, is_single, leaves, own

BACKENDS = "numpy", "numba"
JUDGEMENTS = "right", "compiled"
TOLERANCE = 2e-6
FOLDER = pathlib.Path(__file__).parent


class Wrong(AssertionError):
    """What a derivative did is not what the plain function does; the text is the reason, without numbers."""


@dataclass(frozen=True)
class Call:
    """The arguments of one call, and what changes before it (a global, an attribute)."""

    args: tuple[Any, ...]
    before: Callable[[], object] | None = None


def after(before: Callable[[], object], *args: Any) -> Call:
    """A call with these arguments, after a change of something outside."""
    return Call(args, before)


@dataclass(eq=False)
class Program:
    """A function and the calls of it that one derivative answers, one after the other.

    ``wrt``: positions of the arguments that are differentiated, by default all that hold floats;
    ``compiled``: whether it must be compiled in the end; ``kernels``: whether the tests run it on numba, too
    (not if that takes long);
    ``gradient``: the gradients of the first call, where differences can't tell them; ``warns``: the warnings
    of the plain function are to be given, too.
    """

    function: Callable[..., Any]
    calls: list[Call]
    wrt: tuple[int, ...]
    compiled: bool = True
    kernels: bool = True
    gradient: tuple[Any, ...] | None = None
    warns: bool = False
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.function.__name__


PROGRAMS: dict[str, dict[str, Program]] = {}  # by family (the module's name) and name


def program(
    *args: Any, wrt: tuple[int, ...] | None = None, later: list[Any] | None = None, **rest: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a program with the arguments of the first call (or one ``after``) and of ``later`` ones."""
    calls = [one if isinstance(one, Call) else Call(tuple(one)) for one in later or []]
    calls.insert(0, args[0] if len(args) == 1 and isinstance(args[0], Call) else Call(args))
    if wrt is None:
        given = calls[0].args
        wrt = tuple(i for i, arg in enumerate(given) if any(is_float(part) for _, part in leaves(arg)))

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        family = function.__module__.rpartition(".")[2]
        known = PROGRAMS.setdefault(family, {})
        assert function.__name__ not in known, f"two programs {function.__name__} in {family}"
        known[function.__name__] = Program(function, calls, wrt, **rest)
        return function

    return register


def families(wanted: Collection[str] = ()) -> dict[str, ModuleType]:
    """The modules of programs, by name; all of them, or those that are wanted."""
    names = sorted(wanted or (path.stem for path in FOLDER.glob("family_*.py")))
    return {name: importlib.import_module(f"{__package__}.{name}") for name in names}


# ----- what happened
@dataclass
class Outcome:
    """What a function did with the arguments: its result or exception, and warnings other than ours."""

    value: Any = None
    gradient: tuple[Any, ...] = ()
    raised: Exception | None = None
    warned: tuple[str, ...] = ()
    changed: bool = False
    compiled: bool = True


@dataclass
class Observed:
    call: Call
    plain: Outcome
    derived: Outcome


def _run(function: Callable[..., Any], args: tuple[Any, ...]) -> Outcome:
    given = own(args)
    found = Outcome()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found.value = function(*given)
        except Exception as error:
            found.raised = error
    ours = [one for one in caught if issubclass(one.category, ast_ad.FallbackWarning)]
    found.warned = tuple(sorted({str(one.message) for one in caught if one not in ours}))
    found.changed = not same(given, args)
    return found


@functools.lru_cache(maxsize=2)  # for the judgements of one program, which follow each other
def observe(one: Program, backend: str) -> list[Observed]:
    """Each call of the program, plain and by one derivative, with the check of first calls switched off."""
    with mock.patch.dict(os.environ, {"AST_AD_CHECK": "0"}):
        derivative = ast_ad.value_and_grad(one.function, argnums=one.wrt, backend=backend, **one.options)
        found = []
        for call in one.calls:
            if call.before:
                call.before()
            plain = _run(one.function, call.args)
            if call.before:
                call.before()
            derived = _run(derivative, call.args)
            if derived.raised is None:
                derived.value, derived.gradient = derived.value
                derived.compiled = derivative.mode == "compiled" and not _traced_callees(derivative)
            found.append(Observed(call, plain, derived))
    return found


def _traced_callees(derivative: Any) -> bool:
    lowered = getattr(derivative._last, "primal", None)
    return bool(getattr(lowered, "calls", None))


# ----- what is right
def judge(one: Program, backend: str, judgement: str) -> None:
    """Raise ``Wrong`` where the derivative falls short."""
    for number, observed in enumerate(observe(one, backend)):
        where = f"call {number + 1}: " if number else ""
        if judgement == "compiled":
            if not observed.derived.compiled:
                raise Wrong(where + "traced")
        else:
            _judge_call(one, observed, backend, where, one.gradient if number == 0 else None)


def _judge_call(
    one: Program, observed: Observed, backend: str, where: str, gradient: tuple[Any, ...] | None
) -> None:
    plain, derived, call = observed.plain, observed.derived, observed.call
    if plain.raised is not None or derived.raised is not None:
        if type(plain.raised) is not type(derived.raised):
            names = [type(each).__name__ if each else "nothing" for each in (derived.raised, plain.raised)]
            raise Wrong(f"{where}raises {names[0]} where the function raises {names[1]}") from derived.raised
        return
    if problem := differs(derived.value, plain.value, exact=backend == "numpy"):
        raise Wrong(f"{where}{problem} of the value\n{derived.value!r}\ninstead of\n{plain.value!r}")
    if derived.changed:
        raise Wrong(f"{where}the caller's arguments changed")
    if one.warns and backend == "numpy" and not set(plain.warned) <= set(derived.warned):
        raise Wrong(f"{where}a warning of the function is lost\n{plain.warned}")
    for k, (position, got) in enumerate(zip(one.wrt, derived.gradient, strict=True)):
        name = f"{where}gradient of argument {position}"
        arg = call.args[position]
        if problem := misfits(got, arg):
            raise Wrong(f"{name}: {problem}\n{got!r}\nfor\n{arg!r}")
        expected = _numbers(gradient[k]) if gradient else None
        if expected is None:
            expected = differences(anew(one.function, call), call.args, position)
        found = _numbers(got)
        sure = ~np.isnan(expected)  # of a result that is nan, nothing is asked
        scale = 1.0 + np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))
        bound = (1e-5 if is_single(call.args) else TOLERANCE) * scale
        if not np.allclose(found[sure], expected[sure], rtol=0, atol=bound):
            raise Wrong(f"{name}\n{got!r}\ninstead of\n{expected!r}")


def anew(function: Callable[..., Any], call: Call) -> Callable[..., Any]:
    """The function, each run of which finds outside what the call found."""

    def run(*args: Any) -> Any:
        if call.before:
            call.before()
        return function(*args)

    return run


def differs(got: Any, expected: Any, exact: bool) -> str:
    """What of a value is not as it should be: 'type', 'dtype', 'shape', 'bits', or '' if nothing."""
    if type(got) is not type(expected):
        return f"type {type(got).__name__} instead of {type(expected).__name__}"
    if isinstance(expected, (tuple, list)):
        if len(got) != len(expected):
            return "length"
        return next((p for p in map(differs, got, expected, [exact] * len(got)) if p), "")
    a, b = np.asarray(got), np.asarray(expected)
    if a.dtype != b.dtype:
        return "dtype"
    if a.shape != b.shape:
        return "shape"
    if exact:
        return "" if a.tobytes() == b.tobytes() or np.array_equal(a, b, equal_nan=True) else "bits"
    bound = 1e-9 if a.dtype.itemsize >= 8 else 1e-4
    return "" if np.allclose(a, b, rtol=bound, atol=bound, equal_nan=True) else "numbers"


def misfits(got: Any, arg: Any) -> str:
    """What of a gradient is not as in its argument: structure, type, dtype or shape; '' if all is."""
    found, given = list(leaves(got)), list(leaves(arg))
    if [path for path, _ in found] != [path for path, _ in given]:
        return "another structure"
    for (_, a), (_, b) in zip(found, given, strict=True):
        if not is_float(b):
            continue
        if type(a) is not type(b):
            return f"type {type(a).__name__} instead of {type(b).__name__}"
        if np.asarray(a).dtype != np.asarray(b).dtype:
            return f"dtype {np.asarray(a).dtype} instead of {np.asarray(b).dtype}"
        if np.shape(a) != np.shape(b):
            return f"shape {np.shape(a)} instead of {np.shape(b)}"
    return ""


def _numbers(gradient: Any) -> np.ndarray:
    parts = [np.ravel(part) for _, part in leaves(gradient) if is_float(part)]
    return np.concatenate(parts) if parts else np.zeros(0)


def is_float(part: Any) -> bool:
    """Whether a leaf carries a derivative."""
    return isinstance(part, (float, complex, np.ndarray, np.generic)) and np.asarray(part).dtype.kind in "fc"


def same(a: Any, b: Any) -> bool:
    """Whether two arguments are the same to the bit."""
    first, second = list(leaves(a)), list(leaves(b))
    if [path for path, _ in first] != [path for path, _ in second]:
        return False
    for (_, one), (_, other) in zip(first, second, strict=True):
        if isinstance(one, (np.ndarray, np.generic, int, float, complex)):
            if np.asarray(one).tobytes() != np.asarray(other).tobytes():
                return False
    return True


def every_program(of: Collection[str] = ()) -> Iterator[tuple[str, Program]]:
    for name in families(of):
        for one in PROGRAMS.get(name, {}).values():
            yield name, one


__all__ = ["BACKENDS", "Program", "Unfit", "Wrong", "after", "every_program", "families", "judge", "program"]
