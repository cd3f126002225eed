"""Are the derivatives of a function right, in each mode, and those of its derivatives?

``check_grads(f, args, order)`` compares them with differences of the function, and the modes with each other.
"""

from __future__ import annotations

import contextlib
import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import DefectWarning, FallbackWarning, InputTypeError, InputValueError, ZeroGradientWarning
from ..extrapolation import Values
from ..operators import products
from ..operators.leaves import leaves, with_leaves
from ..operators.operator import require_callable
from .subjects import Subject
from .verdicts import SAFETY, Bounds, Fault, fault

MODES = ("fwd", "rev")
FEW = 128  # entries that are all compared
SAMPLE = 32  # entries that are compared of more
DIRECTIONS = 4  # random directions for each argument with more


def check_grads(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    order: int,
    modes: Sequence[str] = MODES,
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> None:
    """Raise AssertionError where a derivative of ``f`` at ``args`` is wrong.

    Derivatives are compared with extrapolated differences of ``f``, as closely as these are good for: their
    error is estimated on the way. If there are few entries (128) every one is compared; of more, random
    directions and a sample of entries. At a kink, at a jump, and where rounding covers the derivative,
    differences don't tell, and nothing is said. The modes are compared with each other, too.

    Parameters
    ----------
    f
        Python and NumPy code, of numbers, arrays and trees of them, to numbers, arrays and trees of them.
    args
        The positional arguments. Floats and complex numbers among them are varied, all else stays.
    order
        Up to which order derivatives are checked: at 2, the derivatives of the derivatives, too.
    modes
        'fwd' for ``ast_ad.jvp``, 'rev' for ``ast_ad.vjp``, or both. Higher orders mix them.
    atol, rtol
        How far a derivative may be from that by differences, beside the error of these. By default these are
        the rounding of the sums that it is made of, and 1e-7 of its size (7e-4 in single precision).
    eps
        The first, largest step of the differences. By default a tenth of the size of what is varied.

    Raises
    ------
    AssertionError
        A derivative is wrong. The message names mode, order, argument and entry, and gives both values.
    InputTypeError
        ``f`` is no function, ``args`` is no tuple or holds no float, the result holds none, or a size is
        no number.
    InputValueError
        An unknown mode, an order below 1, a size below zero, or a step of zero.

    Examples
    --------
    >>> import numpy as np
    >>> check_grads(lambda x, n: np.sin(x) ** n, (np.array([0.3, 1.2]), 2), order=2, modes=["rev"])
    >>> check_grads(abs, (0.0,), order=1, modes=["rev"])
    """
    modes = _checked(f, args, order, modes)
    _require_sizes(atol=atol, rtol=rtol, eps=eps)
    with warnings.catch_warnings():
        # Differences come to where the function has no value; derivatives may be zero, or traced.
        for ignored in (RuntimeWarning, FallbackWarning, ZeroGradientWarning):
            warnings.simplefilter("ignore", ignored)
        warnings.simplefilter("always", DefectWarning)
        with np.errstate(all="ignore"):
            _check(Subject(f, args, eps), order, modes, Bounds(atol, rtol), 1, "")


def _require_sizes(**sizes: Any) -> None:
    for name, size in sizes.items():
        if size is None:
            continue
        if not isinstance(size, (int, float, np.integer, np.floating)) or isinstance(size, bool):
            raise InputTypeError(
                f"{name}={size!r}", why="it is no number", fix="pass a float, or leave it out"
            )
        if not (size > 0 or size == 0 and name != "eps"):
            why = "the first step has to be larger than zero" if name == "eps" else "it is below zero"
            raise InputValueError(f"{name}={size!r}", why=why, fix="pass a larger one, or leave it out")


def _checked(f: Any, args: Any, order: Any, modes: Any) -> tuple[str, ...]:
    require_callable(f, "check_grads")
    if not isinstance(args, tuple):
        raise InputTypeError(
            f"arguments of type {type(args).__name__}",
            why="they have to be a tuple of all positional arguments",
            fix="pass (x,) for one argument",
        )
    if isinstance(order, bool) or not isinstance(order, (int, np.integer)) or order < 1:
        raise InputValueError(f"order={order!r}", why="it is an integer of at least 1", fix="pass 1 or 2")
    if not isinstance(modes, Iterable):
        raise InputTypeError(f"modes={modes!r}", why="modes are 'fwd' and 'rev'", fix="pass those")
    asked = (modes,) if isinstance(modes, str) else tuple(modes)
    for mode in asked:
        if mode not in MODES:
            raise InputValueError(f"the mode {mode!r}", why="modes are 'fwd' and 'rev'", fix="pass those")
    if not asked:
        raise InputValueError("a check without a mode", why="nothing would be checked", fix="pass ['rev']")
    return asked


def _check(
    subject: Subject, order: int, modes: tuple[str, ...], bounds: Bounds, level: int, way: str
) -> None:
    """One order, and those above it of the derivative in each mode."""
    if not len(subject.point) or not len(subject.values):  # empty arrays
        return
    numbers = np.random.default_rng(level)
    weights, direction = _weights(subject, numbers), _direction(subject, numbers, slice(None))
    both = {}
    for mode in modes:
        says = _Reverse(subject) if mode == "rev" else _Forward(subject)
        try:
            both[mode] = says.along(direction, weights)
            _compare(subject, says, weights, numbers, bounds)
        except _Wrong as error:
            told = f"{error}, in the derivative of the {way} derivative" if way else str(error)
            raise AssertionError(f"mode {mode!r}, order {level}: {told}") from None
    _agree(subject, both, direction, weights, level, bounds)
    for mode in modes if order > 1 else ():
        derivative = _Reverse(subject) if mode == "rev" else _Forward(subject)
        function = _called_as(derivative.function(weights, direction), subject, derivative.seed)
        inner = Subject(function, (*subject.args, 1.0), subject.first)
        _check(inner, order - 1, modes, bounds, level + 1, f"{way} {mode}".strip())


class _Wrong(Exception):
    pass


def _scaled(tree: Any, scale: float) -> Any:
    """A cotangent, or tangents, so many times: a derivative depends on them as well as on the point."""
    return with_leaves(tree, tuple([scale * leaf for leaf in leaves(tree)]))


def _called_as(function: Callable[..., Any], subject: Subject, seed: str) -> Callable[..., Any]:
    """The function of the subject's arguments and a scale, with their names."""
    known = [space.paths[0] if len(space.paths) == 1 else f"args{i}" for i, space in enumerate(subject.every)]
    named = [name if name.isidentifier() else f"args{i}" for i, name in enumerate((*known, seed))]
    parts = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in named]
    with contextlib.suppress(ValueError):  # two of the same name
        function.__signature__ = inspect.Signature(parts)  # type: ignore[attr-defined]
    return function


class _Reverse:
    """What ``vjp`` says."""

    name, seed = "vjp", "scale_of_the_cotangent"

    def __init__(self, subject: Subject) -> None:
        from ..api import vjp

        self.subject = subject
        _, self.pullback = vjp(subject.function, *subject.copies(), argnums=subject.argnums)
        self._gradients: dict[bytes, Values] = {}

    def gradient(self, weights: Values) -> Values:
        """The gradient of a sum of the results."""
        key = weights.tobytes()
        if key not in self._gradients:
            bars = self.pullback(self.subject.results.tree(weights, None))
            try:
                self._gradients[key] = self.subject.gradient(bars)
            except ValueError as error:
                raise _Wrong(f"a gradient has another form than its argument: {error}") from None
        return self._gradients[key]

    def along(self, direction: Values, weights: Values) -> tuple[float, float]:
        """The derivative of a sum of the results, and the size of its terms."""
        terms = self.gradient(weights) * direction
        return float(np.sum(terms)), float(np.sum(abs(terms)))

    def derivative(self, direction: Values, weights: Values) -> Values:
        return np.atleast_1d(self.gradient(weights) @ direction)

    def fault(self, direction: Values, weights: Values, bounds: Bounds) -> Fault | None:
        return fault(self.subject, direction, self.derivative(direction, weights), weights, bounds)

    def worst(self, direction: Values, seen: Fault, bounds: Bounds) -> Fault:
        """Of a sum of the results that is wrong, the result that is: where they are few."""
        count = len(self.subject.values)
        if count == 1 or count > FEW:
            return seen
        rows = []
        for i, row in enumerate(np.eye(count)):
            if wrong := self.fault(direction, row, bounds):
                wrong.result = i
                rows.append(wrong)
        return max(rows, key=lambda one: one.excess, default=seen)

    def function(self, weights: Values, direction: Values) -> Callable[..., Any]:
        """The gradient of a sum of the results, as a function of the point and of how large that sum is."""
        from ..api import vjp

        f, argnums = self.subject.function, self.subject.argnums
        cotangent = self.subject.results.tree(weights, None)

        def gradient(*given: Any) -> Any:
            *args, scale = given
            return vjp(f, *args, argnums=argnums)[1](_scaled(cotangent, scale))

        return gradient


class _Forward:
    """What ``jvp`` says."""

    name, seed = "jvp", "scale_of_the_tangents"

    def __init__(self, subject: Subject) -> None:
        self.subject = subject

    def tangent(self, direction: Values) -> Values:
        """The derivative of each result."""
        subject = self.subject
        _, tangent = products.jvp(subject.function, tuple(subject.copies()), subject.tangents(direction))
        try:
            return subject.results.vector(tangent)
        except ValueError as error:
            raise _Wrong(f"a tangent has another form than its result: {error}") from None

    def along(self, direction: Values, weights: Values) -> tuple[float, float]:
        terms = weights * self.tangent(direction)
        return float(np.sum(terms)), float(np.sum(abs(terms)))

    def derivative(self, direction: Values, weights: Values) -> Values:
        return self.tangent(direction)

    def fault(self, direction: Values, weights: Values, bounds: Bounds) -> Fault | None:
        return fault(self.subject, direction, self.tangent(direction), None, bounds)

    def worst(self, direction: Values, seen: Fault, bounds: Bounds) -> Fault:
        return seen

    def function(self, weights: Values, direction: Values) -> Callable[..., Any]:
        """The tangent as a function of the point and of how large the tangents of the arguments are."""
        f, tangents = self.subject.function, self.subject.tangents(direction)

        def tangent(*given: Any) -> Any:
            *args, scale = given
            return products.jvp(f, tuple(args), _scaled(tangents, scale))[1]

        return tangent


def _weights(subject: Subject, numbers: np.random.Generator) -> Values:
    """A cotangent to which every result contributes about as much, whatever its size; 1 of a number alone."""
    count = len(subject.values)
    if count == 1:
        return np.ones(1)
    sizes = np.clip(subject.results.magnitudes(), 1e-12, 1e12)
    signs = np.where(numbers.random(count) < 0.4, -1.0, 1.0)
    return np.asarray(signs * numbers.uniform(0.5, 1.5, count) / np.where(np.isfinite(sizes), sizes, 1.0))


def _direction(subject: Subject, numbers: np.random.Generator, part: slice) -> Values:
    """A direction in which every entry of a part moves about as far as its size."""
    direction = np.zeros(len(subject.point))
    direction[part] = (numbers.standard_normal(len(subject.point)) * subject.sizes)[part]
    return direction


def _unit(subject: Subject, entry: int) -> Values:
    direction = np.zeros(len(subject.point))
    direction[entry] = 1.0
    return direction


def _probes(subject: Subject, numbers: np.random.Generator) -> Iterator[Values]:
    """The directions along which derivatives are compared."""
    count = len(subject.point)
    if count <= FEW:
        yield from (_unit(subject, i) for i in range(count))
        return
    for start, end in zip(subject.ends, subject.ends[1:], strict=False):
        for _ in range(DIRECTIONS if end - start > 1 else 0):
            yield _direction(subject, numbers, slice(start, end))
    for i in numbers.choice(count, SAMPLE, replace=False):
        yield _unit(subject, int(i))


def _compare(
    subject: Subject, says: Any, weights: Values, numbers: np.random.Generator, bounds: Bounds
) -> None:
    """Raise ``_Wrong`` for the worst of the derivatives along the probes."""
    faults = []
    for direction in _probes(subject, numbers):
        if wrong := says.fault(direction, weights, bounds):
            blur = _blur(subject, says, direction, weights)[wrong.result or 0]
            if not abs(wrong.found - wrong.expected) <= blur:
                faults.append((wrong, direction))
    if not faults:
        return
    wrong, direction = max(faults, key=lambda pair: pair[0].excess)
    wrong, direction = _narrowed(subject, says, weights, wrong, direction, bounds)
    wrong = says.worst(direction, wrong, bounds)
    of = " of a sum of the results" if wrong.result is None else f" of {subject.results.name(wrong.result)}"
    of = "" if len(subject.values) == 1 else of
    raise _Wrong(
        f"the derivative{of} by {subject.where(direction)} is {wrong.found!r} by ast_ad.{says.name}, "
        f"and {wrong.expected!r} by differences (good to {wrong.error:.1g})"
    )


def _blur(subject: Subject, says: Any, direction: Values, weights: Values) -> Values:
    """How far derivatives along a direction move with the last bits of the point, if that is rounding.

    It is all there is of a derivative that is zero by cancellation, where differences may seem to be exact.
    """
    found = says.derivative(direction, weights)
    blur = np.zeros_like(found)
    for other in subject.neighbours():
        with contextlib.suppress(Exception):  # it may not be defined there
            blur = np.fmax(blur, abs(type(says)(other).derivative(direction, weights) - found))
    most = 1e4 * subject.eps * subject.steepest(direction)  # else it jumps
    return np.asarray(np.where(blur <= most, SAFETY * blur, 0.0))


def _narrowed(
    subject: Subject, says: Any, weights: Values, wrong: Fault, direction: Values, bounds: Bounds
) -> tuple[Fault, Values]:
    """The entry because of which a derivative along a direction is wrong, as far as halves of it tell."""
    while np.count_nonzero(direction) > 1:
        entries = np.flatnonzero(direction)
        found = []
        for half in np.array_split(entries, 2):
            part = np.zeros_like(direction)
            part[half] = direction[half] if len(half) > 1 else 1.0
            if fault := says.fault(part, weights, bounds):
                found.append((fault, part))
        if not found:
            break
        wrong, direction = max(found, key=lambda pair: pair[0].excess)
    return wrong, direction


def _blur_of_sum(subject: Subject, direction: Values, weights: Values) -> float:
    blur = _blur(subject, _Forward(subject), direction, weights)
    return max(float(abs(weights) @ blur), float(_blur(subject, _Reverse(subject), direction, weights)[0]))


def _agree(
    subject: Subject,
    both: dict[str, tuple[float, float]],
    direction: Values,
    weights: Values,
    level: int,
    bounds: Bounds,
) -> None:
    """The product of a cotangent and a tangent is the same, whichever of them is carried through."""
    if len(both) < 2:
        return
    (forward, size), (reverse, other) = both["fwd"], both["rev"]
    margin = bounds.relative(subject.eps) * max(size, other) + (bounds.atol or 0.0)
    apart = abs(forward - reverse)
    if np.isfinite(apart) and apart > margin and apart > _blur_of_sum(subject, direction, weights):
        raise AssertionError(
            f"modes 'fwd' and 'rev', order {level}: the derivative of a sum of the results along a direction "
            f"is {forward!r} by ast_ad.jvp, and {reverse!r} by ast_ad.vjp"
        )
