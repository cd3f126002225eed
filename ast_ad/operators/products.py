"""What are products with Jacobians and Hessians? Results of one pass: no matrix is formed.

``jvp``, ``hvp``, ``laplacian``, ``elementwise_grad``.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..api import grad, linearize, vjp
from ..calls.alike import as_like, structured
from ..calls.forward import as_number
from ..calls.of_parts import OfParts
from ..calls.sharing import kept
from ..errors import InputTypeError, InputValueError
from ..trees import flatten
from .jacobians import numbers
from .leaves import as_program, by_position, inlined, leaves, number_like, require_kind
from .operator import Operator, both_ways, by_parts, operator, require_callable, takes_arguments_of
from .programs import basis, pushed, pushed_along, unit


def jvp(
    function: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    argnums: int | Sequence[int] | None = None,
    wrt: str | Sequence[str] | None = None,
    has_aux: bool = False,
    **choices: Any,
) -> Any:
    """The value at ``primals`` and its derivative along ``tangents``: the Jacobian times a vector.

    Args:
        function: Python and NumPy code; it returns floats, or arrays of them, in any structure.
        primals: its arguments, a tuple.
        tangents: one for each argument, None for one that is not varied (integers among them); with
            ``argnums`` for those only. Each has the structure and the shapes of its argument.
        argnums: which arguments the tangents belong to: an int (one tangent, in a tuple) or a tuple.
        wrt: the same by name, or parts of arguments; see ``grad``.
        has_aux: whether the function returns ``(value, aux)``; the result is then ``(value, tangent, aux)``.
        choices: the options of ``grad``: ``backend=``, ``fallback=``, ...

    Returns:
        ``(value, tangent)``; the tangent has the structure of the value, 0 in the place of integers.

    Raises:
        InputTypeError, InputValueError: the tangents don't match the primals.

    >>> jvp(lambda x, n: x**n, (np.array([1.0, 2.0]), 3), (np.array([1.0, 0.5]), None))
    (array([1., 8.]), array([3., 6.]))
    """
    require_callable(function, "jvp")
    names = None
    if wrt is not None:
        function, primals, argnums, names = by_names(function, primals, argnums, wrt)
    varied, given = matched(primals, tangents, argnums, names)
    program = _kept(pushed, jvp, function, varied, len(primals), has_aux, choices)
    value, found, *aux = program(*primals, *given)
    return (value, numbers_as(found, value), *aux)


def hvp(
    function: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    argnums: int | Sequence[int] | None = None,
    wrt: str | Sequence[str] | None = None,
    has_aux: bool = False,
    **choices: Any,
) -> Any:
    """The Hessian of a function at ``primals`` times ``tangents``: forward over reverse, no matrix is formed.

    Args:
        function: Python and NumPy code with a real result of one element.
        primals, tangents, argnums, wrt, choices: see ``jvp``.
        has_aux: whether the function returns ``(value, aux)``; the result is then ``(products, aux)``.

    Returns:
        A tuple as ``tangents`` is: the derivative, along the tangents, of the gradient by each argument that
        has one, None for the others.

    Raises:
        InputTypeError, InputValueError: the tangents don't match the primals, or the result is no number.

    >>> hvp(lambda x: x[0] ** 2 * x[1], (np.array([2.0, 3.0]),), (np.array([1.0, 0.0]),))
    (array([6., 4.]),)
    """
    require_callable(function, "hvp")
    names = None
    if wrt is not None:
        function, primals, argnums, names = by_names(function, primals, argnums, wrt)
    varied, given = matched(primals, tangents, argnums, names)
    found = _kept(second, hvp, function, varied, len(primals), has_aux, choices)(*primals, *given)
    products, *aux = found if has_aux else (found,)
    products = tuple([numbers_as(part, primals[i]) for i, part in zip(varied, products, strict=True)])
    if argnums is None:
        parts = dict(zip(varied, products, strict=True))
        products = tuple(parts.get(i) for i in range(len(primals)))
    return (products, *aux) if has_aux else products


def numbers_as(found: Any, like: Any) -> Any:
    """A derivative with Python's own numbers in the places where what it belongs to has such.

    >>> numbers_as(np.float64(2.0), 1.0), numbers_as([np.float64(2.0)], [np.float64(1.0)])
    (2.0, [np.float64(2.0)])
    """
    if type(found) is np.ndarray:
        return found
    parts, tree = flatten(found)
    if not any(isinstance(part, np.generic) for part in parts):
        return found
    likes = flatten(like)[0]
    if len(parts) != len(likes):
        return found
    pairs = zip(parts, likes, strict=True)
    return tree.unflatten([as_number(t, x) if isinstance(t, np.generic) else t for t, x in pairs])


def second(function: Callable[..., Any], argnums: tuple[int, ...], has_aux: bool) -> Callable[..., Any]:
    def push(primals: Any, tangents: Any) -> Any:
        if not has_aux:
            return pushed_along(grad(function, argnums), argnums, False, tangents, *primals)[1]
        gradient = grad(function, argnums, has_aux=True)
        return pushed_along(gradient, argnums, True, tangents, *primals)[1:]

    return push


def laplacian(
    function: Callable[..., Any], argnums: int = 0, *, wrt: str | None = None, **choices: Any
) -> Any:
    """The sum of the second derivatives of a real function by each number of an argument.

    ``wrt``: the argument by its name, or a part of it; see ``grad``.

    Raises:
        InputTypeError: several arguments are chosen.

    >>> laplacian(lambda x: np.sum(x**4))(np.array([1.0, 2.0]))
    np.float64(60.0)
    """
    require_callable(function, "laplacian")
    if isinstance(wrt, (tuple, list)) or isinstance(argnums, (tuple, list)):
        raise InputTypeError("a laplacian by several arguments", why="it is that by one", fix="add them up")
    if wrt is not None:
        return by_parts(laplacian, function, argnums, wrt, **choices)
    program = takes_arguments_of(function, _trace_of_hessian(function, numbers(argnums)))
    return operator(program, laplacian, function, choices, argnums)


def _trace_of_hessian(function: Callable[..., Any], argnum: int) -> Callable[..., Any]:
    derivative = linearize(grad(function, argnum), argnums=argnum)

    def laplacian(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = by_position(function, args, kwargs)
        _, lin = derivative(*args, **kwargs)
        x = args[argnum]
        ins = leaves(x)
        total = 0.0
        for n, _ in enumerate(ins):
            if np.ndim(ins[n]) == 0:
                total = total + leaves(lin(unit(x, ins, n, number_like(ins[n], 1))))[n]
            else:
                for j in range(np.size(ins[n])):
                    tangent = unit(x, ins, n, basis(ins[n], j))
                    total = total + np.ravel(leaves(lin(tangent))[n])[j]
        return total

    return laplacian


def elementwise_grad(function: Callable[..., Any], argnum: int = 0, **choices: Any) -> Operator:
    """The derivative of each element of the value by that of an argument in its place, for elementwise code.

    It is the gradient of the sum of the value.

    >>> elementwise_grad(np.tanh)(np.array([0.0, 1.0]))
    array([1.        , 0.41997434])
    """
    require_callable(function, "elementwise_grad")
    program = takes_arguments_of(function, _of_sum(function, numbers(argnum)))
    return operator(program, elementwise_grad, function, choices, argnum)


def _of_sum(function: Callable[..., Any], argnum: int) -> Callable[..., Any]:
    derivative = vjp(function, argnums=argnum)

    def elementwise(*args: Any, **kwargs: Any) -> Any:
        value, pull = derivative(*args, **kwargs)
        require_kind(value, False, "value")
        return pull(np.ones_like(value))

    return elementwise


# ----- within compiled code ---------------------------------------------------------------------------------
def _jvp_inside(function: Any, primals: Any, tangents: Any, argnums: Any, has_aux: Any) -> Any:
    places = _places(primals, tangents, argnums)
    return pushed(function, places, has_aux)(primals, tuple([t for t in tangents if t is not None]))


def _hvp_inside(function: Any, primals: Any, tangents: Any, argnums: Any, has_aux: Any) -> Any:
    places = _places(primals, tangents, argnums)
    found = second(function, places, has_aux)(primals, tuple([t for t in tangents if t is not None]))
    products = found[0] if has_aux else found
    if argnums is None:
        products = tuple([products[places.index(i)] if i in places else None for i in range(len(primals))])
    return (products, found[1]) if has_aux else products


def _places(primals: Any, tangents: Any, argnums: Any) -> Any:
    """The numbers of the arguments that have a tangent."""
    if argnums is None:
        chosen = tuple(range(len(primals)))
    elif isinstance(argnums, int):
        chosen = (argnums % len(primals),)
    else:
        chosen = tuple([i % len(primals) for i in argnums])
    return tuple([chosen[n] for n, t in enumerate(tangents) if t is not None])


def _lower_product(inside: Any, names: tuple[str, ...], cx: Any, args: list[Any], kwargs: Any) -> Any:
    from ..compiler.ir.ops import Lit

    given = dict(zip(("function", "primals", "tangents"), args, strict=False)) | kwargs
    absent = {"argnums": None, "has_aux": False}
    options = [given.get(name, Lit(absent[name])) for name in names]
    wrt = cx.demand(given["wrt"], "wrt") if "wrt" in given else None
    if wrt is None:
        return inlined(cx, inside, [given["function"], given["primals"], given["tangents"], *options])
    if cx.static_value(options[0]) is not None:
        raise both_ways()
    return _lower_by_names(cx, inside, wrt, given, options[1:])


def _lower_by_names(cx: Any, inside: Any, wrt: Any, given: Any, options: Sequence[Any]) -> Any:
    """The product of the function of the parts that ``wrt`` names."""
    from ..calls.inside_later import items_of
    from ..calls.of_parts import NestedOfParts
    from ..compiler.frontend.conversion import from_python
    from ..compiler.frontend.values import Tup

    def called(cx: Any, lifted: Any, names: Any, argnums: Any, args: Any, kwargs: Any) -> Any:
        chosen = from_python(cx, argnums if isinstance(argnums, tuple) else (argnums,))
        return inlined(cx, inside, [lifted, Tup(tuple(args)), given["tangents"], chosen, *options])

    nested = NestedOfParts(given["function"], wrt, called)
    return nested.__ast_ad_lower__(cx, list(items_of(cx, given["primals"])), {})


_PRODUCTS: tuple[tuple[Any, Any, tuple[str, ...]], ...] = (
    (jvp, _jvp_inside, ("argnums", "has_aux")),
    (hvp, _hvp_inside, ("argnums", "has_aux")),
)
for _function, _inside, _names in _PRODUCTS:
    _function.__ast_ad_lower__ = functools.partial(_lower_product, _inside, _names)
laplacian.__ast_ad_lower__ = as_program(_trace_of_hessian, "argnums")  # type: ignore[attr-defined]
elementwise_grad.__ast_ad_lower__ = as_program(_of_sum, "argnum")  # type: ignore[attr-defined]


# ----- arguments --------------------------------------------------------------------------------------------
def by_names(
    function: Any, primals: Any, argnums: Any, wrt: Any
) -> tuple[Any, Any, tuple[int, ...], list[str]]:
    """The function of the parts that ``wrt`` names, its arguments, and the numbers and names of the parts.

    Raises:
        InputError: there are no such parts, or arguments are chosen by number, too.
    """
    _require_tuple(primals, "primals")
    if argnums is not None:
        raise both_ways()
    parts = kept(function, (_called_with, wrt), functools.partial(OfParts, _called_with, function, wrt))
    lifted, args = parts(*primals)
    return lifted, args, tuple(range(len(parts.paths))), [f"part `{path}`" for path in parts.paths]


def _called_with(function: Any, argnums: Any) -> Callable[..., Any]:
    """What ``OfParts`` makes, where it is for the function of the parts and its arguments."""
    return lambda *args: (function, args)


def _require_tuple(value: Any, name: str) -> None:
    if not isinstance(value, (tuple, list)):
        raise InputTypeError(
            f"{name} of type {type(value).__name__}",
            why="they have to be a tuple, an entry for each argument",
            fix=f"pass ({name[:-1]},)",
        )


def matched(
    primals: Any, tangents: Any, argnums: Any, names: Sequence[str] | None = None
) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """Which arguments are varied, and their tangents with the dtypes of the primals.

    ``names``: what those that are chosen are called.

    Raises:
        InputTypeError, InputValueError: the tangents don't match the primals.
    """
    _require_tuple(primals, "primals")
    _require_tuple(tangents, "tangents")
    if not primals:
        raise InputValueError("a tangent without primals", why="nothing is varied", fix="pass the arguments")
    chosen = range(len(primals)) if argnums is None else numbers(argnums)
    chosen = (chosen,) if isinstance(chosen, int) else tuple(chosen)
    if len(tangents) != len(chosen):
        raise InputValueError(
            f"{len(tangents)} tangents",
            why=f"there are {len(chosen)} arguments"
            + ("" if argnums is None else " in argnums" if names is None else " in wrt"),
            fix="give one for each, None for what is not varied",
        )
    for i in chosen:
        if not -len(primals) <= i < len(primals):
            raise InputValueError(
                f"argnums={argnums}", why=f"there are {len(primals)} primals", fix="choose among them"
            )
    pairs = [(i % len(primals), t) for i, t in zip(chosen, tangents, strict=True) if t is not None]
    of = [f"argument {i}" if names is None else names[i] for i, _ in pairs]
    found = tuple(tangent(primals[i], t, name) for (i, t), name in zip(pairs, of, strict=True))
    return tuple(i for i, _ in pairs), found


def tangent(primal: Any, given: Any, of: str) -> Any:
    """A tangent of the structure, the shapes and the dtypes of its primal; zeros for integers among floats.

    Raises:
        InputTypeError, InputValueError: it does not match.
    """
    if type(primal) is type(given) is np.ndarray and primal.dtype == given.dtype:
        if primal.shape == given.shape and primal.dtype.kind in "fc":
            return given
    found, tree = flatten(primal)
    if not any(map(_is_float, found)):
        raise InputTypeError(
            f"a tangent of {of}", why="it holds no floats", fix="pass None, or floats as the argument"
        )
    parts = structured(tree, given, "tangent", of)
    if not any(hasattr(type(part), "_is_eager_tensor") for part in (*found, *parts)):
        parts = [
            as_number(as_like(t, np.shape(x), np.result_type(x), "tangent", of), x) if _is_float(x) else 0
            for x, t in zip(found, parts, strict=True)
        ]
    return tree.unflatten(parts)


def _is_float(leaf: Any) -> bool:
    return np.result_type(leaf).kind in "fc"


def _kept(
    program: Any, ask: Any, function: Any, argnums: Any, count: int, has_aux: bool, choices: dict[str, Any]
) -> Any:
    """An operator that serves later calls as well, if all that makes it can be a key."""
    asked = argnums, count, has_aux, program, ask
    make = functools.partial(_product, function, *asked, **choices)
    return kept(function, (asked, choices, os.environ.get("AST_AD_BACKEND")), make)


def _product(
    function: Any, argnums: Any, count: int, has_aux: bool, program: Any, ask: Any, **choices: Any
) -> Operator:
    """The operator that ``ask`` calls: a function of ``count`` primals, and the tangents of some of them."""
    sides = _side_by_side(program(function, argnums, has_aux), count, len(argnums))
    found = operator(sides, ask, function, choices, argnums, count, has_aux, program)
    found.made = _product, (function, argnums, count, has_aux, program, ask), choices
    return found


def _side_by_side(push: Callable[..., Any], count: int, varied: int) -> Callable[..., Any]:
    """``push(primals, tangents)`` with all of them as arguments: such a call has a short way."""

    def product(*given: Any) -> Any:
        return push(given[:count], given[count:])

    names = [*(f"primals_{i}" for i in range(count)), *(f"tangents_{i}" for i in range(varied))]
    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names]
    product.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return product
