"""Integers of few bits, without a sign, and booleans: arguments of functions that compute with floats."""

from __future__ import annotations

from ..author import Author
from .registry import form

SCALARS = "np.uint8(200)", "np.uint8(3)", "np.int8(-100)", "np.uint64(2)", "np.int16(300)", "np.bool_(True)"
OF_TWO = (
    "np.arctan2({f}, {k})",
    "np.arctan2({k}, {f} + 3.0)",
    "np.hypot({f}, {k})",
    "np.logaddexp({f}, {k})",
    "np.abs({f}) ** ({k} % 3)",
    "({f} + 2.5) / ({k} + {k})",
    "{f} * -({k} * 1.0)",
    "math.atan2({f}, {k})",
    "np.interp({f} * 100.0, np.array([0, 100, 200], np.uint8), np.array([200, 10, 90], np.uint8))",
)
TABLES = (
    "np.roll({x}, np.uint8(3))[0]",
    "np.roll({x}, np.array([1, 2], np.uint8), axis=(0, 0))[0]",
    "np.sum(np.take({x}, [True, False, True]) * {f})",
    "np.sum(np.bincount(np.array([0, 1, 0], np.uint8), weights={x}[:1] * np.ones(3)) ** 2)",
    "np.sum(np.gradient(np.ones(3) * {f}, np.array([3, 200, 210], np.uint8)))",
    "np.trace(np.outer({x}, {x}), np.uint8(1))",
    "np.sum({x}[np.array([0, 0], np.uint8)] ** 2)",
)


@form("float", 0.8)
def narrow_integer(a: Author, depth: int) -> str:
    way = a.pick(OF_TWO)
    return f"({way.format(f=a.float(depth - 1), k=a.pick(SCALARS))})"


@form("float", 0.6)
def narrow_places(a: Author, depth: int) -> str:
    seen = a.array(1, least=1)
    return a.pick(TABLES).format(x=a.vector(seen, depth - 1), f=a.float(depth - 1))
