"""Which functions are constant between their jumps, and still have, as in PyTorch, a derivative: zero?

Index: floor ceil trunc round_to sign sgn frac real_angle; floor_quotient trunc_quotient remainder fmod;
sampled sampled_of_two; distinct step_function.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..partials import ratio
from ..registry import elementwise, vjp


def floor(x: Any) -> Any:
    """The largest integer that is not larger.

    >>> floor(np.array([1.5, -1.5]))
    array([ 1., -2.])
    """
    return np.floor(x)


def ceil(x: Any) -> Any:
    """The smallest integer that is not smaller.

    >>> ceil(np.array([1.5, -1.5]))
    array([ 2., -1.])
    """
    return np.ceil(x)


def trunc(x: Any) -> Any:
    """``x`` without what is behind the point.

    >>> trunc(np.array([1.5, -1.5]))
    array([ 1., -1.])
    """
    return np.trunc(x)


def round_to(x: Any, decimals: int = 0) -> Any:
    """The nearest number with so many decimals, the even one of two.

    >>> round_to(np.array([0.5, 1.5, 1.26]), 1)
    array([0.5, 1.5, 1.3])
    """
    return np.round(x, decimals)


def sign(x: Any) -> Any:
    """-1, 0 or 1, as ``x`` is; 0 for NaN.

    >>> sign(np.array([-2.0, 0.0, np.nan]))
    array([-1.,  0.,  0.])
    """
    if np.asarray(x).dtype.kind == "b":
        return np.asarray(x)[()]
    return np.where(np.isnan(x), 0, np.sign(x)).astype(np.asarray(x).dtype)[()]


def real_angle(x: Any) -> Any:
    """0, of negative numbers pi.

    >>> real_angle(np.array([1.0, -0.0, -1.0])).round(2)
    array([0.  , 0.  , 3.14])
    """
    x = np.asarray(x)
    return np.where(np.isnan(x), x, np.where(x < 0, np.pi, 0)).astype(x.dtype)[()]


@vjp(floor, ceil, trunc, sign, real_angle)
def step_rule(g, ans, x):
    return np.zeros_like(g)


@vjp(round_to)
def round_rule(g, ans, x, decimals=0):
    return np.zeros_like(g)


def sgn(x: Any) -> Any:
    """``x / abs(x)`` of complex numbers, 0 of 0; the sign of real ones.

    >>> sgn(np.array([3.0 + 4.0j, 0.0]))
    array([0.6+0.8j, 0. +0.j ])
    """
    return np.sign(x) if np.iscomplexobj(x) else sign(x)


@vjp(sgn)
def sgn_rule(g, ans, x):
    if not np.iscomplexobj(x):
        return np.zeros_like(g)
    return ratio(g - ans * np.real(np.conj(ans) * g), np.abs(x))


def frac(x: Any) -> Any:
    """What is behind the point, with the sign of ``x``.

    >>> frac(np.array([1.5, -1.5]))
    array([ 0.5, -0.5])
    """
    return x - np.trunc(x)


@vjp(frac)
def frac_rule(g, ans, x):
    return g


def floor_quotient(x: Any, y: Any) -> Any:
    """``x // y``, of integers and floats alike.

    >>> float(floor_quotient(7.0, 2.0))
    3.0
    """
    refuse_zero(x, y)
    return np.floor_divide(x, y)


def refuse_zero(x: Any, y: Any) -> None:
    """Refuse to divide integers by zero.

    Raises:
        RuntimeError: a zero among integers ``y`` that divide integers ``x``.
        NotImplementedError: both are booleans.
    """
    kind = np.result_type(x, y).kind
    if kind == "b":
        raise NotImplementedError("division is not implemented for 'Bool'")
    if kind in "iu" and not np.all(y):
        raise RuntimeError("ZeroDivisionError")


def remainder(x: Any, y: Any) -> Any:
    """What ``x // y`` leaves, with the sign of ``y``.

    >>> float(remainder(-7.0, 2.0))
    1.0
    """
    refuse_zero(x, y)
    return np.remainder(x, y)


def fmod(x: Any, y: Any) -> Any:
    """What the quotient rounded towards zero leaves, with the sign of ``x``.

    >>> float(fmod(-7.0, 2.0))
    -1.0
    """
    refuse_zero(x, y)
    return np.fmod(x, y)


@elementwise(remainder)
def remainder_rule(ans, x, y):
    return 1, -np.floor_divide(x, y)


@elementwise(fmod)
def fmod_rule(ans, x, y):
    return 1, -np.trunc(x / y)


def trunc_quotient(x: Any, y: Any) -> Any:
    """``x / y`` without what is behind the point.

    >>> float(trunc_quotient(-7.0, 2.0))
    -3.0
    """
    if np.result_type(x, y).kind not in "biu":
        return np.trunc(np.divide(x, y))
    quotient = floor_quotient(x, y)
    inexact = np.not_equal(np.multiply(quotient, y), x)
    return quotient + ((quotient < 0) & inexact)  # without floats, which hold no large integers


@vjp(floor_quotient, trunc_quotient, broadcasts=True)
def quotient_rule(g, ans, x, y):
    return np.zeros_like(g), np.zeros_like(g)


def sampled(x: Any, values: Any) -> Any:
    """``values``, which were drawn at random with ``x`` as a parameter: the derivative by ``x`` is zero.

    >>> float(sampled(0.5, 1.0))
    1.0
    """
    return values


@vjp(sampled, view=True)
def sampled_rule(g, ans, x, values):
    return np.zeros_like(x), None


def sampled_of_two(x: Any, y: Any, values: Any) -> Any:
    """``values``, which were drawn at random with ``x`` and ``y`` as parameters.

    >>> float(sampled_of_two(0.5, 2.0, 1.0))
    1.0
    """
    return values


@vjp(sampled_of_two, view=True)
def sampled_of_two_rule(g, ans, x, y, values):
    return np.zeros_like(x), np.zeros_like(y), None


# ----- without a derivative, where the derivative of zero would mislead


def undefined(name: str) -> Any:
    """Refuse to differentiate.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(f"derivative for {name} is not implemented")


def not_implemented(name: str) -> Any:
    """Refuse to differentiate, as PyTorch words it for other operations.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")


def distinct(x: Any, values: Any, name: str) -> Any:
    """``values``, found in ``x`` by an operation of this name, which has no derivative.

    >>> distinct(np.array([1.0, 1.0]), np.array([1.0]), "unique_dim")
    array([1.])
    """
    return values


@vjp(distinct, view=True)
def distinct_rule(g, ans, x, values, name):
    return (undefined if name.startswith("aten::") else not_implemented)(name), None, None


def step_function(x: Any, at_zero: Any) -> Any:
    """0 where ``x`` is negative, ``at_zero`` where it is 0, else 1.

    >>> step_function(np.array([-1.0, 0.0, 2.0]), 0.5)
    array([0. , 0.5, 1. ])
    """
    x = np.asarray(x)
    return np.where(x == 0, at_zero, x > 0).astype(x.dtype)[()]


@vjp(step_function, broadcasts=True)
def step_function_rule(g, ans, x, at_zero):
    return undefined("aten::heaviside"), undefined("aten::heaviside")
