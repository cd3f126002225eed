"""What are the Jacobian and the Hessian of a function of tensors, and their products with vectors?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from ...eager.modes import enable_grad, set_grad_enabled
from ...eager.operations.creation import stack_tensors
from ...eager.state import state
from ...eager.sweeps import grad
from ...eager.tensor import Tensor
from . import strictness

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors = tuple[Any, ...]
OUTPUTS = "outputs of the user-provided function"
NO_VECTOR_FOR_OUTPUT = (
    "The vector v can only be None if the user-provided function returns a single Tensor with a single "
    "element."
)
NO_VECTOR_FOR_INPUT = (
    "The vector v can only be None if the input to the user-provided function is a single Tensor with a "
    "single element."
)


# ----- tensors in and out


def _tuple_of(values: Any, what: str, fn: str) -> tuple[bool, Tensors]:
    """Whether ``values`` is a tuple, and the values as one."""
    several = isinstance(values, tuple)
    items = values if several else (values,)
    for i, item in enumerate(items):
        if not isinstance(item, Tensor):
            which = f"value at index {i}" if several else f"given {what}"
            raise TypeError(
                f"The {what} given to {fn} must be either a Tensor or a tuple of Tensors but the {which} has "
                f"type {type(item)}."
            )
    return several, items


def _fresh(tensors: Tensors, create_graph: bool, requires_grad: bool) -> Tensors:
    """Other tensors on the same memory: the function may use the very inputs elsewhere."""
    return tuple(
        t.view_as(t) if create_graph and t.requires_grad else t.detach().requires_grad_(requires_grad)
        for t in tensors
    )


def _result(tensors: Any, create_graph: bool) -> Any:
    """Tensors, also in nested tuples, without history unless that was asked for."""
    if create_graph:
        return tensors
    if isinstance(tensors, Tensor):
        return tensors.detach()
    return tuple(_result(item, create_graph) for item in tensors)


def _unpacked(tensors: Tensors, several: bool) -> Any:
    return tensors if several else tensors[0]


def _vector(
    v: Any, like: Tensors, several: bool, fn: str, create_graph: bool, missing: str
) -> Tensors | None:
    """The vector of a product, checked against what it is multiplied with."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(missing)
        return None
    _, items = _tuple_of(v, "v", fn)
    items = _fresh(items, create_graph, False)
    if len(items) != len(like):
        if several:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(items)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (t, other) in enumerate(zip(items, like, strict=True)):
        if t.shape != other.shape:
            entry = f"Entry {i} in " if several else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {other.shape} but got {t.shape}.")
    return items


def _gradients(
    outputs: Sequence[Any],
    inputs: Tensors,
    v: Sequence[Any] | None,
    create_graph: bool,
    keep: bool | None = None,
) -> Tensors:
    """As ``autograd.grad``, but outputs may be None or have no history; None where there is no influence."""
    seeds = (None,) * len(outputs) if v is None else v
    pairs = [(o, g) for o, g in zip(outputs, seeds, strict=True) if o is not None and o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    ends, given = zip(*pairs, strict=True)
    return grad(ends, inputs, given, keep, create_graph, allow_unused=True)


def _zeros(t: Any, requires_grad: bool = False) -> Any:
    zeros = Tensor._of(np.zeros_like(t._array))
    zeros._requires_grad = requires_grad
    return zeros


def _single(func: Any, inputs: Tensors, fn: str, strict: bool) -> Tensors:
    """The output of a function that has to return one number."""
    several, outputs = _tuple_of(func(*inputs), OUTPUTS, fn)
    strictness.check(outputs, "outputs", strict)
    if several:
        raise RuntimeError(f"The function given to {fn} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {fn} should contain a single element"
        )
    return outputs


# ----- products of the Jacobian with a vector


def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The output of ``func``, and the product of a vector with its Jacobian.

    Args:
        func: takes tensors, returns a tensor or a tuple of them.
        inputs: a tensor or a tuple of them.
        v: the vector, of the shapes of the outputs; by default 1 for an output of one element.
        create_graph: let the results be differentiable.
        strict: an output that does not depend on an input is an error.

    Raises:
        RuntimeError: a vector that is missing or of another shape; a finding of ``strict``.
        TypeError: what is no tensor.

    >>> import ast_ad
    >>> vjp(lambda x: x * x, ast_ad.tensor([1.0, 2.0]), ast_ad.ones(2))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    with enable_grad():
        several, xs = _tuple_of(inputs, "inputs", "vjp")
        xs = _fresh(xs, create_graph, True)
        several_out, outputs = _tuple_of(func(*xs), OUTPUTS, "vjp")
        strictness.check(outputs, "outputs", strict)
        given = _vector(v, outputs, several_out, "vjp", create_graph, NO_VECTOR_FOR_OUTPUT)
    with set_grad_enabled(create_graph or state.grad):
        found = _gradients(outputs, xs, given, create_graph)
        found = strictness.filled(found, xs, strict, create_graph, "back")
    return (
        _unpacked(_result(outputs, create_graph), several_out),
        _unpacked(_result(found, create_graph), several),
    )


def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The output of ``func``, and the product of its Jacobian with a vector, by two backward passes.

    Args:
        func: takes tensors, returns a tensor or a tuple of them.
        inputs: a tensor or a tuple of them.
        v: the vector, of the shapes of the inputs; by default 1 for an input of one element.
        create_graph: let the results be differentiable.
        strict: an output that does not depend on an input is an error.

    Raises:
        RuntimeError: a vector that is missing or of another shape; a finding of ``strict``.
        TypeError: what is no tensor.

    >>> import ast_ad
    >>> jvp(lambda x: x * x, ast_ad.tensor([1.0, 2.0]), ast_ad.ones(2))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    with enable_grad():
        several, xs = _tuple_of(inputs, "inputs", "jvp")
        xs = _fresh(xs, create_graph, True)
        given = _vector(v, xs, several, "jvp", create_graph, NO_VECTOR_FOR_INPUT)
        several_out, outputs = _tuple_of(func(*xs), OUTPUTS, "jvp")
        strictness.check(outputs, "outputs", strict)
        # A backward pass is linear in what it starts from: its derivative is the product that is looked for.
        seeds = tuple(_zeros(o, True) for o in outputs)
        gradients = _gradients(outputs, xs, seeds, True)
        strictness.check(gradients, "grad_inputs", strict)
    with set_grad_enabled(create_graph or state.grad):
        found = _gradients(gradients, seeds, given, create_graph)
        found = strictness.filled(found, outputs, strict, create_graph, "back_trick")
    return (
        _unpacked(_result(outputs, create_graph), several_out),
        _unpacked(_result(found, create_graph), several_out),
    )


# ----- whole Jacobians and Hessians


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of ``func``: a tensor of the shape of the output followed by that of the input.

    Of several outputs a tuple, of several inputs a tuple (in that).

    Args:
        func: takes tensors, returns a tensor or a tuple of them.
        inputs: a tensor or a tuple of them.
        create_graph: let the Jacobian be differentiable.
        strict: an output that does not depend on an input is an error.
        vectorize, strategy: accepted; one backward pass per element of the outputs is made in any case.

    Raises:
        RuntimeError: a finding of ``strict``, or ``strict`` with ``vectorize``.
        TypeError: what is no tensor.

    >>> import ast_ad
    >>> jacobian(lambda x: x * x, ast_ad.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    _check_strategy(create_graph, strict, vectorize, strategy)
    with enable_grad():
        several, xs = _tuple_of(inputs, "inputs", "jacobian")
        xs = _fresh(xs, create_graph, True)
        several_out, outputs = _tuple_of(func(*xs), OUTPUTS, "jacobian")
        strictness.check(outputs, "outputs", strict)
        if vectorize and strict:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported "
                "together. Please either set `strict=False` or `vectorize=False`."
            )
        if not vectorize:
            _refuse_complex(outputs)
        rows = tuple(_blocks(o, i, xs, create_graph, strict) for i, o in enumerate(outputs))
    found = tuple(_unpacked(row, several) for row in _result(rows, create_graph))
    return _unpacked(found, several_out)


def _refuse_complex(outputs: Tensors) -> None:
    for o in outputs:
        if o._array.dtype.kind == "c" and o.numel():
            text = "grad can be implicitly created only for real scalar outputs but got"
            raise RuntimeError(f"{text} {o.dtype}")


def _check_strategy(create_graph: bool, strict: bool, vectorize: bool, strategy: str) -> None:
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has '
            'more outputs than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use '
            '"reverse-mode".'
        )
    if strategy == "reverse-mode":
        return
    advice = 'are not supported together (yet). Please either set `{}=False` or `strategy="reverse-mode"`.'
    if create_graph:
        raise NotImplementedError(
            'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` '
            + advice.format("create_graph")
        )
    if strict:
        raise RuntimeError(
            'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` '
            + advice.format("strict")
        )
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`."
        )


def _blocks(output: Any, i: int, xs: Tensors, create_graph: bool, strict: bool) -> Tensors:
    """The Jacobians of one output with respect to each input."""
    rows: list[list[Any]] = [[] for _ in xs]
    for n in range(output.numel()):
        found = _gradients((output,), xs, (_unit(output, n),), create_graph, True)
        for j, (x, g) in enumerate(zip(xs, found, strict=True)):
            row = strictness.entry(g, i, j, strict, create_graph)
            rows[j].append(_zeros(x) if row is None else row)
    shapes = [tuple(output.shape) + tuple(x.shape) for x in xs]
    return tuple(
        cast(Any, stack_tensors(parts)).view(shape) if parts else Tensor._of(np.zeros(shape, x._array.dtype))
        for parts, shape, x in zip(rows, shapes, xs, strict=True)
    )


def _unit(output: Any, n: int) -> Any:
    """The gradient of an output that is 1 for its ``n``-th element."""
    seed = np.zeros(output.numel(), output._array.dtype)
    seed[n] = 1
    return Tensor._of(seed.reshape(output._array.shape))


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of a function that returns one number.

    A tensor of twice the shape of the input; of several inputs a tuple of tuples.

    Args:
        func: takes tensors, returns a tensor of one element.
        inputs: a tensor or a tuple of them.
        create_graph: let the Hessian be differentiable.
        strict: a gradient that does not depend on an input is an error.
        vectorize, outer_jacobian_strategy: as for ``jacobian``.

    Raises:
        RuntimeError: several outputs or elements; a finding of ``strict``.
        TypeError: what is no tensor.

    >>> import ast_ad
    >>> hessian(lambda x: (x**3).sum(), ast_ad.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    several, xs = _tuple_of(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def number(*args: Any) -> Any:
        return _single(func, args, "hessian", strict)[0].squeeze()

    def gradients(*args: Any) -> Tensors:
        found: Tensors = jacobian(number, args, create_graph=True)
        strictness.check(found, "jacobian", strict)
        return found

    found = jacobian(gradients, xs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return _unpacked(tuple(_unpacked(row, several) for row in found), several)


# ----- products of the Hessian with a vector


def vhp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The output of ``func``, and the product of a vector with its Hessian.

    Args:
        func: takes tensors, returns a tensor of one element.
        inputs: a tensor or a tuple of them.
        v: the vector, of the shapes of the inputs; by default 1 for an input of one element.
        create_graph: let the results be differentiable.
        strict: a gradient that does not depend on an input is an error.

    Raises:
        RuntimeError: several outputs or elements; a vector that is missing or of another shape.

    >>> import ast_ad
    >>> vhp(lambda x: (x**3).sum(), ast_ad.tensor([1.0, 2.0]), ast_ad.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with enable_grad():
        several, xs = _tuple_of(inputs, "inputs", "vhp")
        xs = _fresh(xs, create_graph, True)
        given = _vector(v, xs, several, "vhp", create_graph, NO_VECTOR_FOR_INPUT)
        outputs = _single(func, xs, "vhp", strict)
        gradients = _gradients(outputs, xs, None, True)
        strictness.check(gradients, "jacobian", strict)
    with set_grad_enabled(create_graph or state.grad):
        found = _gradients(gradients, xs, given, create_graph)
        found = strictness.filled(found, xs, strict, create_graph, "double_back")
    return _result(outputs, create_graph)[0], _unpacked(_result(found, create_graph), several)


def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The output of ``func``, and the product of its Hessian with a vector, by three backward passes.

    Args:
        func, inputs, v, create_graph, strict: as for ``vhp``, which is cheaper; the Hessian of a smooth
            function is symmetric.

    Raises:
        RuntimeError: several outputs or elements; a vector that is missing or of another shape.

    >>> import ast_ad
    >>> hvp(lambda x: (x**3).sum(), ast_ad.tensor([1.0, 2.0]), ast_ad.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with enable_grad():
        several, xs = _tuple_of(inputs, "inputs", "hvp")
        xs = _fresh(xs, create_graph, True)
        given = _vector(v, xs, several, "hvp", create_graph, NO_VECTOR_FOR_INPUT)
        outputs = _single(func, xs, "hvp", strict)
        gradients = _gradients(outputs, xs, None, True)
        strictness.check(gradients, "jacobian", strict)
        seeds = tuple(_zeros(x, True) for x in xs)
        again = _gradients(gradients, xs, seeds, True)
        strictness.check(gradients, "hessian", strict)
    with set_grad_enabled(create_graph or state.grad):
        found = _gradients(again, seeds, given, create_graph)
        found = strictness.filled(found, xs, strict, create_graph, "double_back_trick")
    return _result(outputs, create_graph)[0], _unpacked(_result(found, create_graph), several)
