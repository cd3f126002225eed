"""What are the Jacobians of a function at a point: by differences, and by its backward passes?

A Jacobian here has a row per element of an input and a column per element of an output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...eager.dtypes import Size, dtype_of
from ...eager.sweeps import grad
from ...eager.tensor import Tensor

Function = Callable[..., Any]


class GradcheckError(RuntimeError):
    """Gradients differ from what ``gradcheck`` expects."""


def close(a: Any, n: Any, rtol: float, atol: float) -> bool:
    """Whether ``a`` is near ``n``."""
    with np.errstate(all="ignore"):
        return bool(np.allclose(a, n, rtol, atol))


def shown(array: Any) -> Tensor:
    """An array as messages show it."""
    shown: Tensor = Tensor._of(np.asarray(array))
    return shown


def as_tuple(values: Any) -> tuple[Any, ...]:
    """Several values as a tuple, also if there is but one."""
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)


def differentiated(inputs: Sequence[Any]) -> list[Any]:
    """The tensors that require grad."""
    return [t for t in inputs if isinstance(t, Tensor) and t.requires_grad]


def numerical_jacobians(
    fn: Function, inputs: tuple[Any, ...], target: Sequence[Any], eps: float
) -> list[list[np.ndarray]]:
    """For each tensor of ``target`` that requires grad, the Jacobians of all outputs by central differences.

    With respect to complex inputs: the conjugate Wirtinger derivatives, times 2.

    Raises:
        ValueError: a complex output.
        AssertionError: a shape or a dtype of the outputs that changes with the input.
    """
    outputs = as_tuple(fn(*inputs))
    if any(o._array.dtype.kind == "c" for o in outputs):
        raise ValueError(
            "Expected output to be non-complex. get_numerical_jacobian no longer supports functions that "
            "return complex outputs."
        )
    found = []
    for t in differentiated(target):
        a = t._array
        kind = [a.dtype if a.dtype.kind == "c" else o._array.dtype for o in outputs]
        jacobians = [np.zeros((a.size, o._array.size), dtype) for o, dtype in zip(outputs, kind, strict=True)]
        for row, place in enumerate(np.ndindex(a.shape)):
            for jacobian, column in zip(jacobians, _differences(fn, inputs, a, place, eps), strict=True):
                jacobian[row] = column
        found.append(jacobians)
    return found


def _differences(
    fn: Function, inputs: tuple[Any, ...], a: np.ndarray, place: Any, eps: float
) -> list[np.ndarray]:
    """The derivatives of the outputs with respect to one element of ``a``, the array of an input."""
    along = _central(fn, inputs, a, place, eps, eps)
    if a.dtype.kind != "c":
        return along
    across = _central(fn, inputs, a, place, eps * 1j, eps)
    return [x + y * 1j for x, y in zip(along, across, strict=True)]


def directional_differences(
    fn: Function, inputs: tuple[Any, ...], a: np.ndarray, direction: Any, eps: float
) -> list[np.ndarray]:
    """The derivatives of the outputs along a direction: of a complex input a pair, real and imaginary."""
    if not isinstance(direction, tuple):
        return _central(fn, inputs, a, ..., eps * direction.reshape(a.shape), eps)
    along, across = (part.reshape(a.shape) for part in direction)
    return [
        x + y * 1j
        for x, y in zip(
            _central(fn, inputs, a, ..., eps * along, eps),
            _central(fn, inputs, a, ..., eps * 1j * across, eps),
            strict=True,
        )
    ]


def _central(
    fn: Function, inputs: tuple[Any, ...], a: np.ndarray, place: Any, step: Any, eps: float
) -> list[np.ndarray]:
    """``(fn(x + step) - fn(x - step)) / (2 eps)``, where ``x`` is ``a[place]``; it is restored."""
    before = np.array(a[place])
    try:
        a[place] = before - step
        low = _arrays(fn, inputs)
        a[place] = before + step
        high = _arrays(fn, inputs)
    finally:
        a[place] = before
    out = []
    with np.errstate(all="ignore"):
        for x, y in zip(low, high, strict=True):
            _same_kind(x, y, "" if place is ... else f"on index {place} ", eps)
            out.append(((y - x) / (2 * eps)).reshape(-1))
    return out


def _arrays(fn: Function, inputs: tuple[Any, ...]) -> list[np.ndarray]:
    return [np.array(o._array) for o in as_tuple(fn(*inputs))]


def _same_kind(x: np.ndarray, y: np.ndarray, where: str, eps: float) -> None:
    for what, a, b in (
        ("shape", Size(x.shape), Size(y.shape)),
        ("dtype", dtype_of(x.dtype), dtype_of(y.dtype)),
    ):
        if a != b:
            raise AssertionError(
                f"Expected `func` to return outputs with the same {what} when inputs are perturbed {where}by "
                f"{eps}, but got: {what}s {a} and {b}."
            )


def analytical_jacobians(inputs: Sequence[Any], output: Tensor) -> tuple[list[np.ndarray], bool]:
    """The Jacobians of one output with respect to each input that requires grad, by backward passes.

    Also whether the gradients have the dtypes of the inputs.
    """
    wanted = differentiated(inputs)
    a = output._array
    jacobians = [np.zeros((t._array.size, a.size), t._array.dtype) for t in wanted]
    right = True
    for column in range(a.size):
        seed = np.zeros(a.size, a.dtype)
        seed[column] = 1
        for t, jacobian, g in zip(wanted, jacobians, pulled(output, wanted, seed), strict=True):
            if g is not None:
                right = right and g.dtype == t._array.dtype
                jacobian[:, column] = g.reshape(-1)
    return jacobians, right


def pulled(output: Tensor, wanted: Sequence[Any], seed: np.ndarray) -> list[Any]:
    """The gradients of ``wanted`` for a gradient of ``output``: arrays, or None."""
    given = Tensor._of(seed.reshape(output._array.shape))
    found = grad(output, wanted, given, retain_graph=True, allow_unused=True)
    return [None if g is None else g._array for g in found]
