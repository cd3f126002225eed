"""Which types of elements does an operation refuse, and in which words?"""

from __future__ import annotations

from typing import Any

from ..dtypes import scalar_name

# By function: the kinds of elements (b: bool, i: signed, u: unsigned, f, c) that PyTorch has a kernel for,
# and the kernel's name in its message.
KERNELS: dict[str, tuple[str, str]] = {
    "abs": ("iufc", "abs_cpu"),
    "floor": ("iuf", "floor_vml_cpu"),
    "ceil": ("iuf", "ceil_vml_cpu"),
    "trunc": ("iuf", "trunc_vml_cpu"),
    "round": ("iuf", "round_vml_cpu"),
    "frac": ("f", "frac_cpu"),
    "erf": ("biuf", "erf_vml_cpu"),
    "erfc": ("biuf", "erfc_vml_cpu"),
    "erfinv": ("biuf", "erfinv_vml_cpu"),
    "lgamma": ("biuf", "lgamma_vml_cpu"),
    "digamma": ("biuf", "digamma"),
    "i0": ("biuf", "i0_vml_cpu"),
    "logit": ("biuf", "logit_cpu"),
    "fmod": ("iuf", "fmod_cpu"),
    "hypot": ("f", "hypot_cpu"),
    "atan2": ("biuf", "atan2_cpu"),
    "logaddexp": ("f", "logaddexp_cpu"),
    "logaddexp2": ("f", "logaddexp2_cpu"),
    "nextafter": ("f", "nextafter_cpu"),
    "xlogy": ("biuf", "xlogy_cpu"),
    "lt": ("biuf", "lt_cpu"),
    "le": ("biuf", "le_cpu"),
    "gt": ("biuf", "gt_cpu"),
    "ge": ("biuf", "ge_cpu"),
    "copysign": ("biuf", "copysign_cpu"),
    "logcumsumexp": ("f", "logcumsumexp_out_cpu"),
    "gcd": ("iu", "gcd_cpu"),
    "lcm": ("iu", "lcm_cpu"),
    "bitwise_and": ("biu", "bitwise_and_cpu"),
    "bitwise_or": ("biu", "bitwise_or_cpu"),
    "bitwise_xor": ("biu", "bitwise_xor_cpu"),
    "bitwise_left_shift": ("iu", "lshift_cpu"),
    "bitwise_right_shift": ("iu", "rshift_cpu"),
    "median": ("iuf", "median_cpu"),
    "mode": ("biuf", "mode_cpu"),
    "kthvalue": ("iuf", "kthvalue_cpu"),
    "max": ("biuf", "max_all"),
    "min": ("biuf", "min_all"),
    "amax": ("biuf", "max_values_cpu"),
    "amin": ("biuf", "min_values_cpu"),
    "aminmax": ("biuf", "aminmax_cpu"),
    "cummax": ("biuf", "cummax_cpu"),
    "cummin": ("biuf", "cummin_cpu"),
    "unique": ("biuf", "unique"),
    "dot": ("iufc", "dot"),
    "mm": ("iufc", "addmm_impl_cpu_"),
    "mv": ("iufc", "addmv_impl_cpu"),
    "bmm": ("iufc", "bmm"),
    "addmm": ("iufc", "addmm_impl_cpu_"),
    "addmv": ("iufc", "addmv_impl_cpu"),
    "addbmm": ("iufc", "addmm_impl_cpu_"),
    "baddbmm": ("iufc", "baddbmm"),
    "addcmul": ("iufc", "addcmul_cpu_out"),
    "lerp": ("fc", "lerp_kernel_scalar"),
    "histc": ("f", "histogram_cpu"),
    "floordiv": ("iuf", "div_floor_cpu"),
    "mod": ("iuf", "remainder_cpu"),
    "bucketize": ("biuf", "searchsorted_out_cpu"),
    "searchsorted": ("biuf", "searchsorted_out_cpu"),
    "bincount": ("iu", "bincount_cpu"),
    "threshold": ("iuf", "threshold_cpu"),
}
WORDS: dict[tuple[str, str], tuple[type[Exception], str]] = {
    ("sign", "c"): (
        NotImplementedError,
        "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.",
    ),
    ("relu", "c"): (NotImplementedError, "clamp is not supported for complex types"),
    ("clamp", "c"): (NotImplementedError, "clamp is not supported for complex types"),
    ("relu", "b"): (RuntimeError, "Boolean inputs not supported for relu"),
    ("neg", "b"): (
        RuntimeError,
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, "
        "use the `~` or `logical_not()` operator instead.",
    ),
    ("abs_", "c"): (RuntimeError, "In-place abs is not supported for complex tensors."),
    ("floor", "c"): (NotImplementedError, "floor is not supported for complex inputs"),
    ("ceil", "c"): (NotImplementedError, "ceil is not supported for complex inputs"),
    ("trunc", "c"): (NotImplementedError, "trunc is not supported for complex inputs"),
    ("deg2rad", "c"): (RuntimeError, "deg2rad is not supported for complex tensors."),
    ("rad2deg", "c"): (RuntimeError, "rad2deg is not supported for complex tensors."),
    ("isposinf", "c"): (RuntimeError, "isposinf does not support complex inputs."),
    ("isneginf", "c"): (RuntimeError, "isneginf does not support complex inputs."),
    ("signbit", "c"): (NotImplementedError, "signbit is not implemented for complex tensors."),
    ("maximum", "c"): (RuntimeError, "maximum not implemented for complex tensors."),
    ("minimum", "c"): (RuntimeError, "minimum not implemented for complex tensors."),
    ("fmax", "c"): (RuntimeError, "fmax not implemented for complex tensors."),
    ("fmin", "c"): (RuntimeError, "fmin not implemented for complex tensors."),
    ("nansum", "c"): (RuntimeError, "nansum on CPU does not support complex inputs"),
    ("max_along", "c"): (RuntimeError, "max(): does not support complex input"),
    ("min_along", "c"): (RuntimeError, "min(): does not support complex input"),
    ("argmax", "c"): (RuntimeError, "argmax(): does not support complex input"),
    ("argmin", "c"): (RuntimeError, "argmin(): does not support complex input"),
    ("argmax", "b"): (RuntimeError, "argmax(): does not support bool input"),
    ("argmin", "b"): (RuntimeError, "argmin(): does not support bool input"),
    ("topk", "b"): (RuntimeError, "topk does not support bool dtypes on CPU"),
    ("topk", "c"): (RuntimeError, " topk does not support complex dtypes on CPU"),
    ("heaviside", "c"): (RuntimeError, "heaviside is not yet implemented for complex tensors."),
    ("sort", "c"): (RuntimeError, " Sort does not support complex dtypes on CPU"),
    **{
        ("dist", kind): (
            RuntimeError,
            "linalg.vector_norm: Expected a floating point or complex tensor as input.",
        )
        for kind in "biu"
    },
}


def check_kind(name: str, dtype: Any) -> None:
    """Refuse elements that PyTorch's operation of this name does not take.

    >>> import numpy as np
    >>> check_kind("frac", np.dtype(int))
    Traceback (most recent call last):
    NotImplementedError: "frac_cpu" not implemented for 'Long'
    """
    kind = dtype.kind
    worded = WORDS.get((name, kind))
    if worded is not None:
        raise worded[0](worded[1])
    kinds, kernel = KERNELS.get(name, ("biufc", ""))
    if kind not in kinds:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(dtype)}'")


def check_in_place(name: str, dtype: Any, inexact: bool, result: Any) -> None:
    """Refuse to put a floating-point result into integers."""
    if inexact and dtype.kind in "iub":
        raise RuntimeError(
            f"result type {scalar_name(result)} can't be cast to the desired output type {scalar_name(dtype)}"
        )
    check_kind(name, dtype)
    check_kind(f"{name}_", dtype)
