"""What may rounding do to the results of a program? Its text is run with numbers that are a bit off.

Each float among the arguments is moved by a unit in the last place, up or down; in further runs each that
arithmetic computes, too: kernels add up in another order and have functions of their own. A state that
settles forgets where it began, and goes on to round. Of these runs those tell nothing that take another path
than the one in which nothing is moved: where rounding decides about an index, anything may come out.

`spread` is the entry, for the results that kernels and NumPy disagree about.
"""

from __future__ import annotations

import operator
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...compiler.ir.ops import Op, reads
from ...compiler.ir.types import dtype_of
from ...trees import flatten

RUNS = 2
ROUNDED = {
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.matmul,
    np.add, np.subtract, np.multiply, np.divide, np.power, np.float_power, np.matmul,
    np.sum, np.mean, np.prod, np.cumsum, np.dot, np.outer,
    np.sqrt, np.cbrt, np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.logaddexp,
    np.logaddexp2, np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.arctan2, np.hypot,
    np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh,
}  # fmt: skip
"""Operations whose results are new numbers, rounded: those of selections and views are exact."""


class Noise:
    """What the text of a program tells in a run: its numbers, to be moved, and which way it goes."""

    def __init__(self, seed: int | None) -> None:
        self.numbers = None if seed is None else np.random.default_rng(seed)
        self.path = 0  # a checksum of all that was decided

    def moved(self, value: Any, whole: bool = False) -> Any:
        """A float or an array of floats, each larger or smaller by a unit; an array is changed where it is.

        ``whole``: whether whole numbers are moved, too, which arithmetic may give exactly.
        """
        if self.numbers is None:
            return value
        if isinstance(value, np.ndarray):
            for part in (value.real, value.imag) if value.dtype.kind == "c" else (value,):
                if part.dtype.kind == "f":
                    np.copyto(part, self.apart(part, whole))
            return value
        if isinstance(value, (complex, np.complexfloating)):
            return type(value)(complex(self.apart(value.real, whole), self.apart(value.imag, whole)))
        return type(value)(self.apart(value, whole)) if isinstance(value, (float, np.floating)) else value

    def apart(self, value: Any, whole: bool) -> Any:
        assert self.numbers is not None
        up = self.numbers.random(np.shape(value)) < 0.5
        found = np.nextafter(value, np.where(up, np.inf, -np.inf).astype(np.result_type(value)))
        return found if whole else np.where(value == np.rint(value), value, found)

    def decided(self, value: Any) -> None:
        """What a comparison or a conversion to an int gave."""
        told = value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode()
        self.path = zlib.crc32(told, self.path)


def decides(op: Op) -> bool:
    """Whether an operation makes truth values or integers from floats."""
    found = [dtype_of(out.type) for out in op.outs]
    given = [dtype_of(v.type) for v in reads(op)]
    return any(d is not None and d.kind in "biu" for d in found) and any(
        d is not None and d.kind in "fc" for d in given
    )


def spread(
    run: Callable[[Sequence[Any], Noise], Sequence[Any] | None], inputs: Sequence[Any]
) -> list[Sequence[Any]]:
    """The results of runs that round otherwise, of those that go the same way.

    Args:
        run: from inputs, and what its text tells to, to results; None where it fails.
        inputs: the program's.
    """
    way = Noise(None)
    first, again = run(inputs, way), run(inputs, Noise(None))
    if first is None or again is None or not _identical(first, again):
        return []  # it reads what was never written, and what that happens to be is no rounding
    found = []
    for seed in range(RUNS):
        noise = Noise(seed)
        moved = [noise.moved(v.copy() if isinstance(v, np.ndarray) else v, whole=True) for v in inputs]
        calm = Noise(None)
        for told in (calm, noise):
            results = run(moved, told)
            if results is not None and told.path == way.path:
                found.append(results)
    return found


def _identical(first: Sequence[Any], again: Sequence[Any]) -> bool:
    pairs = zip(flatten(list(first))[0], flatten(list(again))[0], strict=True)
    return all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in pairs)
