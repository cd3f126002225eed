"""Does what was computed depend on what it should? The errors of ``strict`` in ``autograd.functional``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...eager.tensor import Tensor

Tensors = tuple[Any, ...]
FORBIDDEN = "This is not allowed in strict mode"

# What to say of a tensor without history among these, by the name of what it belongs to.
_WITHOUT_HISTORY = {
    "outputs": (
        "Output {} of the user-provided function does not require gradients. The outputs must be computed in "
        "a differentiable manner from the input when running in strict mode."
    ),
    "grad_inputs": (
        "The gradient with respect to input {} is independent of the inputs of the user-provided function. "
        f"{FORBIDDEN}."
    ),
    "jacobian": (
        "While computing the hessian, found that the jacobian of the user-provided function with respect to "
        "input {} is independent of the input. This is not allowed in strict mode. You should ensure that "
        "your function is twice differentiable and that the jacobian depends on the inputs (this would be "
        "violated by a linear function for example)."
    ),
    "hessian": (
        "The hessian of the user-provided function with respect to input {} is independent of the input. "
        "This is not allowed in strict mode. You should ensure that your function is thrice differentiable "
        "and that the hessian depends on the inputs."
    ),
}
# What to say of a missing gradient, by the stage of the computation.
_MISSING = {
    "back": f"The output of the user-provided function is independent of input {{}}. {FORBIDDEN}.",
    "back_trick": (
        "The gradient with respect to the input is independent of entry {} in the grad_outputs when using "
        f"the double backward trick to compute forward mode gradients. {FORBIDDEN}."
    ),
    "double_back": f"The jacobian of the user-provided function is independent of input {{}}. {FORBIDDEN}.",
    "double_back_trick": (
        "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. "
        f"{FORBIDDEN} as it prevents from using the double backward trick to replace forward mode AD."
    ),
}


def check(tensors: Tensors, what: str, strict: bool) -> None:
    """Refuse, if ``strict``, what is missing or has no history.

    Raises:
        RuntimeError: there is such a tensor.
    """
    if not strict:
        return
    for i, t in enumerate(tensors):
        if t is None:
            raise RuntimeError(_MISSING["back"].format(i))
        if not t.requires_grad:
            raise RuntimeError(_WITHOUT_HISTORY[what].format(i))


def _independent(what: str, i: int) -> RuntimeError:
    return RuntimeError(
        f"The {what} of the user-provided function is independent of input {i}. {FORBIDDEN} when "
        "create_graph=True."
    )


def filled(found: Tensors, refs: Tensors, strict: bool, create_graph: bool, stage: str) -> Tensors:
    """Gradients with zeros for those that are missing, which is an error if ``strict``."""
    out = []
    for i, (g, ref) in enumerate(zip(found, refs, strict=True)):
        if g is None:
            if strict:
                raise RuntimeError(_MISSING[stage].format(i))
            g = Tensor._of(np.zeros_like(ref._array))
        elif strict and create_graph and not g.requires_grad:
            raise _independent("hessian" if "double" in stage else "jacobian", i)
        out.append(g)
    return tuple(out)


def entry(g: Any, i: int, j: int, strict: bool, create_graph: bool) -> Any:
    """A row of the Jacobian of output ``i`` with respect to input ``j``, or None."""
    if g is None:
        if strict:
            raise RuntimeError(
                f"Output {i} of the user-provided function is independent of input {j}. {FORBIDDEN}."
            )
    elif strict and create_graph and not g.requires_grad:
        raise _independent("jacobian", i)
    return g
