"""What does ``out=`` mean? The result is written to a tensor that the caller gives; its shape may change."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from ..checks import type_name
from ..mutation import check_result
from ..recording import is_active
from ..state import state
from ..tensor import Tensor
from .writing import copy_

# The functions that take it, as PyTorch's do.
TAKING = set(
    """
    abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr all amax amin aminmax angle any
    arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2 atanh baddbmm
    bernoulli bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor bmm
    bucketize cat ceil chain_matmul cholesky cholesky_inverse cholesky_solve clamp clip column_stack
    complex concat concatenate conj_physical copysign cos cosh cross cummax cummin cumprod cumsum
    deg2rad diag diff digamma div divide dot dstack empty erf erfc erfinv exp exp2 expm1 eye eq fix
    float_power floor floor_divide fmax fmin fmod frac frexp full gather gcd ge ger greater
    greater_equal gt heaviside histc histogram hstack hypot i0 igamma igammac index_select inner inverse
    isneginf isposinf kron kthvalue lcm ldexp le lerp less less_equal lgamma linspace log log10 log1p
    log2 logaddexp logaddexp2 logcumsumexp logical_and logical_not logical_or logical_xor logit logspace
    logsumexp lt masked_select matmul matrix_power max maximum mean min minimum mm mode msort mul
    multinomial multiply mv mvlgamma nan_to_num nanmean nanquantile ne neg negative nextafter nonzero
    norm normal not_equal ones orgqr outer polar polygamma pow prod qr quantile rad2deg rand randint
    randn randperm reciprocal remainder renorm round row_stack rsqrt scatter scatter_add searchsorted
    sgn sigmoid sign signbit sin sinc sinh slogdet softmax sort sqrt square stack std std_mean sub
    subtract sum svd take take_along_dim tan tanh tensordot topk triangular_solve tril tril_indices triu
    triu_indices true_divide trunc var var_mean vdot vstack where xlogy zeros
    """.split()
)
RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the "
    "required output shape {}. This behavior is deprecated, and in a future PyTorch release outputs will "
    "not be resized unless they have zero elements. You can explicitly reuse an out tensor t by resizing "
    "it, inplace, to zero elements with t.resize_(0)."
)


def taking_out(name: str, fn: Callable[..., Any]) -> Callable[..., Any]:
    """``fn`` with an argument ``out``, if it is one of those that take it."""
    return with_out(name, fn) if name in TAKING else fn


def with_out(name: str, fn: Callable[..., Any]) -> Callable[..., Any]:
    """``fn`` with an argument ``out``."""
    if isinstance(fn, type) or "out" in getattr(getattr(fn, "__code__", None), "co_varnames", ()):
        return fn

    @functools.wraps(fn)
    def run(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        if out is None:
            return fn(*args, **kwargs)
        targets = out if isinstance(out, (tuple, list)) else (out,)
        for target in targets:
            if not isinstance(target, Tensor):
                raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(target)}")
        if state.grad and any(map(is_active, (*args, *kwargs.values(), *targets))):
            if state.dual is not None:
                raise RuntimeError(
                    f"Trying to use forward AD with {name}_out that does not support it because it is an "
                    "out= function"
                )
            raise RuntimeError(
                f"{name}(): functions with out=... arguments don't support automatic differentiation, but "
                "one of the arguments requires grad."
            )
        found = fn(*args, **kwargs)
        results = found if isinstance(found, tuple) else (found,)
        for target, result in zip(targets, results, strict=True):
            _write(target, result)
        if not isinstance(found, tuple):
            return out
        return type(found)(*targets) if hasattr(found, "_fields") else tuple(targets)

    return run


def _write(target: Tensor, result: Tensor) -> None:
    """Let ``target`` show ``result``, in its own dtype."""
    shape, needed = target._array.shape, result._array.shape
    if shape != needed:
        if target._array.size:
            warnings.warn(RESIZED.format(list(shape), list(needed)), UserWarning, stacklevel=3)
        target.resize_(needed)
        target._version_counter[0] -= 1  # one change with what follows
    check_result(result._array, target._array)
    copy_(target, result)
