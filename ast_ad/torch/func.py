"""Which functions transform functions of tensors? Those of ``torch.func``: derivatives, functions of rows.

The derivatives are the operators of ``ast_ad`` (``ast_ad.jacrev`` and others), with the arguments of PyTorch
and its order of results. The function is called with tensors, once for each derivative that is taken, and is
never compiled, since what it says of ``x.max(0)`` means what PyTorch means by it. And modules as functions.

>>> import ast_ad.torch as torch
>>> torch.func.jacrev(torch.sin)(torch.tensor([0.0, 0.0]))
tensor([[1., 0.],
        [0., 1.]])
>>> torch.func.functional_call(torch.nn.ReLU(), {}, torch.tensor([-1.0, 1.0]))
tensor([0., 1.])
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..eager.operations.creation import stack_tensors
from ..errors import InputValueError
from ..operators import jacobians
from ..operators.batching import MappedAsItIs, Spelling, as_mapped, mapped
from ..operators.of_tensors import closed
from .nn.modules.module import Module
from .nn.utils.stateless import functional_call

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "stack_module_state",
    "vjp",
    "vmap",
]

Argnums = int | tuple[int, ...]
DIMS = Spelling("in_dims", "out_dims", None)


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of ``func``, whose value is a tensor of one number.

    With ``has_aux`` ``func`` returns ``(value, aux)``, and the function ``(gradient, aux)``.

    >>> import ast_ad.torch as torch
    >>> torch.func.grad(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
    tensor([ 3., 12.])
    """

    @functools.wraps(func, updated=())
    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = grad_and_value(func, argnums, has_aux)(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def grad_and_value(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that returns ``(gradient, value)``; with ``has_aux`` ``(gradient, (value, aux))``.

    >>> import ast_ad.torch as torch
    >>> torch.func.grad_and_value(lambda x: x * x)(torch.tensor(3.0))
    (tensor(6.), tensor(9.))
    """

    @functools.wraps(func, updated=())
    def both(*args: Any, **kwargs: Any) -> Any:
        value, found = closed(func, args, kwargs, argnums, has_aux).value_and_grad()
        return found, value

    return both


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """``(value, pullback[, aux])``; the pullback returns a tuple where there are several primals.

    >>> import ast_ad.torch as torch
    >>> value, pull_back = torch.func.vjp(torch.exp, torch.zeros(2))
    >>> pull_back(torch.ones(2))
    (tensor([1., 1.]),)
    """
    return closed(func, primals, {}, None, has_aux).vjp()


def jvp(
    func: Callable[..., Any],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """``(value, tangent[, aux])``. A value that does not depend on the primals has the tangent zero.

    Raises:
        RuntimeError: with ``strict``, where an output does not depend on the primals.
    """
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple):
            raise RuntimeError(f"jvp: {name} must be a tuple, got {type(given).__name__}")
    return closed(func, primals, {}, None, has_aux, strict).jvp(tangents)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The value, and the function from tangents of the primals to the tangent of the value.

    >>> import ast_ad.torch as torch
    >>> value, push = torch.func.linearize(torch.square, torch.tensor(3.0))
    >>> push(torch.tensor(1.0)), push(torch.tensor(2.0))
    (tensor(6.), tensor(12.))
    """
    value, push, *_ = closed(func, primals, {}, None, False).linearize()
    return value, push


def jacrev(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """A function that returns the Jacobian, by a pullback for each number of the value.

    The structure of the value stands outside, that of the argument inside; several ``argnums`` give a tuple.
    ``chunk_size`` changes nothing: rows are computed one after the other.
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"jacrev: chunk_size must be positive, got {chunk_size}")
    return _jacobian(jacobians.jacrev, func, argnums, has_aux)


def jacfwd(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """A function that returns the Jacobian, by a tangent for each number of the argument.

    ``randomness`` changes nothing: the function runs once, and its draws are made once.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"jacfwd: randomness is 'error', 'different' or 'same', not {randomness!r}")
    return _jacobian(jacobians.jacfwd, func, argnums, has_aux)


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """A function that returns the second derivatives: ``jacfwd`` of ``jacrev``.

    >>> import ast_ad.torch as torch
    >>> torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)


def stack_module_state(models: Sequence[Module]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the buffers of modules of one kind, each of them stacked, by name.

    Raises:
        RuntimeError: no modules, of several classes, or some of them in training and some not.
    """
    if not models:
        raise RuntimeError("stack_module_state: no modules")
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("stack_module_state: the modules are of several classes")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("stack_module_state: some modules are in training, and some not")
    every = [dict(model.named_parameters()) for model in models]
    parameters = {
        name: stack_tensors([of[name] for of in every]).detach().requires_grad_(p.requires_grad)
        for name, p in every[0].items()
    }
    kept = [dict(model.named_buffers()) for model in models]
    return parameters, {name: stack_tensors([of[name] for of in kept]) for name in kept[0]}


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
    **choices: Any,
) -> Any:
    """A function of rows, mapped over tensors or arrays of rows; see ``ast_ad.vmap``.

    Args:
        func: it returns tensors, arrays and numbers, in any structure.
        in_dims: the dimension of the rows in each argument, None for what is the same for all of them.
            Arguments that are passed by keyword are the same for all rows.
        out_dims: the dimension of the rows in the results.
        randomness: "error", "different" or "same".
        chunk_size: how many rows PyTorch computes at once; here they are computed one after the other.
        choices: the options of ``grad``: ``backend=``, ``fallback=``, ...

    Raises:
        InputTypeError, InputValueError: the arguments of a call don't fit the dimensions.

    >>> import ast_ad
    >>> a, b = ast_ad.tensor([[1.0, 2.0], [3.0, 4.0]]), ast_ad.tensor([1.0, 10.0])
    >>> vmap(ast_ad.dot, in_dims=(0, None))(a, b)
    tensor([21., 43.])
    """
    if chunk_size is not None and not (isinstance(chunk_size, int) and chunk_size > 0):
        raise InputValueError(
            f"chunk_size={chunk_size!r}",
            why="it has one row at least",
            fix="give None or an int above 0",
        )
    return mapped(vmap, func, in_dims, out_dims, randomness, DIMS, choices)


vmap.makes = MappedAsItIs  # type: ignore[attr-defined]
vmap.__ast_ad_lower__ = as_mapped(DIMS)  # type: ignore[attr-defined]


def _jacobian(
    operator: Callable[..., Any], func: Callable[..., Any], argnums: Any, has_aux: bool
) -> Callable[..., Any]:
    @functools.wraps(func, updated=())
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        return closed(func, args, kwargs, argnums, has_aux).jacobian(operator)

    return jacobian
