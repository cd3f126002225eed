"""How are derivatives asked for by those who know the package ``autograd``? By its names, in its forms.

An operator takes a function and ``argnum``, an int or a tuple of them, and gives a function of the function's
own arguments. What comes first in a pair is what comes first there: ``make_vjp`` gives ``(vjp, value)``.
"""

from __future__ import annotations

import functools
import inspect
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .api import grad, vjp
from .operators import products
from .trees import flatten

__all__ = [
    "hessian_tensor_product",
    "hessian_vector_product",
    "make_ggnvp",
    "make_hvp",
    "make_jvp",
    "make_jvp_reversemode",
    "make_vjp",
    "multigrad_dict",
    "tensor_jacobian_product",
    "vector_jacobian_product",
]

Function = Callable[..., Any]
Argnum = int | Sequence[int]


def _argnums(argnum: Argnum) -> int | tuple[int, ...]:
    return argnum if isinstance(argnum, int) else tuple(argnum)


def make_vjp(fun: Function, argnum: Argnum = 0) -> Function:
    """``make_vjp(f)(x) -> (vjp, f(x))``: the pullback, and then the value (``ast_ad.vjp``: the other way).

    >>> pullback, value = make_vjp(lambda x: x**2)(3.0)
    >>> value, pullback(1.0)
    (9.0, 6.0)
    """
    derivative = vjp(fun, argnums=_argnums(argnum))

    def pulled(*args: Any, **kwargs: Any) -> tuple[Function, Any]:
        value, pullback = derivative(*args, **kwargs)
        return pullback, value

    return pulled


def make_jvp(fun: Function, argnum: Argnum = 0) -> Function:
    """``make_jvp(f)(x)(v) -> (f(x), J v)``, by forward mode."""
    chosen = _argnums(argnum)

    def at(*args: Any, **kwargs: Any) -> Function:
        def along(vector: Any) -> Any:
            tangents: list[Any] = [None] * len(args)
            pairs = [(chosen, vector)] if isinstance(chosen, int) else zip(chosen, vector, strict=True)
            for position, tangent in pairs:
                tangents[position] = tangent
            function = functools.partial(fun, **kwargs) if kwargs else fun
            return products.jvp(function, args, tuple(tangents))

        return along

    return at


def make_jvp_reversemode(fun: Function, argnum: Argnum = 0) -> Function:
    """``make_jvp_reversemode(f)(x)(v) -> J v``, as the pullback of the pullback, which is linear.

    >>> make_jvp_reversemode(np.sin)(np.array([0.0, np.pi]))(np.array([1.0, 2.0]))
    array([ 1., -2.])
    """
    chosen = _argnums(argnum)
    derivative = vjp(fun, argnums=chosen)

    def at(*args: Any, **kwargs: Any) -> Function:
        value, _ = derivative(*args, **kwargs)

        def pulled(cotangent: Any) -> Any:
            return vjp(fun, argnums=chosen)(*args, **kwargs)[1](cotangent)

        leaves, structure = flatten(value)
        zero = structure.unflatten([np.zeros_like(leaf)[()] for leaf in leaves])
        _, transposed = vjp(pulled, argnums=0)(zero)
        return transposed  # type: ignore[no-any-return]

    return at


def make_hvp(fun: Function, argnum: Argnum = 0) -> Function:
    """``make_hvp(f)(x) -> (hvp, gradient)``: what multiplies vectors by the Hessian, and the gradient.

    >>> hvp, gradient = make_hvp(lambda x: np.sum(x**3))(np.array([1.0, 2.0]))
    >>> hvp(np.array([1.0, 10.0])), gradient
    (array([  6., 120.]), array([ 3., 12.]))
    """
    return make_vjp(grad(fun, _argnums(argnum)), argnum)


def half_sum_of_squares(x: Any) -> Any:
    return 0.5 * np.sum(x**2, axis=-1)


def make_ggnvp(f: Function, g: Function = half_sum_of_squares, f_argnum: Argnum = 0) -> Function:
    """``make_ggnvp(f, g)(x)(v) -> J' H J v``: the generalized Gauss-Newton matrix times a vector.

    J is the Jacobian of ``f``, and H the Hessian of ``g`` at ``f(x)``.

    >>> A = np.array([[1.0, 2.0], [0.0, 1.0]])
    >>> make_ggnvp(lambda x: A @ x)(np.array([5.0, 6.0]))(np.array([1.0, 0.0]))
    array([1., 2.])
    """

    def at(*args: Any, **kwargs: Any) -> Function:
        pullback, value = make_vjp(f, f_argnum)(*args, **kwargs)
        curvature, _ = make_hvp(g)(value)
        along = make_jvp_reversemode(f, f_argnum)(*args, **kwargs)

        def ggnvp(vector: Any) -> Any:
            return pullback(curvature(along(vector)))

        return ggnvp

    return at


def hessian_tensor_product(fun: Function, argnum: Argnum = 0) -> Function:
    """``hessian_tensor_product(f)(x, tensor)``: the Hessian times a tensor of the shape of ``x``.

    >>> hessian_tensor_product(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 3.0]), np.array([0.0, 1.0]))
    array([2., 0.])
    """
    at = make_hvp(fun, argnum)

    def product(*args: Any, **kwargs: Any) -> Any:
        return at(*args[:-1], **kwargs)[0](args[-1])

    return product


def tensor_jacobian_product(fun: Function, argnum: Argnum = 0) -> Function:
    """``tensor_jacobian_product(f)(x, tensor)``: the Jacobian multiplied by a tensor from the left.

    The tensor has the shape of the result, or its leading axes: then the result's others lead in the product.

    >>> tensor_jacobian_product(lambda x: x**2)(np.array([1.0, 3.0]), np.array([10.0, 1.0]))
    array([20.,  6.])
    """
    at = make_vjp(fun, argnum)

    def product(*args: Any, **kwargs: Any) -> Any:
        *args, tensor = args  # type: ignore[assignment]
        pullback, value = at(*args, **kwargs)
        rest = np.shape(value)[np.ndim(tensor) :]
        if not rest:
            return pullback(tensor)
        units = np.eye(int(np.prod(rest))).reshape(-1, *rest)
        rows = [pullback(np.multiply.outer(tensor, unit)) for unit in units]
        return np.reshape(np.stack(rows), (*rest, *np.shape(rows[0])))

    return product


hessian_vector_product = hessian_tensor_product
vector_jacobian_product = tensor_jacobian_product


def multigrad_dict(fun: Function) -> Function:
    """``multigrad_dict(f)(*args, **kwargs)``: the gradients by all arguments, under their names.

    >>> dict(multigrad_dict(lambda x, scale=2.0: scale * x**2)(3.0))
    {'x': 12.0, 'scale': 9.0}
    """
    signature = inspect.signature(fun)
    kinds = {name: parameter.kind for name, parameter in signature.parameters.items()}
    named = [n for n, kind in kinds.items() if kind is inspect.Parameter.KEYWORD_ONLY]
    ones = [n for n, kind in kinds.items() if kind.name in ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")]
    many = [n for n, kind in kinds.items() if kind is inspect.Parameter.VAR_POSITIONAL]
    others = [n for n, kind in kinds.items() if kind is inspect.Parameter.VAR_KEYWORD]

    def of_all(given: dict[str, Any]) -> Any:
        args = [given[name] for name in ones]
        for name in many:
            args = [*args, *given[name]]
        kwargs = {name: given[name] for name in named}
        for name in others:
            kwargs = {**kwargs, **given[name]}
        return fun(*args, **kwargs)

    gradient = grad(of_all)

    def gradients(*args: Any, **kwargs: Any) -> OrderedDict[str, Any]:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return OrderedDict(gradient(dict(bound.arguments)))

    return gradients
