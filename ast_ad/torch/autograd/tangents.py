"""Are tangents right? They are compared with differences of the function's values along directions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...eager.tensor import Tensor
from .forward_ad import dual_level, make_dual, unpack_dual
from .jacobians import GradcheckError, as_tuple, close, directional_differences, shown


def check_tangents(
    func: Callable[..., Any],
    inputs: Sequence[Any],
    eps: float,
    rtol: float,
    atol: float,
    fast_mode: bool,
) -> None:
    """Compare the tangents of all outputs for directions of each input that requires grad.

    Args:
        func, inputs, eps, rtol, atol: as for ``gradcheck``.
        fast_mode: one random direction per input, not every element (of complex inputs both its parts).

    Raises:
        GradcheckError: a tangent differs.
    """
    which = [i for i, t in enumerate(inputs) if isinstance(t, Tensor) and t.requires_grad]
    for number, i in enumerate(which):
        x = inputs[i]._array
        for direction in _directions(x, fast_mode):
            expected = _differences(func, inputs, x, direction, eps)
            found = _tangents(func, inputs, which, i, direction)
            for k, (a, n) in enumerate(zip(found, expected, strict=True)):
                if not close(a, n, rtol, atol):
                    raise GradcheckError(
                        f"Jacobian computed with forward mode mismatch for output {k} with respect to input "
                        f"{number},\nnumerical:{shown(n)}\nanalytical:{shown(a)}\n"
                    )


def _directions(x: np.ndarray, fast_mode: bool) -> Iterator[np.ndarray]:
    """Arrays like ``x``: each with a single element that is not zero, or one of random numbers."""
    if fast_mode:
        random = np.random.default_rng(0)
        v = random.random(x.shape)
        yield (v + 1j * random.random(x.shape) if x.dtype.kind == "c" else v).astype(x.dtype)
        return
    for place in np.ndindex(x.shape):
        for step in (1, 1j) if x.dtype.kind == "c" else (1,):
            v = np.zeros_like(x)
            v[place] = step
            yield v


def _differences(
    func: Callable[..., Any], inputs: Sequence[Any], x: np.ndarray, direction: np.ndarray, eps: float
) -> list[np.ndarray]:
    return directional_differences(func, tuple(inputs), x, direction, eps)


def _tangents(
    func: Callable[..., Any], inputs: Sequence[Any], which: Sequence[int], i: int, direction: np.ndarray
) -> list[np.ndarray]:
    """The tangents of the outputs for a direction of one input; the others have the direction zero."""
    with dual_level():
        duals = list(inputs)
        for j in which:
            v = direction if j == i else np.zeros_like(inputs[j]._array)
            duals[j] = make_dual(inputs[j].detach(), Tensor._of(v))
        found = []
        for out in as_tuple(func(*duals)):
            tangent = unpack_dual(out).tangent
            array = np.zeros_like(out._array) if tangent is None else tangent._array
            found.append(array.reshape(-1))
    return found
