"""What is the least that a call has to do?

A call of plain numbers and arrays that is like the one before needs no search for a program: it is enough
that types and shapes are the same and that the guards hold. The tests, the reads from outside and the call of
the program are written as one function for each variant, a method of the derivative. Whatever is not as
expected takes the long way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..compiler.frontend.guards import Argument, access, aspect_of, tests_of
from ..errors import UnsupportedError
from ..trees import LEAF
from .checks.failures import prints
from .shortcut_text import inlined

MISS: Any = type("Miss", (), {"__repr__": lambda self: "MISS"})()
Fast = Callable[..., Any]


def long_way(derivative: Any, given: tuple[Any, ...], more: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Any call."""
    return derivative.any_call((*[a for a in given if a is not MISS], *more), named)


class FastCall:
    """The short way to one variant.

    ``run``: takes the derivative and a call's arguments, as a method; None where there is no short way.
    """

    def __init__(self, variant: Any, args: Sequence[Any]) -> None:
        self.variant = variant
        self._shaped: list[str] = []
        self.space: dict[str, Any] = {}
        self.run: Fast | None = self._built(args) if _may_be_fast(variant, args) else None

    def remember(self, args: Sequence[Any]) -> None:
        """Take the shapes of a call that the variant fits as those to expect."""
        if self.run is None:
            return
        outside = self.variant.program.captures.read()
        for name, value in zip(self._names(len(args), len(outside)), (*args, *outside), strict=True):
            if name in self._shaped:
                self.space[f"s_{name}"] = value.shape

    def _names(self, args: int, outside: int) -> list[str]:
        return [f"a{i}" for i in range(args)] + [f"c{i}" for i in range(outside)]

    def _built(self, args: Sequence[Any]) -> Fast:
        program = self.variant.program
        tests, self.space = tests_of(program.lowered.inputs.guards)
        paths = program.captures.paths
        names = self._names(len(args), len(paths))
        own, outside = names[: len(args)], names[len(args) :]
        reads = [access(path, path.steps, f"o{i}", self.space) for i, path in enumerate(paths)]
        kinds = [self._kind(n, v) for n, v in zip(names, (*args, *program.captures.read()), strict=True)]
        for position, aspect, value in program.constants:
            if aspect != "shape":  # which is tested anyway
                self.space[f"v{position}{aspect}"] = value
                tests.append(f"same_constant(aspect_of(a{position}, {aspect!r}), v{position}{aspect})")
        inputs = [*own, *outside[: program.passed]]
        self.space |= {
            "ndarray": np.ndarray,
            "aspect_of": aspect_of,
            "MISS": MISS,
            "failed": self._failed,
            "long_way": long_way,
        }
        long = f"return long_way(derivative, ({''.join(name + ', ' for name in own)}), more, named)"
        lines = [
            f"def fast(derivative, {''.join(f'{name}=MISS, ' for name in own)}/, *more, **named):",
            f"    if not ({' and '.join([*kinds[: len(own)], 'not more', 'not named'])}):",
            f"        {long}",
            "    try:",
            *(f"        {name} = {text}" for name, text in zip(outside, reads, strict=True)),
            f"        fits = {' and '.join([*kinds[len(own) :], *tests]) or 'True'}",
            "    except (AttributeError, LookupError, TypeError, ValueError):",
            "        fits = False",
            "    if not fits:",
            f"        {long}",
            "    try:",
            *("        " + line for line in self._body(inputs, args)),
            "    except Exception as error:",
            f"        results = failed([{', '.join(inputs)}], error)",
            "    if results is MISS:",
            f"        {long}",
            "    return results",
        ]
        exec("\n".join(lines), self.space)
        return self.space["fast"]  # type: ignore[no-any-return]

    def _body(self, inputs: list[str], args: Sequence[Any]) -> list[str]:
        """Run the program, and return what the user gets."""
        variant = self.variant
        program = variant.program
        if program.code.backend == "numba":
            values = [*args, *program.captures.read()[: program.passed]]
            floats = [variant.count + i for i, kind in enumerate(variant.python) if kind is float]
            found = inlined(program.run, program.text, inputs, values, floats)
            if found is not None and not found.space.keys() & self.space.keys():
                self.space |= found.space
                return [*found.lines, f"return {self._answer(found.results)}"]
        self.space["run"] = program.run
        results = [f"y{i}" for i in range(variant.count + len(variant.wrt))]
        return [f"{', '.join(results)}, = run({', '.join(inputs)})", f"return {self._answer(results)}"]

    def _kind(self, name: str, value: Any) -> str:
        """The test that a value is of the kind of this one."""
        self.space[f"t_{name}"] = type(value)
        if type(value) is not np.ndarray:
            return f"type({name}) is t_{name}"
        self._shaped.append(name)
        self.space |= {f"d_{name}": value.dtype, f"s_{name}": value.shape}
        return f"type({name}) is ndarray and {name}.dtype is d_{name} and {name}.shape == s_{name}"

    def _answer(self, results: Sequence[str]) -> str:
        """What the user gets, as an expression of the results."""
        variant = self.variant
        if not isinstance(variant.lowered.result, int):
            self.space["answer"] = self._slow_answer
            return f"answer([{', '.join(results)}])"
        bars = [_converted(g, k) for g, k in zip(results[variant.count :], variant.python, strict=True)]
        gradient = f"({bars[0]})" if variant.owner.single else f"({', '.join(bars)},)"
        if variant.owner.kind == "grad":
            return gradient
        return f"{results[variant.lowered.result]}, {gradient}"

    def _slow_answer(self, results: Any) -> Any:
        return self.variant.owner.answer(self.variant, results)

    def _failed(self, inputs: list[Any], error: Exception) -> Any:
        """What an error in the program comes to: NumPy's results, where kernels failed."""
        program = self.variant.program
        before = program.run
        try:
            results = program.failed(inputs, error)
        except UnsupportedError:
            return MISS
        except Exception:
            if prints(self.variant):
                raise
            return MISS  # the long way finds out whose error it is
        if program.run is not before:  # these kernels are no more
            self.variant.owner.forget(self)
        return self._slow_answer(results)


def _converted(result: str, kind: Any) -> str:
    """A cotangent of one of Python's own numbers."""
    if kind is None:
        return result
    converted = f"{kind.__name__}({result})"
    return (
        f"{result} if type({result}) is {kind.__name__} else {converted}"
        if result.isidentifier()
        else converted
    )


def _may_be_fast(variant: Any, args: Sequence[Any]) -> bool:
    """Whether all that such a call depends on are leaves, and what is read along plain paths."""
    if variant.mode != "compiled" or variant.owner.kind == "vjp" or variant.keywords:
        return False
    program = variant.program
    guards, captures = program.lowered.inputs.guards, program.captures
    if (
        program.loud
        or not program.simple
        or len(args) != len(variant.trees)
        or any(t.type is not LEAF for t in variant.trees)
    ):
        return False
    if any(isinstance(guard.path.root, Argument) for guard in guards):
        return False
    if any(isinstance(path.root, Argument) for path in captures.paths):
        return False
    return all(type(v) in _KINDS for v in (*args, *captures.read()))


_KINDS = {np.ndarray, float, int, complex, np.float64, np.float32}
