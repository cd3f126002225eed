"""How does a user ask for gradients? ``backward`` accumulates them in leaves, ``grad`` returns them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from . import doors
from .engine import execute
from .operations.creation import stack_tensors
from .saved import linked
from .tensor import Tensor
from .views import edge_of
from .warn_once import warn_once

Tensors = Any
CREATE_GRAPH = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
    "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to "
    "avoid "
    "this. If you have to use this function, make sure to reset the .grad fields of your parameters to None "
    "after use to break the cycle and avoid the leak."
)


class GradientEdge(NamedTuple):
    """Where a gradient goes: an output (number) of a node. It stands for a tensor in ``autograd.grad``."""

    node: Any
    output_nr: int
    ownership_token: Any = None


def backward(
    tensors: Tensors,
    grad_tensors: Tensors = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Tensors = None,
    inputs: Tensors = None,
) -> None:
    """Compute the gradients of ``tensors`` and add them to the ``grad`` of the leaves they depend on.

    Args:
        tensors: a tensor or several, the ends from which the sweep starts.
        grad_tensors: the gradients there, of the same shapes; None stands for 1 where there is one element.
        retain_graph: keep what the graph has saved; by default what ``create_graph`` says.
        create_graph: record the sweep, for derivatives of higher order.
        inputs: accumulate in these tensors only.

    Raises:
        RuntimeError: an end without a graph, a missing or misshapen gradient, a graph that was freed.

    >>> import ast_ad
    >>> x = ast_ad.tensor([1.0, 2.0], requires_grad=True)
    >>> backward((x**2).sum())
    >>> x.grad
    tensor([2., 4.])
    """
    if grad_variables is not None:
        text = "`grad_variables` is deprecated. Use `grad_tensors` instead."
        warnings.warn(text, FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
                "Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    if inputs is not None and not isinstance(inputs, (Tensor, GradientEdge)) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    ends = _as_tuple(tensors)
    roots = starting(ends, _gradients(grad_tensors, len(ends)))
    keep = create_graph if retain_graph is None else retain_graph
    if create_graph:
        warn_once(CREATE_GRAPH)
    if inputs is None:
        execute(roots, keep, create_graph)
        return
    named = _several(inputs)
    edges = _targets(_as_tuple(named))
    for t in named:
        if isinstance(t, Tensor):
            t.retain_grad()
    execute(roots, keep, create_graph, ends=edges)


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Tensors = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The gradients of ``outputs`` with respect to ``inputs``, one each; no ``grad`` is touched.

    Args:
        outputs: a tensor or several.
        inputs: a tensor or several, leaves or not.
        grad_outputs: the gradients of the outputs, as ``grad_tensors`` of ``backward``.
        retain_graph, create_graph: as in ``backward``.
        allow_unused: return None for inputs that the outputs don't depend on, instead of an error.
        is_grads_batched: the first axis of ``grad_outputs`` counts gradients to be sent back one by one.
        materialize_grads: return zeros instead of None.

    Raises:
        RuntimeError: an input without ``requires_grad`` or without influence, and all that ``backward``
        raises.

    >>> import ast_ad
    >>> x = ast_ad.tensor(3.0, requires_grad=True)
    >>> grad(x**2, x)
    (tensor(6.),)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    allow_unused = bool(materialize_grads) if allow_unused is None else allow_unused
    if isinstance(inputs, dict):
        values = grad(
            outputs, tuple(inputs.values()), grad_outputs, retain_graph, create_graph, only_inputs,
            allow_unused, is_grads_batched, materialize_grads,
        )  # fmt: skip
        return dict(zip(inputs, values, strict=True))  # type: ignore[return-value]
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate "
            "gradient for other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    keep = create_graph if retain_graph is None else retain_graph
    return _returned(
        outputs, inputs, grad_outputs, keep, create_graph, allow_unused, is_grads_batched, materialize_grads
    )


def _returned(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Tensors,
    keep: bool,
    create_graph: bool,
    allow_unused: bool,
    is_grads_batched: bool,
    materialize_grads: bool,
) -> tuple[Any, ...]:
    """What ``grad`` returns, once its options are settled."""
    named = _several(inputs)
    ends, into = _as_tuple(outputs), _as_tuple(named)
    if not into:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    given = _gradients(grad_outputs, len(ends))
    if is_grads_batched:
        return _batched(ends, into, given, keep, create_graph, allow_unused, materialize_grads)
    roots = starting(ends, given)
    edges = _targets(into)
    found = execute(roots, keep, create_graph, edges) or {}
    for t, edge in zip(named, edges, strict=True):
        if materialize_grads and edge not in found and isinstance(t, GradientEdge):
            raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    return tuple(
        _result(found.get(edge), t, i, create_graph, allow_unused, materialize_grads)
        for i, (edge, t) in enumerate(zip(edges, into, strict=True))
    )


def _result(g: Any, t: Tensor, i: int, graph: bool, allow_unused: bool, materialize: bool) -> Any:
    if g is None:
        if materialize:
            zeros: Tensor = Tensor._of(np.zeros_like(t._array))
            zeros._requires_grad = graph
            return zeros
        if not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
        return None
    if graph:
        return g
    plain = g.flags.writeable and min(g.strides, default=0) >= 0  # no tensor lies backwards in memory
    return Tensor._of(g if plain else g.copy())


def _batched(
    ends: Any, into: Any, given: Any, keep: bool, graph: bool, allow_unused: bool, materialize: bool
) -> tuple[Any, ...]:
    """The gradients for each entry of the first axis of ``given``, stacked."""
    for g, end in zip(given, ends, strict=True):
        if g is not None and g._array.shape[1:] != end._array.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the "
                "batch dimension. The sizes of the remaining dimensions are expected to match the shape of "
                f"corresponding output, but a mismatch was detected: grad_output[0] has a shape of {g.shape} "
                f"and output[0] has a shape of {end.shape}."
            )
    n = next(len(g) for g in given if g is not None)
    rows = [
        grad(
            ends,
            into,
            [None if g is None else g[i] for g in given],
            keep or i < n - 1,
            graph,
            True,
            allow_unused,
            False,
            materialize,
        )
        for i in range(n)
    ]
    return tuple(None if column[0] is None else stack_tensors(column) for column in zip(*rows, strict=True))


def starting(ends: Sequence[Tensor], given: Sequence[Any]) -> list[tuple[Any, int, Any]]:
    """The nodes from which a sweep starts, with the gradients there."""
    for g in given:
        if g is not None and not isinstance(g, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    if len(given) != len(ends):
        raise RuntimeError(f"got {len(ends)} tensors and {len(given)} gradients")
    roots = []
    for i, (end, g) in enumerate(zip(ends, given, strict=True)):
        seed = _seed(end, g, i)
        node, nr = edge_of(end)
        if node is None:
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
        roots.append((node, nr, seed))
    return roots


def _seed(end: Tensor, g: Any, i: int) -> Tensor:
    array = end._array
    if g is None:
        if end.requires_grad:
            if array.size != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            if array.dtype.kind == "c":
                raise RuntimeError(
                    f"grad can be implicitly created only for real scalar outputs but got {end.dtype}"
                )
        return Tensor._of(np.ones_like(array))
    if g._array.shape != array.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a shape of "
            f"{end.shape}."
        )
    if (g._array.dtype.kind == "c") != (array.dtype.kind == "c"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch "
            f"in dtype: grad_output[{i}] has a dtype of {g.dtype} and output[{i}] has a dtype of {end.dtype}."
        )
    return g if g._array.dtype == array.dtype else g.to(end.dtype)


def _targets(into: Sequence[Any]) -> list[Any]:
    edges = []
    for t in into:
        if not isinstance(t, Tensor):
            raise TypeError(f"expected a Tensor among the inputs, but got {type(t).__name__}")
        edge = edge_of(t)
        if edge[0] is None:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        edges.append(edge)
    return edges


def _several(tensors: Tensors) -> tuple[Any, ...]:
    return (tensors,) if isinstance(tensors, (Tensor, GradientEdge)) else tuple(tensors)


def _as_tuple(tensors: Tensors) -> tuple[Any, ...]:
    return tuple(_stand_in(t) if isinstance(t, GradientEdge) else t for t in _several(tensors))


def _stand_in(edge: GradientEdge) -> Tensor:
    """A tensor with the shape, the dtype and the history of the one that an edge stands for."""
    node: Any = edge.node
    nr = edge.output_nr
    shape, dtype = node._meta_of(nr)
    stand_in: Tensor = linked(Tensor._of(np.broadcast_to(np.zeros((), dtype), shape)), (node, nr))
    return stand_in


def _gradients(given: Tensors, n: int) -> tuple[Any, ...]:
    if given is None:
        return (None,) * n
    if isinstance(given, Tensor):
        return (given,)
    if isinstance(given, (int, float)):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(given).__name__}")
    return tuple(given)


def _calculate_shape(output: Any, grad: Any, is_grads_batched: bool) -> tuple[Any, Any]:
    """The shapes of an output and of its gradient, the latter without the axis that counts gradients."""
    node: Any = output.node if isinstance(output, GradientEdge) else None
    shape = output.shape if node is None else node._meta_of(output.output_nr)[0]
    return shape, grad.shape[1:] if is_grads_batched else grad.shape


doors.backward = backward
