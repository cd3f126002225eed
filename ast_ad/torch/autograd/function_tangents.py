"""How do tangents go through a ``Function`` with a ``jvp``? Its results start anew with what it returns."""

from __future__ import annotations

from typing import Any

from ...eager.saved import SavedVariable
from ...eager.tensor import Tensor

NOT_CHANGED = (
    "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is "
    "modifying an input inplace, then the jvp function must modify the corresponding gradient inplace."
)
NO_VIEW = (
    "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
)


def tangents_of(level: Any, args: tuple[Any, ...]) -> list[Any] | None:
    """The tangents of the arguments of a call, zeros and None where there is none; None if none has any."""
    unpacked = [level.unpack(a) if isinstance(a, Tensor) else None for a in args]
    if not any(pair is not None and pair.tangent is not None for pair in unpacked):
        return None
    return [None if pair is None else _materialized(a, pair) for a, pair in zip(args, unpacked, strict=True)]


def give_tangents(
    level: Any, node: Any, args: tuple[Any, ...], outputs: tuple[Any, ...], tangents: list[Any]
) -> None:
    """Give the outputs of a call the tangents that the Function's ``jvp`` returns for those of the arguments.

    Raises:
        RuntimeError: ``jvp`` returned too much, too little, or no tensors.
    """
    found = _called(level, node, tangents)
    results = found if isinstance(found, tuple) else (found,)
    if len(results) != len(outputs):
        raise RuntimeError(
            "Function's jvp returned an invalid number of forward gradients (expected "
            f"{len(outputs)} but got {len(results)})"
        )
    given = {id(a): t for a, t in zip(args, tangents, strict=True)}
    for i, (t, tangent) in enumerate(zip(outputs, results, strict=True)):
        _give(level, node, i, t, tangent, given)


def _materialized(a: Tensor, pair: Any) -> Any:
    if pair.tangent is not None or a._array.dtype.kind not in "fc":
        return pair.tangent
    return Tensor._of(a._array * 0)


def _called(level: Any, node: Any, tangents: list[Any]) -> Any:
    """What ``jvp`` returns. Of the saved tensors it sees those of ``save_for_forward``, without tangents."""
    kept, freed = node._saved_list, node._is_freed
    node._saved_list = tuple(SavedVariable(level.unpack(t).primal) for t in node.saved_for_forward or ())
    try:
        return node.apply_jvp(*tangents)
    finally:
        node._saved_list, node._is_freed = kept, freed


def _give(level: Any, node: Any, i: int, t: Any, tangent: Any, given: dict[int, Any]) -> None:
    """Let an output start anew with its tangent."""
    if tangent is not None and not isinstance(tangent, Tensor):
        raise RuntimeError(f"expected Variable or None (got {type(tangent).__name__}) for grad output {i}.")
    if not isinstance(t, Tensor) or t._array.dtype.kind not in "fc" or i in node._constant_outputs:
        if tangent is not None:
            raise RuntimeError(
                f"Function's jvp returned a gradient at position {i}, but  the corresponding forward output "
                "is not a differentiable Tensor.You should return None at that position instead."
            )
        return
    if id(t) in given and tangent is not given[id(t)]:
        raise RuntimeError(NOT_CHANGED)
    if t._view is not None and tangent is not None and not tangent._is_view():
        raise RuntimeError(NO_VIEW)
    level.start(t, tangent)
