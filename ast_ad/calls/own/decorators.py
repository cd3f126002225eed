"""What does a user call to give a function a rule of its own, or to change a cotangent on its way?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .functions import CustomJvp, CustomVjp, Own, Primitive, defjvp, defvjp

__all__ = ["custom_jvp", "custom_vjp", "defjvp", "defvjp", "map_cotangent", "primitive", "stop_gradient"]


def custom_vjp(function: Callable[..., Any], nondiff_argnums: int | Sequence[int] = ()) -> CustomVjp:
    """A function whose cotangents are computed by a rule of yours, as ``jax.custom_vjp``.

    Its ``defvjp(fwd, bwd)`` takes the rule: ``fwd(*args)`` returns the value and residuals, anything that the
    rule needs; ``bwd(*nondiff_args, residuals, g)`` a tuple with a cotangent for each other argument, None
    for zero, in the structure, the shape and the dtype of the argument. ``g`` has the structure of the value.

    Outside of a derivative the function itself is called; within one it is ``fwd`` that computes the value,
    and neither body is differentiated. A second derivative is that of the code of ``fwd`` and ``bwd``. There
    are no tangents (``jvp``, ``jacfwd``) without a ``defjvp(rule)``, as that of ``custom_jvp``; ``hvp`` and
    ``hessian`` need none.

    Parameters
    ----------
    function
        Any function of positional arguments; tuples, lists and dicts of numbers and arrays may be among
        them, and in what it returns. It must not write to its arguments.
    nondiff_argnums
        The arguments that have no derivative: functions, options. The rule gets them first.

    Raises
    ------
    InputTypeError, InputValueError
        when a derivative is called: there is no rule, ``fwd`` returns no pair, or ``bwd`` something that
        doesn't fit the arguments; there is a derivative by one of ``nondiff_argnums``, or by a variable
        of a function around.

    Examples
    --------
    >>> import numpy as np, ast_ad
    >>> @custom_vjp
    ... def round_through(x):
    ...     return np.round(x)
    >>> round_through.defvjp(lambda x: (np.round(x), None), lambda residuals, g: (g,))
    >>> ast_ad.grad(lambda x: np.sum(round_through(x) ** 2))(np.array([0.4, 1.6]))
    array([0., 4.])
    """
    return CustomVjp(function, nondiff_argnums)


def custom_jvp(function: Callable[..., Any], nondiff_argnums: int | Sequence[int] = ()) -> CustomJvp:
    """A function whose tangents are computed by a rule of yours, as ``jax.custom_jvp``.

    Its ``defjvp(rule)`` takes the rule, ``rule(*nondiff_args, primals, tangents)``, which returns the value
    and its tangent; or ``defjvps(*rules)`` one for each argument, ``rule(t, ans, *args)``, whose results are
    added. A tangent has to be linear in those of the arguments: cotangents are its transpose.

    Parameters
    ----------
    function, nondiff_argnums
        As those of ``custom_vjp``.

    Raises
    ------
    InputTypeError, InputValueError
        as ``custom_vjp``, and for a tangent that is not linear.

    Examples
    --------
    >>> import numpy as np, ast_ad
    >>> @custom_jvp
    ... def softplus(x):
    ...     return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0.0)
    >>> softplus.defjvps(lambda t, ans, x: t / (1.0 + np.exp(-x)))
    >>> ast_ad.grad(softplus)(0.0)
    0.5
    """
    return CustomJvp(function, nondiff_argnums)


def primitive(function: Callable[..., Any]) -> Primitive:
    """A function that is called as it is and never followed, as ``autograd.extend.primitive``.

    For C code, other libraries, tables. ``ast_ad.defvjp(f, *makers)`` or ``ast_ad.defjvp(f, *rules)`` give it
    rules; what it gets are plain numbers and arrays. A call is a part of a compiled program if it has no
    effects, by its byte code and that of all that it calls: then it is also called on small arrays that are
    made up, for the type of its result. Otherwise the program is traced, and it is called once for each call.

    Parameters
    ----------
    function
        What returns a number, an array or a tuple of them, and doesn't write to its arguments.

    Raises
    ------
    MissingRuleError
        when a derivative is called: there is no rule for an argument that it is taken by.

    Examples
    --------
    See ``defvjp``.
    """
    return Primitive(function)


class StopGradient(Own):
    """A function whose derivative is zero."""

    kind = "stop_gradient"
    zero = True

    def run(self, args: Any, kwargs: Any, outermost: bool) -> tuple[Any, Any]:
        """The value; nothing is needed beside it."""
        return self.function(*args, **kwargs), None


def _itself(tree: Any) -> Any:
    return tree


_STOPPED = StopGradient(_itself)


def stop_gradient(tree: Any) -> Any:
    """The value, as a constant to all derivatives.

    Parameters
    ----------
    tree
        A number, an array, a tensor, or tuples, lists and dicts of them; of tensors the result has others,
        anything else comes back itself.

    Examples
    --------
    >>> import ast_ad
    >>> ast_ad.grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    import sys

    if "ast_ad.eager.state" not in sys.modules:
        return tree
    from ...tracing.own_rules import detached

    return detached(tree)


def _identity(x: Any, function: Callable[[Any], Any]) -> Any:
    return x


def _identity_fwd(x: Any, function: Callable[[Any], Any]) -> Any:
    return x, None


def _identity_bwd(function: Callable[[Any], Any], residuals: Any, g: Any) -> Any:
    found = function(g)
    return (g if found is None else found,)


_MAPPED = CustomVjp(_identity, (1,))
_MAPPED.name, _MAPPED.transposable = "map_cotangent", True
_MAPPED.defvjp(_identity_fwd, _identity_bwd)


def map_cotangent(x: Any, function: Callable[[Any], Any]) -> Any:
    """``x`` itself; in the reverse pass ``function(cotangent)`` takes the place of its cotangent.

    To clip, to scale, to print or to record a cotangent on its way. There is a tangent only where the
    function is linear: it is the transpose.

    Parameters
    ----------
    x
        A number or an array, or tuples, lists and dicts of them.
    function
        Gets the cotangent, in the structure of ``x``, and returns another one; None leaves it as it is.

    Raises
    ------
    InputTypeError, InputValueError
        in the reverse pass: what the function returned doesn't fit ``x``.

    Examples
    --------
    >>> import numpy as np, ast_ad
    >>> ast_ad.grad(lambda x: np.exp(map_cotangent(x, lambda g: np.clip(g, -1.0, 1.0))))(2.0)
    1.0
    """
    return _MAPPED(x, function)


stop_gradient.__ast_ad_lower__ = _STOPPED.__ast_ad_lower__  # type: ignore[attr-defined]
map_cotangent.__ast_ad_lower__ = _MAPPED.__ast_ad_lower__  # type: ignore[attr-defined]
