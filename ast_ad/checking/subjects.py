"""What is checked: a function at a point, and what its derivatives are by values alone.

The point and the results are vectors. A derivative is asked for along a direction, and weighed: in reverse
mode by a cotangent; in forward mode each result counts for itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..errors import InputTypeError
from ..extrapolation import Line, Values
from .spaces import Space


class Subject:
    """A function, and arguments at which its derivatives are checked.

    Raises:
        InputTypeError: there is nothing to differentiate, or no result is a float.
    """

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], eps: float | None) -> None:
        self.function, self.args, self.first = function, args, eps
        self.name = getattr(function, "__name__", str(function))
        spaces = [Space(arg, name) for arg, name in zip(args, names(function, len(args)), strict=True)]
        self.every = spaces
        self.argnums = tuple(i for i, space in enumerate(spaces) if space.floats)
        self.spaces = [spaces[i] for i in self.argnums]
        self.ends = np.cumsum([0, *map(len, self.spaces)])
        if not self.argnums:
            raise InputTypeError(
                f"a check of `{self.name}` at arguments without floats",
                why="there is nothing to differentiate with respect to",
                fix="pass floats, or arrays or trees of them",
            )
        self.results = Space(function(*self.copies()), "result")
        if not self.results.floats:
            raise InputTypeError(
                f"a check of `{self.name}`, whose result is no float",
                why="there is nothing to differentiate",
                fix="return a float, an array of floats, or a tree of them",
            )
        self.point = np.concatenate([space.vector() for space in self.spaces])
        self.sizes = np.concatenate([space.magnitudes() for space in self.spaces])
        self.values = self.results.vector()
        self.eps = max(self.results.eps, *(space.eps for space in self.spaces))
        self._lines: dict[bytes, Line] = {}
        self._reach: float | None = None

    def copies(self) -> list[Any]:
        return [space.copy() for space in self.every]

    def parts(self, vector: Values) -> Iterator[Values]:
        """A vector's parts, one for each argument that is differentiated."""
        return (vector[a:b] for a, b in zip(self.ends, self.ends[1:], strict=False))

    def arguments(self, vector: Values, imaginary: Values | None = None) -> list[Any]:
        """All arguments, with these floats."""
        given = self.copies()
        more = iter([None] * len(self.spaces) if imaginary is None else self.parts(imaginary))
        for i, space, part in zip(self.argnums, self.spaces, self.parts(vector), strict=True):
            given[i] = space.tree(part, imaginary=next(more))
        return given

    def tangents(self, direction: Values) -> tuple[Any, ...]:
        """A direction as one tangent for each argument; None for one that is not varied."""
        given: list[Any] = [None] * len(self.args)
        for i, space, part in zip(self.argnums, self.spaces, self.parts(direction), strict=True):
            given[i] = space.tree(part) if np.any(part) or len(self.spaces) == 1 else None
        return tuple(given)

    def gradient(self, bars: Any) -> Values:
        """The cotangents of the arguments as a vector."""
        return np.concatenate([space.vector(bar) for space, bar in zip(self.spaces, bars, strict=True)])

    def value_at(self, vector: Values, imaginary: Values | None = None) -> Any:
        """What the function returns, or None where it has no value like that at the point itself."""
        try:
            value = self.function(*self.arguments(vector, imaginary))
            return value if self.results.matches(value) else None
        except Exception:  # it may not be defined there, or not take complex numbers
            return None

    def moved(self, direction: Values, t: float) -> tuple[float, Values]:
        """How far arguments really get along a direction, as they are rounded; and the results there."""
        there = self.point + t * direction
        space = zip(self.spaces, self.parts(there), strict=True)
        rounded = np.concatenate([one.vector(one.tree(part)) for one, part in space])
        along = float((rounded - self.point) @ direction / (direction @ direction))
        value = self.value_at(there)
        try:
            return along, self.results.vector(value) if value is not None else np.nan * self.values
        except ValueError:  # other shapes
            return along, np.nan * self.values

    def neighbours(self) -> Iterator[Subject]:
        """The same function at points that differ in the last bits."""
        signs = np.random.default_rng(0).choice((-1.0, 1.0), len(self.point))
        for side in (4.0, -4.0):
            last = np.where(self.point == 0, self.sizes, self.point)
            there = self.point + side * self.eps * signs * last
            yield Subject(self.function, tuple(self.arguments(there)), self.first)

    def reach(self) -> float:
        """How large results are, here and where every argument has moved about as far as its size."""
        if self._reach is None:
            numbers = np.random.default_rng(0)
            ways = [numbers.standard_normal(len(self.point)) * self.sizes for _ in range(2)]
            there = [self.moved(way, 1.0)[1] for way in ways]
            found = [float(np.max(abs(values))) for values in (self.values, *there)]
            self._reach = max(size for size in (*found, 0.0) if np.isfinite(size))
        return self._reach

    def steepest(self, direction: Values) -> float:
        """The slope of a result that is as large as they get, along a direction."""
        which = direction != 0
        return float(self.reach() / np.max(self.sizes[which] / abs(direction[which])))

    def line(self, direction: Values) -> Line:
        """The differences along a direction."""
        key = direction.tobytes()
        if key not in self._lines:
            which = direction != 0
            size = float(np.max(self.sizes[which] / abs(direction[which])))
            single = np.count_nonzero(which) == 1
            first = self.first if single or self.first is None else None
            self._lines[key] = Line(
                lambda t: self.moved(direction, t), size if single else 1.0, self.eps, first
            )
        return self._lines[key]

    def complex_step(self, direction: Values) -> Values | None:
        """The derivative of an analytic program, exactly; None of one that certainly is none.

        Its value has to stay, since terms of second order are rounded away. That alone proves nothing: abs
        and others that are not analytic pass, too, so that differences have to agree.
        """
        if any(space.is_complex() for space in (*self.spaces, self.results)):
            return None
        size = 1e-20 if self.eps < 1e-10 else 1e-12
        value = self.value_at(self.point, size * direction)
        if value is None:
            return None
        leaves = [np.asarray(leaf) for leaf in Space(value, "result").leaves]
        chosen = [leaves[i] for i in self.results.floats]
        shapes = [np.shape(self.results.leaves[i]) for i in self.results.floats]
        if [leaf.shape for leaf in chosen] != shapes:
            return None
        flat = np.concatenate([np.ravel(leaf).astype(complex) for leaf in chosen])
        same = np.allclose(flat.real, self.values, rtol=100 * self.eps, atol=0)
        return flat.imag / size if same and np.all(np.isfinite(flat.imag)) else None

    def where(self, direction: Values) -> str:
        """Which argument a direction varies, and which entry where it is only one."""
        entries = np.flatnonzero(direction)
        which = int(np.searchsorted(self.ends, entries[0], side="right")) - 1
        space = self.spaces[which]
        inside = int(entries[0] - self.ends[which])
        of = f"argument {self.argnums[which]}"
        if len(entries) > 1:
            return f"{of}, along a direction of `{space.paths[space.floats[0]]}`"
        return f"`{space.name(inside)}` ({of})"


def names(function: Callable[..., Any], count: int) -> list[str]:
    """What the positional arguments are called."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        parameters = ()  # type: ignore[assignment]
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    found = [one.name for one in parameters if one.kind in kinds][:count]
    return found + [f"args[{i}]" for i in range(len(found), count)]
