"""What can be asked of a function? Its gradient, with or without the value, and its pullback."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from typing import Any

from .calls.derivative import Derivative, Grad, Linearize, ValueAndGrad, Vjp, has_floats
from .calls.key_paths import has_steps
from .calls.own.decorators import (
    custom_jvp,
    custom_vjp,
    defjvp,
    defvjp,
    map_cotangent,
    primitive,
    stop_gradient,
)
from .calls.sharing import kept
from .calls.tiers import has_numba
from .errors import InputValueError
from .options import Options, chosen_by_number, make_options


def _decorator(
    cls: type[Derivative],
    function: Any,
    argnums: Any,
    wrt: Any,
    has_aux: bool,
    backend: str | None,
    fallback: str,
    choices: dict[str, Any],
) -> Any:
    if backend is not None:
        choices["backend"] = backend
    argnums = chosen_by_number(argnums, choices)
    options = make_options(fallback=fallback, **choices)
    if options.backend == "numba" and not has_numba():
        raise InputValueError(
            "backend='numba'",
            why="Numba is not installed",
            fix="pip install 'ast_ad[numba]', or use backend='auto', which does without",
        )
    make: Callable[[Any], Any] = functools.partial(_made, cls, argnums, wrt, has_aux, options)
    return make if function is None else make(function)


def _made(
    cls: type[Derivative], argnums: Any, wrt: Any, has_aux: bool, options: Options, function: Any
) -> Any:
    if argnums is not None or not has_steps(wrt):
        return cls(function, argnums, wrt, has_aux, options)
    from .calls.of_parts import OfParts

    return OfParts(functools.partial(_by_number, cls, has_aux, options), function, wrt)


def _by_number(cls: type[Derivative], has_aux: bool, options: Options, function: Any, argnums: Any) -> Any:
    return cls(function, argnums, None, has_aux, options)


def grad(
    function: Callable[..., Any] | None = None,
    argnums: int | Sequence[int] | None = None,
    *,
    wrt: str | Sequence[str] | None = None,
    has_aux: bool = False,
    backend: str | None = None,
    fallback: str = "trace",
    **choices: Any,
) -> Any:
    """The gradient of a function with a real result of one element.

    Parameters
    ----------
    function
        Python and NumPy code; left out, ``grad`` is a decorator with options.
    argnums
        Which positional arguments, an int (default 0) or a tuple; by autograd's name, ``argnum``, too.
    wrt
        The same by name, or by a part of an argument as it is read: ``"p.a"``, ``"p['a']"``, ``"self.k"``.
        The result has the structure of the part. The object is left as it was.
    has_aux
        The function returns ``(value, aux)``; the result is ``(gradient, aux)``.
    fallback
        What becomes of code that can't be compiled. 'trace': it runs on traced arrays, with a
        ``FallbackWarning``; 'error': the compiler's error is raised.
    parallel
        Whether loops of compiled kernels, where their turns are independent, run in threads (default: no).
    check
        What is compared with the function itself in the first call of each program. By default its value,
        and what the compiler believed of types and lengths; True: a derivative by differences, too, which
        is also asked of a function that is traced; False: nothing.

    Returns
    -------
    Grad
        A function of the same arguments. Its result has the structure, shapes and dtypes of the arguments
        that were asked for, in fresh arrays; for a tuple of argnums it is a tuple.

    Raises
    ------
    AdError
        at the first call with arguments of a new kind, if the function can be neither compiled nor traced.

    Examples
    --------
    >>> import numpy as np
    >>> def loss(x, rate=2.0):
    ...     for i in range(1, len(x)):
    ...         x[i] += rate * x[i - 1]
    ...     return np.sum(x**2)
    >>> grad(loss)(np.array([1.0, 0.0, 1.0]))
    array([50., 24., 10.])
    >>> grad(loss, wrt="rate")(np.array([1.0, 0.0, 1.0]))
    44.0
    >>> from types import SimpleNamespace
    >>> grad(lambda p, x: p.rate * x**p.power, wrt="p.rate")(SimpleNamespace(rate=0.5, power=2), 3.0)
    9.0
    """
    return _decorator(Grad, function, argnums, wrt, has_aux, backend, fallback, choices)


def value_and_grad(
    function: Callable[..., Any] | None = None,
    argnums: int | Sequence[int] | None = None,
    *,
    wrt: str | Sequence[str] | None = None,
    has_aux: bool = False,
    backend: str | None = None,
    fallback: str = "trace",
    **choices: Any,
) -> Any:
    """The value and the gradient of a function; see ``grad`` for the arguments.

    Returns
    -------
    ValueAndGrad
        A function that returns ``(value, gradient)``; with ``has_aux``, ``((value, aux), gradient)``. NumPy
        code gives the function's own value, bit for bit; kernels give it to a few ulp, sums to rounding.
    """
    return _decorator(ValueAndGrad, function, argnums, wrt, has_aux, backend, fallback, choices)


def vjp(
    function: Callable[..., Any] | None = None,
    *primals: Any,
    argnums: int | Sequence[int] | None = None,
    wrt: str | Sequence[str] | None = None,
    has_aux: bool = False,
    backend: str | None = None,
    fallback: str = "trace",
    **choices: Any,
) -> Any:
    """The value at ``primals`` and the pullback there: from cotangents of the value to those of arguments.

    The pullback returns a tuple, an entry for each argument that holds floats, or for those in ``argnums``
    (not a tuple for an int). Integers beside floats in a container get zeros. Without primals the result is
    a function of them.
    """
    return _at(Vjp, function, primals, argnums, wrt, has_aux, backend, fallback, choices)


def linearize(
    function: Callable[..., Any] | None = None,
    *primals: Any,
    argnums: int | Sequence[int] | None = None,
    wrt: str | Sequence[str] | None = None,
    has_aux: bool = False,
    backend: str | None = None,
    fallback: str = "trace",
    **choices: Any,
) -> Any:
    """The value at ``primals`` and the pushforward there: from tangents of arguments to that of the value.

    The pushforward takes a tangent for each argument, None for one that is not varied (an integer, say), or
    with ``argnums`` for those only; each has the structure and the shapes of its argument. It does no
    nonlinear work again. Without primals the result is a function of them.

    >>> import numpy as np
    >>> value, push = linearize(lambda x, n: np.sin(x) * n, np.array([0.0, np.pi]), 2)
    >>> push(np.array([1.0, 10.0]), None)
    array([  2., -20.])
    """
    return _at(Linearize, function, primals, argnums, wrt, has_aux, backend, fallback, choices)


def _at(
    cls: type[Derivative],
    function: Any,
    primals: Sequence[Any],
    argnums: Any,
    wrt: Any,
    has_aux: bool,
    backend: str | None,
    fallback: str,
    choices: dict[str, Any],
) -> Any:
    """The answer at ``primals``, or without any the derivative."""
    if not primals:
        return _decorator(cls, function, argnums, wrt, has_aux, backend, fallback, choices)
    key = cls, argnums, wrt, has_aux, backend, fallback, choices, os.environ.get("AST_AD_BACKEND")
    return kept(
        function,
        key,
        lambda: _decorator(cls, function, argnums, wrt, has_aux, backend, fallback, dict(choices)),
    )(*primals)


def _lower_call(asks: Any, cx: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``grad(f)`` inside of a function that is being compiled."""
    from .calls.inside_factories import lower_factory

    return lower_factory(asks, cx, args, kwargs)


for _function, _class in (
    (grad, Grad), (value_and_grad, ValueAndGrad), (vjp, Vjp), (linearize, Linearize),
):  # fmt: skip
    _function.__ast_ad_lower__ = functools.partial(_lower_call, _class.asks)  # type: ignore[attr-defined]


def inspect(function: Callable[..., Any], *args: Any, **kwargs: Any) -> ValueAndGrad:
    """The gradient, compiled for these arguments but not run: for ``.source``, ``.ir``, ``.explain()``."""
    found: Any = function
    if not isinstance(function, Derivative) and not hasattr(function, "taken_out"):
        floats = tuple(i for i, a in enumerate(args) if has_floats(a))
        found = ValueAndGrad(function, floats if len(floats) != 1 else floats[0])
    found._prepare(args, kwargs)
    return found  # type: ignore[no-any-return]


__all__ = [
    "custom_jvp",
    "custom_vjp",
    "defjvp",
    "defvjp",
    "grad",
    "inspect",
    "linearize",
    "map_cotangent",
    "primitive",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
