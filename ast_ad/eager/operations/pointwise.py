"""Which functions of one tensor work element by element? One table of them, with their in-place forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules.torch import (
    activations as torch_activations,
    reads as torch_reads,
    special as torch_special,
    steps as torch_steps,
)
from ...rules.torch.elementwise import absolute as absolute_value
from ..checks import type_name
from ..dispatch import Operation, apply, inplace, unary
from ..dtypes import get_default_dtype
from ..surface import FUNCTIONS, attach, function
from ..tensor import Tensor
from .refusals import check_in_place, check_kind

# Functions of SciPy that compute half precision in another one.
WITHOUT_HALVES = {"erf", "erfc", "erfinv", "lgamma", "digamma"}
FLOATING = True  # integers are converted to the default floating-point type first

# Names, the function on arrays, the nodes' name, whether integers become floating.
TABLE: tuple[tuple[str, Callable[..., Any], str, bool], ...] = (
    ("exp", np.exp, "Exp", FLOATING),
    ("exp2", np.exp2, "Exp2", FLOATING),
    ("expm1", np.expm1, "Expm1", FLOATING),
    ("log", np.log, "Log", FLOATING),
    ("log2", np.log2, "Log2", FLOATING),
    ("log10", np.log10, "Log10", FLOATING),
    ("log1p", np.log1p, "Log1P", FLOATING),
    ("sqrt", np.sqrt, "Sqrt", FLOATING),
    ("rsqrt", torch_special.rsqrt, "Rsqrt", FLOATING),
    ("sin", np.sin, "Sin", FLOATING),
    ("cos", np.cos, "Cos", FLOATING),
    ("tan", np.tan, "Tan", FLOATING),
    ("asin arcsin", np.arcsin, "Asin", FLOATING),
    ("acos arccos", np.arccos, "Acos", FLOATING),
    ("atan arctan", np.arctan, "Atan", FLOATING),
    ("sinh", np.sinh, "Sinh", FLOATING),
    ("cosh", np.cosh, "Cosh", FLOATING),
    ("tanh", np.tanh, "Tanh", FLOATING),
    ("asinh arcsinh", np.arcsinh, "Asinh", FLOATING),
    ("acosh arccosh", np.arccosh, "Acosh", FLOATING),
    ("atanh arctanh", np.arctanh, "Atanh", FLOATING),
    ("sigmoid", torch_activations.sigmoid, "Sigmoid", FLOATING),
    ("erf", torch_special.erf, "Erf", FLOATING),
    ("erfc", torch_special.erfc, "Erfc", FLOATING),
    ("erfinv", torch_special.erfinv, "Erfinv", FLOATING),
    ("lgamma", torch_special.lgamma, "Lgamma", FLOATING),
    ("digamma", torch_special.digamma, "Digamma", FLOATING),
    ("deg2rad", np.deg2rad, "Deg2Rad", FLOATING),
    ("rad2deg", np.rad2deg, "Rad2Deg", FLOATING),
    ("sinc", np.sinc, "Sinc", FLOATING),
    ("i0", np.i0, "I0", FLOATING),
    ("reciprocal", np.reciprocal, "Reciprocal", FLOATING),
    ("abs absolute", absolute_value, "Abs", False),
    ("neg negative", np.negative, "Neg", False),
    ("sign", torch_steps.sign, "Sign", False),
    ("sgn", torch_steps.sgn, "Sgn", False),
    ("floor", torch_steps.floor, "Floor", False),
    ("ceil", torch_steps.ceil, "Ceil", False),
    ("trunc fix", torch_steps.trunc, "Trunc", False),
    ("frac", torch_steps.frac, "Frac", False),
    ("relu", torch_activations.relu, "Relu", False),
)

# Rules that read what PyTorch saves, where those in the registry read something else.
RULES = {"Erfinv": torch_reads.erfinv}

# Functions whose results are booleans; they are never recorded.
QUESTIONS: dict[str, Callable[..., Any]] = {
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "isposinf": np.isposinf,
    "isneginf": np.isneginf,
    "isreal": np.isreal,
    "signbit": np.signbit,
}


def require_tensor(name: str, given: Any, argument: str = "input", position: int = 1) -> None:
    """Refuse an argument that is no tensor, as PyTorch words it."""
    if not isinstance(given, Tensor):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type_name(given)}"
        )


def require_tensors(name: str, **tensors: Any) -> None:
    """Refuse the first of several arguments that is no tensor."""
    for position, (argument, given) in enumerate(tensors.items(), 1):
        require_tensor(name, given, argument, position)


def _define(names: list[str], op: Operation) -> None:
    name = names[0]

    def run(input: Tensor) -> Any:
        if input.__class__ is not Tensor:
            require_tensor(name, input)
        dtype = input._array.dtype
        if dtype.kind != "f":
            check_kind(name, dtype)
        elif dtype.itemsize == 2 and name in WITHOUT_HALVES:
            return unary(op, input.to(get_default_dtype())).to(input.dtype)
        return unary(op, input)

    def run_in_place(self: Tensor) -> Tensor:
        if self._array.dtype.kind != "f":
            check_in_place(name, self._array.dtype, op.inexact, get_default_dtype().dtype)
        return inplace(op, self)

    publish(names, run, run_in_place, f"``{name}`` of each element.")


def publish(names: list[str], run: Any, run_in_place: Any, doc: str) -> None:
    """Make a function, its method and its in-place method known under some names."""
    for fn, suffix in ((run, ""), (run_in_place, "_")):
        fn.__name__ = fn.__qualname__ = names[0] + suffix
        fn.__doc__ = doc if not suffix else f"{doc} In place."
    for name in names:
        FUNCTIONS[name] = run
        FUNCTIONS[f"{name}_"] = run_in_place
        attach(name, run)
        attach(f"{name}_", run_in_place)


OPERATIONS: dict[str, Operation] = {}
for _names, _fn, _node, _floating in TABLE:
    _op = Operation(_fn, f"{_node}Backward0", inexact=_floating, rule=RULES.get(_node))
    OPERATIONS.update(dict.fromkeys(_names.split(), _op))
    _define(_names.split(), _op)
attach("__abs__", FUNCTIONS["abs"])


def _define_question(name: str, fn: Callable[..., Any]) -> None:
    def ask(input: Tensor) -> Tensor:
        require_tensor(name, input)
        check_kind(name, input._array.dtype)
        return Tensor._of(fn(input._array))

    ask.__name__, ask.__doc__ = name, f"``{name}`` of each element, as booleans."
    function(name)(ask)


for _names, _fn in QUESTIONS.items():
    _define_question(_names, _fn)


# ----- with options

ROUND = Operation(torch_steps.round_to, "RoundBackward0")
ROUND_DECIMALS = Operation(torch_steps.round_to, "RoundBackward1")
LOGIT = Operation(torch_special.logit, "LogitBackward0", inexact=True)
NAN_TO_NUM = Operation(np.nan_to_num, "NanToNumBackward0")
ANGLE = Operation(np.angle, "AngleBackward0")
ANGLE_OF_REAL = Operation(torch_steps.real_angle, "AngleBackward0")
CONJ = Operation(np.conjugate, "ConjBackward0")


def floating(input: Tensor) -> Tensor:
    """The tensor itself, or, of integers, a copy in the default floating-point type."""
    if input._array.dtype.kind in "fc":
        return input
    return Tensor._of(input._array.astype(get_default_dtype().dtype))


def _round_options(decimals: int) -> tuple[Operation, dict[str, Any]]:
    return (ROUND, {}) if decimals == 0 else (ROUND_DECIMALS, {"decimals": decimals})


@function("round")
def round(input: Tensor, *, decimals: int = 0) -> Any:
    """Each element rounded to so many decimals, halves to the even neighbour."""
    require_tensor("round", input)
    check_kind("round", input._array.dtype)
    op, options = _round_options(decimals)
    return apply(op, (input,), options)


@function("round_")
def round_(input: Tensor, *, decimals: int = 0) -> Any:
    """``round`` in place."""
    check_kind("round", input._array.dtype)
    op, options = _round_options(decimals)
    return inplace(op, input, **options)


@function()
def square(input: Any) -> Any:
    """``input ** 2``."""
    require_tensor("square", input)
    return input**2


@function()
def square_(input: Tensor) -> Any:
    """``square`` in place."""
    from .arithmetic import POW

    return inplace(POW, input, 2)


@function()
def logit(input: Tensor, eps: float | None = None) -> Any:
    """``log(x / (1 - x))``, with ``x`` confined to ``[eps, 1 - eps]`` first if ``eps`` is given."""
    require_tensor("logit", input)
    check_kind("logit", input._array.dtype)
    return apply(LOGIT, (floating(input),), {"eps": eps})


@function()
def logit_(input: Tensor, eps: float | None = None) -> Any:
    """``logit`` in place."""
    check_in_place("logit", input._array.dtype, True, get_default_dtype().dtype)
    return inplace(LOGIT, input, eps=eps)


@function()
def nan_to_num(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Any:
    """``input`` with NaN, infinity and minus infinity replaced (by default by 0 and the largest numbers)."""
    if input._array.dtype.kind == "c" and input.requires_grad:
        raise RuntimeError(
            "nan_to_num does not support automatic differentiation for outputs with complex dtype."
        )
    return apply(
        NAN_TO_NUM, (input,), {"nan": 0.0 if nan is None else nan, "posinf": posinf, "neginf": neginf}
    )


@function()
def nan_to_num_(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Any:
    """``nan_to_num`` in place."""
    return inplace(NAN_TO_NUM, input, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


@function()
def angle(input: Tensor) -> Any:
    """The argument of each complex number; of real ones 0 or pi."""
    input = floating(input)
    return unary(ANGLE if input._array.dtype.kind == "c" else ANGLE_OF_REAL, input)


@function()
def conj(input: Tensor) -> Any:
    """The complex conjugate; a real tensor itself."""
    return unary(CONJ, input) if input._array.dtype.kind == "c" else input


@function()
def conj_physical(input: Tensor) -> Any:
    """The complex conjugate; a real tensor itself."""
    return conj(input)


@function()
def positive(input: Tensor) -> Tensor:
    """``input`` itself."""
    if input._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


@function()
def conj_physical_(input: Tensor) -> Any:
    """``conj_physical`` in place."""
    return inplace(CONJ, input) if input._array.dtype.kind == "c" else input
