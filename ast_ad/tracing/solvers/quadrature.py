"""What is the derivative of an integral by what the integrand reads, and by the limits?

The integral is what SciPy found. Its derivatives are those of a sum over nodes, in which the integrand is
recorded: Gauss's on each of the intervals that SciPy has divided the range into, or those of the substitution
``tanh(sinh(u))``, for integrands that are singular at an end. The sum has to be the integral, or this is
told. Only the outermost interval moves with a limit: between others there may be a jump of the integrand.
Where the integrand bends, its derivative jumps: there SciPy's intervals are too long for the derivative, and
are halved further.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...eager.numpy_protocol import run
from ...eager.state import state
from ...eager.tensor import Tensor
from ..traced_array import plain, python_number
from .functions import Call, bare, is_compiled, standing_for, traced_array, tried, without_derivative
from .walks import weighted_sum

Integrand = Callable[[Any], Any]
Piece = tuple[Any, Any]
BESIDE = "what `{}` tells beside the integral"
GAUSS = 16  # nodes in each interval: exact for polynomials of degree 31, as SciPy's own rule is
SMOOTH = 1e-14  # how far the sum on an interval may be from those on its halves, of the whole integral
HALVINGS, MORE = 40, 32  # how often an interval is halved at most, and how many more there may be


def quad(call: Call) -> Any:
    """``quad``; ``dblquad``, ``tplquad`` and ``nquad`` are Python code that calls it."""
    o = call.options
    if o["weight"] is not None or o["complex_func"]:
        raise call.refuse(
            "with a weight, or of complex values", "its nodes are other ones", "write it into the function"
        )
    found = call.solve(full_output=1)
    value = found[0]
    if not o["full_output"] and len(found) > 3:
        from scipy.integrate import IntegrationWarning

        warnings.warn(found[3], IntegrationWarning, stacklevel=3)
    if state.grad:
        function, args = o["func"], call.args()
        a, b = o["a"], o["b"]
        pieces = divided(found[2], a, b)
        value = integral(call, lambda t: function(t, *args), (a, b), value, found[1], pieces, o["points"])
    rest = without_derivative(call, found[1:], BESIDE.format(call.name))
    return (value, *rest) if o["full_output"] else (value, rest[0])


def divided(told: dict[str, Any], a: Any, b: Any) -> list[Piece] | None:
    """The intervals into which SciPy has divided the range; of an infinite one: those of (0, 1)."""
    last = told.get("last", 0)
    if not last:  # of length zero
        return [(min(bare(a), bare(b)), max(bare(a), bare(b)))]
    return sorted(zip(told["alist"][:last].tolist(), told["blist"][:last].tolist(), strict=True))


def quad_vec(call: Call) -> Any:
    """``quad_vec``: the integrand may be an array."""
    full, o = call.options["full_output"], call.options
    found = call.solve(full_output=True)
    value, error, told = found
    if state.grad:
        function, args, ends = o["f"], call.args(), (o["a"], o["b"])
        finite = all(map(math.isfinite, map(bare, ends)))
        pieces = sorted(map(tuple, told.intervals.tolist())) if finite else None
        value = integral(call, lambda t: function(t, *args), ends, value, error, pieces, o["points"])
    error = without_derivative(call, error, BESIDE.format(call.name))
    return (value, error, told) if full else (value, error)


def integral(
    call: Call, f: Integrand, ends: Piece, value: Any, error: float, pieces: list[Piece] | None, points: Any
) -> Any:
    """The value at the place of a sum in the graph that is it.

    Args:
        pieces: the intervals of SciPy's, if they are known.
        points: where the user says that the integrand is not smooth.
    """
    sign = 1.0
    if bare(ends[0]) > bare(ends[1]):
        ends, sign = ends[::-1], -1.0
    best: Any = None
    near = max(float(np.max(np.abs(error))), 1e-9 * float(np.max(np.abs(value), initial=0.0)), 1e-13)
    for nodes in ways(call, f, ends, pieces, points):
        total = sign * added(call, f, nodes)
        with np.errstate(all="ignore"):
            off = float(np.max(np.abs(plain_array(total) - value), initial=0.0))
        if best is None or off < best[0] or not math.isfinite(best[0]):
            best = off, total
        if off <= near or not isinstance(total, Tensor):
            break
    off, total = best
    if isinstance(total, Tensor) and not off <= 100 * near:
        call.warn(
            f"the derivative of the integral is that of a sum which differs from it by {off:.3g} (the error "
            f"that SciPy tells is {float(np.max(error)):.3g}), and can't be trusted"
        )
    call.found(total)
    return standing_for(value, total)


def plain_array(value: Any) -> Any:
    return plain(value) if isinstance(value, Tensor) else value


Nodes = list[tuple[Any, Any]]  # points and their weights, as arrays; both may be traced


def ways(call: Call, f: Integrand, ends: Piece, pieces: list[Piece] | None, points: Any) -> Iterator[Nodes]:
    """The sums, the cheapest first."""
    if pieces is not None:
        yield within(ends, refined(call, f, bare(ends), pieces), gauss, gauss)
    low, high = ends
    between = [] if points is None else sorted(p for p in bare(points) if bare(low) < p < bare(high))
    marks = [low, *between, high]
    yield [nodes for pair in zip(marks, marks[1:], strict=False) for nodes in ending(*pair)]
    if pieces is not None and len(pieces) > 2:  # singular at an end, and not smooth in between
        first, *others, last = pieces
        yield within(ends, [first, *refined(call, f, bare(ends), others), last], ending, gauss)


Rule = Callable[[Any, Any], Nodes]


def within(ends: Piece, pieces: Sequence[Piece], outer: Rule, inner: Rule) -> Nodes:
    """The nodes in each interval: those of one rule in the first and the last, of another in the others."""
    (low, high), last = ends, len(pieces) - 1
    finite = math.isfinite(bare(low)) and math.isfinite(bare(high))
    found: Nodes = []
    for at, (left, right) in enumerate(pieces):
        a = low if finite and at == 0 else left
        b = high if finite and at == last else right
        for t, w in (outer if at in (0, last) else inner)(a, b):
            found += placed(ends, t, w)
    return found


def placed(ends: Piece, t: Any, w: Any) -> Nodes:
    """Nodes in the variable of the intervals as nodes of the integrand."""
    low, high = ends
    finite = math.isfinite(bare(low)), math.isfinite(bare(high))
    if all(finite):
        return [(t, w)]
    far, weights = (1.0 - t) / t, w / t**2
    if any(finite):
        return [(low + far if finite[0] else high - far, weights)]
    return [(far, weights), (-far, weights)]


@functools.cache  # NumPy finds them by eigenvalues, and traced while a function is: 7 ms for each interval
def legendre() -> Any:
    return bare(np.polynomial.legendre.leggauss(GAUSS))


def gauss(a: Any, b: Any) -> Nodes:
    places, weights = legendre()
    half, middle = 0.5 * (b - a), 0.5 * (b + a)
    return [(middle + half * places, half * weights)]


def refined(call: Call, f: Integrand, ends: Piece, pieces: list[Piece]) -> list[Piece]:
    """The intervals, halved as long as the sum on one is not that of its halves: around a bend or a jump.

    It stays with SciPy's where that has no end: the integrand is singular, or is computed with less digits.
    """
    found = sums(call, f, ends, pieces)
    size = 0.0 if found is None else float(np.max(np.sum(np.abs(found), axis=0), initial=0.0))
    if found is None or not math.isfinite(size):
        return pieces
    smooth, left = list[Piece](), list(zip(pieces, found, strict=True))
    for _ in range(HALVINGS):
        halves = [half for (a, b), _ in left for half in ((a, 0.5 * (a + b)), (0.5 * (a + b), b))]
        parts = sums(call, f, ends, halves)
        if parts is None:
            return pieces
        split = list[tuple[Piece, Any]]()
        for at, (piece, whole) in enumerate(left):
            pair = slice(2 * at, 2 * at + 2)
            if np.max(np.abs(whole - np.sum(parts[pair], axis=0)), initial=0.0) <= SMOOTH * size:
                smooth.append(piece)
            else:
                split += zip(halves[pair], parts[pair], strict=True)
        left = split
        if not left:
            return sorted(smooth)
        if len(smooth) + len(left) > len(pieces) + max(MORE, len(pieces)):
            return pieces
    return sorted([*smooth, *(piece for piece, _ in left)])


def sums(call: Call, f: Integrand, ends: Piece, pieces: Sequence[Piece]) -> np.ndarray | None:
    """Gauss's sum on each interval, plain; None if the integrand raises."""
    nodes = [node for a, b in pieces for rule in gauss(a, b) for node in placed(ends, *rule)]
    points, weights = (np.concatenate(part) for part in zip(*nodes, strict=True))
    at_once, values = takes_arrays(call, f, points), None
    with call.unknown_stores(), tried(), np.errstate(all="ignore"):
        values = np.array(bare(f(points)) if at_once else [bare(f(float(t))) for t in points])
    if values is None:
        return None
    parts = weights.reshape(-1, *(1,) * (values.ndim - 1)) * values
    return parts.reshape(len(pieces), len(points) // len(pieces), *values.shape[1:]).sum(axis=1)


def ending(low: Any, high: Any) -> Nodes:
    """Nodes that crowd at both ends, and never stand on them."""
    step = 1.0 / 16
    u = np.arange(-64, 65) * step
    bend, slope = 0.5 * np.pi * np.sinh(u), 0.5 * np.pi * np.cosh(u) * step
    finite = math.isfinite(bare(low)), math.isfinite(bare(high))
    if not any(finite):
        inner = np.abs(bend) < 300.0
        return [(np.sinh(bend[inner]), slope[inner] * np.cosh(bend[inner]))]
    if not all(finite):
        far = np.exp(bend)
        return [(low + far if finite[0] else high - far, slope * far)]
    share = 1.0 / (1.0 + np.exp(2.0 * np.abs(bend)))  # of the length, from the nearer end
    weight, found = 2.0 * slope * share * (1.0 - share), list[tuple[Any, Any]]()
    for half, end, length in ((u < 0, low, high - low), (u >= 0, high, low - high)):
        t = bare(end) + bare(length) * share[half]
        kept = (t > bare(low)) & (t < bare(high))
        moved, parts = share[half][kept], weight[half][kept]
        found.append((end + length * moved, (high - low) * parts))
    return found


# ----- the sum
def added(call: Call, f: Integrand, nodes: Nodes) -> Any:
    """The sum of the integrand over the nodes: at once, if it takes arrays, else one after the other."""
    points, weights = (joined(part) for part in zip(*nodes, strict=True))
    if takes_arrays(call, f, bare(points)):
        return run(np.sum, (f(points) * weights,), {})
    function = call.options[next(iter(call.options))]
    if is_compiled(function):
        at_once = function.through(weighted_sum, points, weights, call.args())
        if at_once is not None:
            return at_once
    every: Any = points
    single = python_number if isinstance(points, Tensor) else float
    total: Any = 0.0
    for at, weight in enumerate(weights):
        height = f(single(every[at]))
        height = traced_array(height) if isinstance(height, (list, tuple)) else height
        total = total + height * weight
    return total


def joined(parts: Sequence[Any]) -> Any:
    if any(isinstance(part, Tensor) for part in parts):
        return run(np.concatenate, (list(parts),), {})
    return np.concatenate(parts)  # plain: what is made of it is no tensor, with PyTorch's ways


def takes_arrays(call: Call, f: Integrand, points: np.ndarray) -> bool:
    """Whether the integrand of an array is that of its elements: tried on all, and on some of them alone."""
    same = False
    with call.unknown_stores(), tried(), np.errstate(all="ignore"):
        every = bare(f(points))
        if np.shape(every) == points.shape:
            some = range(0, len(points), max(1, len(points) // 7))
            alone = np.array([bare(f(float(points[i]))) for i in some], float)
            same = bool(np.allclose(alone, every[list(some)], rtol=1e-12, atol=0.0, equal_nan=True))
    return same
