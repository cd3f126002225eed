"""What must hold of gradients beside their values? Linearity, batches, and outputs without a gradient."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...eager.node import Node, next_number
from ...eager.sweeps import grad
from ...eager.tensor import Tensor
from ...eager.views import edge_of
from .jacobians import GradcheckError, as_tuple, close, differentiated, pulled, shown

BATCHED = "gradcheck or gradgradcheck failed while testing batched gradient computation."


def check_linear(inputs: tuple[Any, ...], outputs: Sequence[Tensor]) -> None:
    """Gradients for zero gradients of the outputs are zero."""
    if not outputs:
        return
    zeros = [Tensor._of(np.zeros_like(o._array)) for o in outputs]
    wanted = differentiated(inputs)
    for g, t in zip(grad(outputs, wanted, zeros, allow_unused=True), wanted, strict=True):
        if g is None:
            continue
        if not (g._array == 0).all():
            raise GradcheckError("backward not multiplied by grad_output")
        if g._array.dtype != t._array.dtype:
            raise GradcheckError("grad is incorrect type")
        if g._array.shape != t._array.shape:
            raise GradcheckError("grad is incorrect size")


def check_batched(inputs: tuple[Any, ...], output: Tensor, i: int) -> None:
    """Gradients sent back together are those sent back one by one."""
    wanted = differentiated(inputs)
    random = np.random.default_rng()
    a = output._array
    seeds = [random.standard_normal(a.shape).astype(a.dtype) for _ in range(2)]
    single = [pulled(output, wanted, seed) for seed in seeds]
    stacked = Tensor._of(np.stack(seeds))
    try:
        together = grad(output, wanted, stacked, retain_graph=True, allow_unused=True, is_grads_batched=True)
    except RuntimeError as error:
        raise GradcheckError(f"While computing batched gradients, got: {error}\n\n{BATCHED}") from error
    for j, (found, parts) in enumerate(zip(together, zip(*single, strict=True), strict=True)):
        if found is None or parts[0] is None:
            continue
        expected = np.stack(parts)
        if not close(found._array, expected, 1e-5, 1e-8):
            raise GradcheckError(
                f"For output {i} and input {j}:\n\n{BATCHED}\n\nGot:\n{found}\n\nExpected:\n{shown(expected)}"
            )


class UndefinedGrad(Node):
    """Passes no gradient on, whatever it gets."""

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        return (None,)


def _without_gradient(t: Tensor) -> Tensor:
    """The same tensor, but its gradient is lost on the way to it."""
    node = UndefinedGrad()
    node._number, node._meta = next_number(), (t._array.shape, t._array.dtype)
    node._edges = node._live = (edge_of(t),)
    found: Tensor = Tensor._of(t._array)
    found._node, found._requires_grad = node, True
    return found


def check_undefined(func: Any, inputs: tuple[Any, ...]) -> None:
    """Outputs without a gradient count as if it were zero: all of them, or one at a time."""
    n = len(differentiated(as_tuple(func(*inputs))))
    for lost in [set(range(n)), *({i} for i in range(n) if n > 1)]:
        outputs = differentiated(as_tuple(func(*inputs)))
        _check_lost([_without_gradient(o) if i in lost else o for i, o in enumerate(outputs)], inputs)


def _check_lost(outputs: Sequence[Tensor], inputs: tuple[Any, ...]) -> None:
    if not outputs:
        return
    zeros = [Tensor._of(np.zeros_like(o._array)) for o in outputs]
    try:
        found = grad(outputs, differentiated(inputs), zeros, allow_unused=True)
    except RuntimeError as error:
        _warn_undefined()
        raise GradcheckError(
            'Expected backward function to handle undefined output grads. Please look at "Notes about '
            'undefined output gradients" in "tools/autograd/derivatives.yaml"'
        ) from error
    if any(g is not None and not (g._array == 0).all() for g in found):
        _warn_undefined()
        raise GradcheckError(
            "Expected all input grads to be undefined or zero when all output grads are undefined or zero. "
            "Please "
            'look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
        )


def _warn_undefined() -> None:
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but "
        "it may break existing callers of this function. If this is true for you, you can call this function "
        "with "
        '"check_undefined_grad=False" to disable the feature',
        stacklevel=6,
    )
