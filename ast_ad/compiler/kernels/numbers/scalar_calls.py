"""What computes an elementwise operation on the numbers of a kernel?

``scalar_form`` gives, for a callable of the intermediate representation and the types of its arguments, the
callable to print in a kernel: one that has on numbers the values and the dtype that NumPy has on arrays of
these dtypes, and Python on its own numbers. None: a kernel cannot compute it, or not with certainty.
"""

from __future__ import annotations

import builtins
import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....rules import helpers, partials
from ....rules.torch import special as torch_special
from ...ir.ops import UNKNOWN
from ...ir.types import Opaque, Scalar, Type
from .. import vector_math as v
from . import (
    complex_math as c,
    families,
    integer_arguments,
    kernel_math as k,
    promoted,
    python_forms,
    remainders as r,
    selections as choose,
)

Function = Callable[..., Any]
_PYTHON: dict[str, Any] = {"bool": np.dtype(bool), "int": int, "float": float, "complex": complex}
_NATIVE = {np.dtype(name) for name in ("bool", "int64", "float32", "float64", "complex64", "complex128")}

UFUNC_OF: dict[Function, np.ufunc] = {
    operator.add: np.add,
    operator.sub: np.subtract,
    operator.mul: np.multiply,
    operator.truediv: np.divide,
    operator.floordiv: np.floor_divide,
    operator.mod: np.remainder,
    operator.pow: np.power,
    builtins.pow: np.power,
    operator.neg: np.negative,
    operator.pos: np.positive,
    operator.abs: np.absolute,
    builtins.abs: np.absolute,
    operator.lt: np.less,
    operator.le: np.less_equal,
    operator.gt: np.greater,
    operator.ge: np.greater_equal,
    operator.eq: np.equal,
    operator.ne: np.not_equal,
    operator.and_: np.bitwise_and,
    operator.or_: np.bitwise_or,
    operator.xor: np.bitwise_xor,
    operator.invert: np.invert,
    operator.lshift: np.left_shift,
    operator.rshift: np.right_shift,
}

# By the dtypes of the arguments (l: int64, f: float32, d: float64, F, D: complex, ?: bool), what computes it.
FORMS: dict[Function, dict[str, Function]] = {}
# By which ufunc's rules functions that are none choose the dtype in which they compute.
DTYPES_AS: dict[Function, np.ufunc] = {
    helpers.safe_product: np.multiply,
    helpers.exact_product: np.multiply,
    partials.ratio: np.divide,
    partials.exp_share: np.logaddexp,
    partials.power_dx: np.arctan2,
    torch_special.erf: np.arctan,
    torch_special.erfc: np.arctan,
    np.sinc: np.arctan,
    np.i0: np.arctan,
    np.real: np.positive,
    np.imag: np.positive,
    np.nan_to_num: np.trunc,
    np.fix: np.trunc,
    np.round: np.trunc,
    np.around: np.trunc,
    np.isposinf: np.isinf,
    np.isneginf: np.isinf,
    np.angle: np.positive,
}


# Those that ask of each argument only whether it is zero.
LOGICAL = {
    np.logical_not: k.logical_not,
    np.logical_and: k.logical_and,
    np.logical_or: k.logical_or,
    np.logical_xor: k.logical_xor,
}


def _each(functions: Sequence[Function], kinds: str, form: Function, arity: int = 1) -> None:
    """``form`` computes these functions of arguments of each of the kinds."""
    for fn in functions:
        for kind in kinds:
            FORMS.setdefault(fn, {})[kind * arity] = form


def _arithmetic() -> None:
    _each([np.add], "lfdFD", operator.add, 2)
    _each([np.subtract], "lfdFD", operator.sub, 2)
    _each([np.multiply], "lfdFD", operator.mul, 2)
    _each([np.divide], "fd", operator.truediv, 2)
    _each([np.divide], "FD", c.divide_complex, 2)
    _each([np.negative], "lfdFD", operator.neg)
    _each([np.positive], "lfdFD", operator.pos)
    _each([np.absolute], "lfdFD", builtins.abs)
    _each([np.fabs], "fd", builtins.abs)
    _each([np.reciprocal], "fd", k.reciprocal)
    _each([np.square], "lfdFD", k.square)
    _each([np.power, np.float_power], "fd", v.pow, 2)
    _each([np.remainder], "fd", r.remainder, 2)
    _each([np.remainder], "l", r.remainder_of_integers, 2)
    _each([np.floor_divide], "fd", r.floor_divide, 2)
    _each([np.floor_divide], "l", r.floor_divide_integers, 2)
    _each([np.fmod], "fd", r.fmod, 2)
    _each([np.fmod], "l", r.fmod_of_integers, 2)
    _each([np.copysign], "fd", np.copysign, 2)
    _each([helpers.safe_product], "fd", choose.safe_product, 2)
    _each([helpers.exact_product], "fd", choose.exact_product, 2)
    _each([partials.ratio], "fd", choose.ratio, 2)
    _each([partials.power_dx], "d", k.power_dx, 2)
    _each([partials.power_dx], "f", k.power_dx_single, 2)


def _steps_and_bits() -> None:
    _each([np.maximum], "lfd", choose.maximum, 2)
    _each([np.minimum], "lfd", choose.minimum, 2)
    _each([np.fmax], "lfd", choose.fmax, 2)
    _each([np.fmin], "lfd", choose.fmin, 2)
    _each([np.sign], "lfd", choose.sign)
    _each([np.heaviside], "fd", k.heaviside, 2)
    for fn in np.floor, np.ceil, np.trunc, np.rint:
        _each([fn], "fd", fn)
    _each([np.floor, np.ceil, np.trunc, np.fix, np.round, np.around, np.nan_to_num], "l", k.identity)
    _each([np.fix], "fd", np.trunc)
    _each([np.round, np.around], "fd", np.rint)
    _each([np.nan_to_num], "d", k.nan_to_num)
    _each([np.nan_to_num], "f", k.nan_to_num_single)
    for ufunc, form in (
        (np.less, operator.lt),
        (np.less_equal, operator.le),
        (np.greater, operator.gt),
        (np.greater_equal, operator.ge),
        (np.equal, operator.eq),
        (np.not_equal, operator.ne),
    ):
        _each([ufunc], "?lfd" + "FD" * (form in (operator.eq, operator.ne)), form, 2)
    _each([np.isnan], "fd", k.isnan)
    _each([np.isinf], "fd", k.isinf)
    _each([np.isfinite], "fd", k.isfinite)
    _each([np.isposinf], "fd", k.isposinf)
    _each([np.isneginf], "fd", k.isneginf)
    _each([np.isnan, np.isinf], "?l", k.nowhere)
    _each([np.isfinite], "?l", k.everywhere)
    _each([np.signbit], "fd", np.signbit)
    _each([np.bitwise_and], "?l", operator.and_, 2)
    _each([np.bitwise_or], "?l", operator.or_, 2)
    _each([np.multiply, np.minimum], "?", operator.and_, 2)
    _each([np.add, np.maximum], "?", operator.or_, 2)
    _each([np.bitwise_xor], "?l", operator.xor, 2)
    _each([np.invert], "l", operator.invert)
    _each([np.invert], "?", k.logical_not)
    _each([np.left_shift], "l", k.left_shift, 2)
    _each([np.right_shift], "l", k.right_shift, 2)


def _transcendental() -> None:
    for name in "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "cbrt":
        _each([getattr(np, name)], "fd", getattr(v, name))
    for name in "sin", "cos", "tan", "sinh", "cosh", "tanh":
        _each([getattr(np, name)], "fd", getattr(v, name))
        _each([getattr(np, f"arc{name}")], "fd", getattr(v, f"a{name}"))
    _each([np.sqrt], "fd", np.sqrt)
    _each([np.arctan2], "fd", v.atan2, 2)
    _each([np.hypot], "fd", v.hypot, 2)
    _each([torch_special.erf], "fd", v.erf)
    _each([torch_special.erfc], "fd", v.erfc)
    _each([np.logaddexp], "fd", k.logaddexp, 2)
    _each([np.logaddexp2], "fd", k.logaddexp2, 2)
    _each([partials.exp_share], "fd", k.exp_share, 2)
    _each([np.degrees, np.rad2deg], "fd", k.degrees)
    _each([np.radians, np.deg2rad], "fd", k.radians)
    _each([np.sinc], "d", k.sinc)
    _each([np.sinc], "f", k.sinc_single)


def _complex() -> None:
    _each([np.conjugate, np.real], "lfd", k.identity)
    _each([np.conjugate], "FD", c.conjugate)
    _each([np.sign], "FD", c.sign_complex)
    for name in "exp", "expm1", "log", "log10", "sinh", "cosh", "tanh", "sin", "cos", "tan":
        _each([getattr(np, name)], "D", getattr(c, f"{name}_complex"))
    _each([np.sqrt], "D", np.sqrt)
    _each([np.arctan], "D", np.arctan)
    _each([np.power, np.float_power], "D", c.power_complex, 2)
    _each([partials.power_dx], "D", c.power_dx_complex, 2)
    _each([np.reciprocal], "FD", c.reciprocal_complex)
    _each([helpers.safe_product], "FD", c.safe_product_complex, 2)
    _each([helpers.exact_product], "FD", c.exact_product_complex, 2)
    _each([partials.ratio], "FD", c.ratio_complex, 2)
    _each([np.isnan], "FD", c.isnan_complex)
    _each([np.isinf], "FD", c.isinf_complex)
    _each([np.isfinite], "FD", c.isfinite_complex)
    _each([np.real], "FD", c.real)
    _each([np.imag], "FD", c.imag)
    _each([np.imag], "fd", k.zero)
    _each([np.angle], "FD", c.angle)
    _each([np.angle], "fd", k.angle_of_real)


_arithmetic()
_steps_and_bits()
_transcendental()
_complex()

# Forms that compute float32 in float32; the others are rounded to it.
SINGLE = {
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pos, builtins.abs),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
    *(k.square, k.identity, choose.safe_product, choose.exact_product, choose.ratio, r.remainder, r.fmod),
    *(
        choose.maximum,
        choose.minimum,
        choose.fmax,
        choose.fmin,
        k.clip,
        choose.where,
        choose.sign,
        k.nan_to_num_single,
        k.sinc_single,
        k.power_dx_single,
    ),
    *(k.isnan, k.isinf, k.isfinite, k.isposinf, k.isneginf),
    *(
        k.logical_xor,
        c.angle,
        c.real,
        c.imag,
        c.conjugate,
        np.sqrt,
        np.floor,
        np.ceil,
        np.trunc,
        np.rint,
        np.signbit,
    ),
    *(getattr(v, name) for name in dir(v) if getattr(getattr(v, name), "__module__", "") == v.__name__),
}
# Those that choose their dtype as NumPy does where all arguments have dtypes of their own.
PROMOTING = {
    *(choose.maximum, choose.minimum, choose.fmax, choose.fmin, choose.safe_product),
    choose.exact_product,
    *(operator.add, operator.sub, operator.mul, operator.truediv),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
}


def scalar_form(fn: Function, types: Sequence[Type], values: Sequence[Any] = ()) -> Function | None:
    """The callable that computes ``fn`` of numbers of these types in a kernel; None where none does.

    ``values``: the arguments that are known (literals), ``UNKNOWN`` for the others. Arguments that are no
    numbers (a dtype, None; their type is ``Opaque``) are not passed on to the result.

    >>> import numpy as np
    >>> single = Scalar("float", np.dtype("float32"))
    >>> scalar_form(np.exp, [single]).__name__, scalar_form(operator.mul, [single, Scalar("float")]).__name__
    ('exp', 'mul_float32')
    >>> scalar_form(np.exp, [Scalar("float", np.dtype("float16"))]) is None
    True
    """
    values = [*values, *[UNKNOWN] * (len(types) - len(values))]
    if fn in _CONVERSIONS:
        return _conversion(fn, types, values)
    numbers = [type for type in types if not isinstance(type, Opaque)]
    if not all(isinstance(type, Scalar) and type.kind in _PYTHON for type in numbers):
        return None
    scalars = [type for type in numbers if isinstance(type, Scalar)]
    own = all(type.dtype is None for type in scalars)
    if python_forms.applies(fn, own):
        return python_forms.form(fn, scalars, values)
    if len(scalars) < len(types):
        return _clip(types) if fn is np.clip else None
    return _numpy_form(fn, scalars, values)


def _numpy_form(fn: Function, types: Sequence[Scalar], values: Sequence[Any]) -> Function | None:
    if fn in (np.where, np.clip, partials.power_dy):
        return _of_one_dtype(fn, types)
    if fn in LOGICAL:
        real = all(
            (type.dtype is None or type.dtype.char not in "egGFD") and type.kind != "complex"
            for type in types
        )
        return LOGICAL[fn] if real and len(types) == fn.nin else None
    _read_scipy()
    fn = UFUNC_OF.get(fn, fn)
    found = integer_arguments.form(fn, types, values)
    if found is not None or fn is partials.power_derivative:
        return found
    ufunc = DTYPES_AS.get(fn, fn)
    if fn is partials.power_dx and any(type.kind == "complex" for type in types):
        ufunc = np.divide
    forms = FORMS.get(fn)
    if forms is None or not isinstance(ufunc, np.ufunc) or len(types) != ufunc.nin:
        return None
    given = [type.dtype or _PYTHON[type.kind] for type in types]
    if fn is partials.power_dx and types[0].dtype is not None and types[0].kind in ("bool", "int"):
        given[0] = np.dtype(float)  # it is the power of a float
    try:
        loop = ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))[: ufunc.nin]
    except (TypeError, ValueError):  # NumPy has no loop for these types
        return None
    form = forms.get("".join(map(_letter, loop)))
    if fn is np.power and type(values[1]) is int and types[0].dtype == loop[0]:
        if values[1] == 2 and loop[0].kind == "c":
            form = c.power_two
        elif 0 < values[1] <= 4 and loop[0] in _NATIVE:
            return operator.pow
    return None if form is None else _fitted(form, types, loop)


def _letter(dtype: np.dtype) -> str:
    return "l" if dtype == np.int64 else dtype.char


def _fitted(form: Function, types: Sequence[Scalar], loop: Sequence[np.dtype]) -> Function | None:
    """The form, or it with its arguments converted to the dtypes in which NumPy computes."""
    own = [type.dtype or np.dtype(_PYTHON[type.kind]) for type in types]
    if len(set(loop)) > 1:
        return None
    narrow = loop[0] in (np.dtype("float32"), np.dtype("complex64"))
    if own == list(loop) and (form in SINGLE or not narrow):
        return form
    if set(own) <= _NATIVE and not narrow:
        if form in PROMOTING and np.result_type(*own) == loop[0]:
            return form
        if form.__module__ == v.__name__ and all(dtype.kind in "biu" or dtype == loop[0] for dtype in own):
            return form
    if loop[0].kind == "b":
        return None
    found: Function = getattr(promoted, promoted.name_of(form, loop[0]))
    return found


def _common(types: Sequence[Scalar]) -> np.dtype:
    """The dtype in which NumPy joins values of these types; Python's numbers have no say."""
    one = {"bool": True, "int": 1, "float": 1.0, "complex": 1j}
    return np.result_type(*[type.dtype if type.dtype is not None else one[type.kind] for type in types])


def _of_one_dtype(fn: Function, types: Sequence[Scalar]) -> Function | None:
    if len(types) != 3:
        return None
    chosen = types[1:] if fn is np.where else types
    dtype = _common(chosen)
    kinds = {np.where: "?lfdFD", np.clip: "lfd", partials.power_dy: "fdD"}[fn]
    if _letter(dtype) not in kinds:
        return None
    if fn is np.where:
        own = [type.dtype or np.dtype(_PYTHON[type.kind]) for type in chosen]
        if all(one == dtype for one in own) or {*own} <= _NATIVE and np.result_type(*own) == dtype:
            return choose.where
        return None if dtype.kind == "b" else getattr(promoted, promoted.name_of(choose.where, dtype))
    slope = c.power_dy_complex if dtype.kind == "c" else k.power_dy
    return _fitted(k.clip if fn is np.clip else slope, types, [dtype] * 3)


def _clip(types: Sequence[Type]) -> Function | None:
    """``np.clip`` with None as one of its bounds."""
    if len(types) != 3 or isinstance(types[0], Opaque):
        return None
    low, high = types[1:]
    if isinstance(low, Scalar):
        return scalar_form(np.maximum, [types[0], low])
    return scalar_form(np.minimum, [types[0], high]) if isinstance(high, Scalar) else None


_CONVERSIONS = {helpers.astype, np.float32, np.float64, np.complex64, np.complex128, np.int64, np.bool_}
if hasattr(np, "astype"):
    _CONVERSIONS.add(np.astype)


def _conversion(fn: Function, types: Sequence[Type], values: Sequence[Any]) -> Function | None:
    """The class of the numbers to convert to, where compiled code converts as NumPy does."""
    source = types[0]
    target: Any = fn
    if not isinstance(fn, type):
        target = values[1] if len(values) > 1 else UNKNOWN
    if target is UNKNOWN or target is None or not isinstance(source, Scalar) or source.kind not in _PYTHON:
        return None
    dtype: np.dtype = np.dtype(target)
    own = source.dtype or np.dtype(_PYTHON[source.kind])
    if dtype not in _NATIVE or own.char in "egG" or own.kind == "c" and dtype.kind != "c":
        return None
    if dtype.kind == "b":
        return k.truth
    return dtype.type


def _read_scipy() -> None:
    """Add the functions of ``scipy.special`` once the program has imported it."""
    special = sys.modules.get("scipy.special")
    if special is None or special.erf in FORMS:
        return
    from . import special_math

    for name in ("erf", "erfc", "exp2", "expm1", "log1p", "cbrt"):
        _each([getattr(special, name)], "fd", getattr(v, name))
    for name in ("expit", "logit", "log_expit", "entr"):
        _each([getattr(special, name)], "fd", getattr(k, name))
    _each([special.ndtr], "d", k.ndtr)
    if "ndtr" in special_math.ARITY:
        _each([special.ndtr], "f", vars(special_math)["ndtr"])
    for name in ("xlogy", "xlog1py"):
        _each([getattr(special, name)], "fd", getattr(k, name), 2)
    orders = integer_arguments.OF_ORDER
    for name in special_math.OF_ORDER:
        orders[getattr(special, name)] = 0, getattr(special_math, name + "_of_order")
    orders[special.polygamma] = 0, families.polygamma
    functions = vars(special_math)
    orders[partials.bessel_i] = 0, functions["iv"]
    _each([np.i0], "d", functions["i0"])
    for name, arity in special_math.ARITY.items():
        fn = getattr(special, name, None)
        if isinstance(fn, np.ufunc) and fn not in FORMS and fn.nin == arity and fn.nout == 1:
            _each([fn], "fd", getattr(special_math, name), arity)
