"""Which functions of SciPy and of array-api-compat are read as plainer code with the same result?

SciPy wraps its mathematics in layers that choose an array library, look for NaN or fill masks. For NumPy
arrays and default options these layers change nothing, but they are made of introspection that no compiler
can follow. Here each layer is replaced by what it amounts to; the mathematics inside is still SciPy's source.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ....rules.distributions import METHODS, MOMENTS
from ....rules.solvers import is_solver
from ...ir.ops import Lit, Op
from ...ir.types import Array, dtype_of
from .. import doors
from ..context import Context
from ..conversion import from_python
from ..types.type_questions import asked, exact
from ..values import Arr, Callee, Dct, Lst, Obj, Tup, Value
from .solver_calls import solved

DISTRIBUTIONS = "scipy.stats._distn_infrastructure"
NAN_POLICY = "axis_nan_policy_wrapper"


def stand_in(cx: Context, fn: Callee) -> Callable[..., Any] | None:
    """The handler of a SciPy function that has a stand-in, or None."""
    module, name = getattr(fn, "__module__", None) or "", getattr(fn, "__qualname__", "")
    compatible = "array_api_compat" in module.split(".")  # the package, or a copy of it in another one
    if not module.startswith("scipy.") and not compatible:
        return None
    if is_solver(fn):
        return lambda *args, **kwargs: solved(cx, fn, args, kwargs)
    if compatible and name in ("array_namespace", "get_namespace"):
        return lambda *arrays, **options: from_python(cx, fn(*(kind_only(cx, part) for part in arrays)))
    if name == "array_namespace" and module.startswith("scipy._lib._array_api"):
        return lambda *arrays, **options: from_python(cx, fn())
    if name in OF_ARRAY_KIND and "_array_api" in module or "array_api_compat" in module and is_question(name):
        return lambda *args, **kwargs: from_python(cx, fn(*(kind_only(cx, part) for part in args)))
    if "array_api_compat" in module:
        owner = np.linalg if "linalg" in module else np.fft if module.endswith("fft") else np
        plain = getattr(owner, fn.__name__, None)
        if plain is not None and plain is not fn:
            return lambda *args, **kwargs: doors.call(cx, Lit(plain), list(args), without_device(kwargs))
    if module == DISTRIBUTIONS and name in (
        "rv_generic.freeze",
        "rv_generic.__call__",
        "rv_continuous.__call__",
    ):
        return functools.partial(frozen, cx)
    if module == DISTRIBUTIONS and name in METHODS:
        return lambda *args, **kwargs: distribution(cx, METHODS[name], *args, **kwargs)
    if module == DISTRIBUTIONS and name in MOMENTS:
        return lambda *args, **kwargs: of_distribution(cx, MOMENTS[name], *args, **kwargs)
    if getattr(getattr(fn, "__code__", None), "co_name", "") == NAN_POLICY:
        return lambda *args, **kwargs: without_nan_policy(cx, fn, args, kwargs)
    return None


def kind_only(cx: Context, value: Value) -> Any:
    """A small value of the same dtype, for code that reads only the array library and the dtype."""
    return (
        np.zeros(1, dtype_of(exact(cx, cx.read(value), cx.read(value).type, "the dtype")))
        if isinstance(value, Arr)
        else asked(cx, lambda one: one, value)
    )


def frozen(cx: Context, dist: Lit, *args: Value, **kwargs: Value) -> Any:
    """``norm(loc, scale)``: its methods pass the parameters on."""
    from scipy.stats._distn_infrastructure import rv_continuous, rv_continuous_frozen, rv_discrete_frozen

    cls = rv_continuous_frozen if isinstance(dist.value, rv_continuous) else rv_discrete_frozen
    return Obj(cls, {"dist": dist, "args": Tup(args), "kwds": Dct(dict(kwargs))})


def distribution(cx: Context, method: object, dist: Lit, x: Value, *args: Value, **kwargs: Value) -> Any:
    """``norm.pdf(x, loc, scale)`` and its like."""
    values, place = parameters_of(cx, dist, args, kwargs)
    return doors.call(cx, Lit(method), [dist, x, values, *place], {})


def of_distribution(cx: Context, method: object, dist: Lit, *args: Value, **kwargs: Value) -> Any:
    """``norm.mean(loc, scale)`` and its like."""
    values, place = parameters_of(cx, dist, args, kwargs)
    return doors.call(cx, Lit(method), [dist, values, *place], {})


def parameters_of(
    cx: Context, dist: Lit, args: tuple[Value, ...], kwargs: dict[str, Value]
) -> tuple[Tup, list[Value]]:
    """Shape parameters, and location and scale in their places; distributions of counts have no scale."""
    from scipy.stats._distn_infrastructure import rv_continuous

    places = ["loc", "scale"] if isinstance(dist.value, rv_continuous) else ["loc"]
    shapes = getattr(dist.value, "shapes", None)
    names = [name.strip() for name in shapes.split(",")] if shapes else []
    given = dict(zip([*names, *places], args, strict=False)) | kwargs
    missing = [name for name in names if name not in given]
    if missing or not set(given) <= {*names, *places}:
        raise cx.unsupported("this call of a distribution", "its parameters do not fit", "check the call")
    usual = zip(places, (0, 1), strict=False)
    return Tup(tuple(given[name] for name in names)), [given.get(name, Lit(v)) for name, v in usual]


def without_nan_policy(cx: Context, fn: Callee, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Any:
    """A statistic of samples without NaN, along one axis: what the wrapper calls in the end."""
    cells = {
        name: cell.cell_contents
        for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True)
    }
    inner = cells["hypotest_fun_in"]
    parameters = inspect.signature(inner).parameters
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters.values())
    given = dict(kwargs) if variadic else dict(zip(parameters, args, strict=False)) | kwargs
    options = {name: cx.static_value(given.pop(name, Lit(usual))) for name, usual in USUAL.items()}
    if options != USUAL:
        raise cx.unsupported(
            f"`{fn.__name__}` with {options}", "only the defaults are followed", "treat NaN beforehand"
        )
    numbered = {str(i): v for i, v in enumerate(args)}
    samples = {k: as_sample(cx, v) for k, v in (numbered if variadic else given).items()}
    arrays = [v for v in samples.values() if isinstance(v, Arr)]
    ranks = [rank(cx, v) for v in arrays]
    if max(ranks, default=0) <= 1:
        given.pop("axis", None)
        samples.pop("axis", None)
    elif "axis" not in parameters or (cells.get("override") or {}).get("vectorization"):
        raise cx.unsupported(
            f"`{fn.__name__}` along an axis", "it is applied row by row", "write the loop out"
        )
    else:
        samples = along(cx, given.get("axis", Lit(cells.get("default_axis"))), samples)
    require_length(
        cx, cells.get("too_small"), [v for v, axes_of in zip(arrays, ranks, strict=True) if axes_of == 1]
    )
    if variadic:
        return doors.call(cx, Lit(inner), [samples[str(i)] for i in range(len(args))], given)
    return doors.call(cx, Lit(inner), [], samples)


def rank(cx: Context, value: Arr) -> int:
    type = cx.read(value).type
    return 9 if not isinstance(type, Array) or type.ndim is None else type.ndim


def as_sample(cx: Context, value: Value) -> Any:
    return cx.emit(np.asarray, value) if isinstance(value, Lst) else value


def along(cx: Context, axis: Value, samples: dict[str, Value]) -> dict[Any, Any]:
    """The arguments for samples of several axes."""
    axis = cx.demand(axis, "`axis`")
    rest = {k: v for k, v in samples.items() if k != "axis"}
    if axis is None:
        return {k: cx.emit(np.ravel, v) if isinstance(v, Arr) else v for k, v in rest.items()}
    if not isinstance(axis, (int, np.integer)):
        raise cx.unsupported("several axes at once", "the statistic takes one", "reshape the array")
    return rest | {"axis": Lit(int(axis))}


def require_length(cx: Context, too_small: object, samples: list[Arr]) -> None:
    """The wrapper gives NaN for samples that are too small: then the program stops."""
    from ...ir.builtin import assert_

    if not isinstance(too_small, int):
        return
    for sample in samples:
        enough = cx.emit(operator.gt, doors.length(cx, sample), Lit(too_small))
        text = Lit("a sample is too small for this statistic")
        cx.builder.append(Op(assert_, (cx.arg(enough), text), (), {}, cx.builder.span, effect=True))


def without_device(options: dict[str, object]) -> dict[str, Any]:
    """The keywords of the array API that NumPy needs."""
    dropped = {"xp", "device"} | {k for k in ("copy",) if getattr(options.get(k), "value", 0) is None}
    return {k: v for k, v in options.items() if k not in dropped}


def is_question(name: str) -> bool:
    """``is_numpy_namespace``, ``is_lazy_array``: true or false by the array library alone."""
    return name.startswith("is_") and name.endswith(("_namespace", "_array", "_array_obj", "_api_obj"))


OF_ARRAY_KIND = {
    "is_numpy",
    "is_cupy",
    "is_torch",
    "is_jax",
    "is_dask",
    "is_array_api_strict",
    "is_lazy_array",
}
OF_ARRAY_KIND |= {
    "xp_default_dtype",
    "is_marray",
    "_is_numpy",
    "get_xp_devices",
    "xp_device",
    "default_xp",
    "xp_result_device",
}
USUAL = {"nan_policy": "propagate", "keepdims": False}
