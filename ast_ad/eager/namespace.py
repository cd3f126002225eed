"""Which names of the tensor library does the package show? All that PyTorch has at the same place."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

from . import dtypes, metadata, modes, printing
from .operations.out_arguments import taking_out
from .surface import FUNCTIONS
from .tensor import Tensor

# The modules that define operations; importing them fills the tables of ``surface``.
DEFINING = (
    "operations.creation",
    "operations.indexing",
    "operations.shapes",
    "operations.layout",
    "operations.conversions",
    "operations.pieces",
    "operations.resizing",
    "operations.joining",
    "operations.replacing",
    "operations.arithmetic",
    "numpy_protocol",
    "operations.pointwise",
    "operations.comparisons",
    "operations.reductions",
    "operations.extrema",
    "operations.products",
    "operations.added_products",
    "operations.combinations",
    "operations.selections",
    "operations.index_slices",
    "operations.activations",
    "operations.randomness",
    "operations.linear_algebra",
    "operations.factors_checked",
    "operations.matrix_norms",
    "operations.series",
    "operations.distances",
    "operations.special_functions",
    "operations.recurrent",
    "operations.threads",
    "operations.typed",
    "operations.leaf_attributes",
    "operations.settings",
)

for _module in DEFINING:
    import_module(f".{_module}", __package__)

NAMES: dict[str, Any] = {
    **{name: taking_out(name, fn) for name, fn in FUNCTIONS.items()},
    **dtypes.NAMESPACE,
    **{
        name: getattr(dtypes, name)
        for name in ("dtype", "finfo", "iinfo", "get_default_dtype", "set_default_dtype", "promote_types",
                     "can_cast", "result_type")
    },
    **{
        name: getattr(metadata, name)
        for name in ("Size", "device", "layout", "memory_format", "strided", "channels_last",
                     "channels_last_3d", "contiguous_format", "preserve_format")
    },
    **{
        name: getattr(modes, name)
        for name in ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "is_grad_enabled",
                     "is_inference_mode_enabled", "is_anomaly_enabled", "is_anomaly_check_nan_enabled")
    },
    **{  # methods that are functions too
        name: Tensor.__dict__[name]
        for name in ("fill_", "zero_", "detach", "detach_", "index_put_", "xlogy_", "addmv_", "gcd_", "lcm_",
                     "ldexp_")
        if name in Tensor.__dict__
    },
    **{"inf": math.inf, "nan": math.nan, "pi": math.pi, "e": math.e, "newaxis": None},
    "set_printoptions": printing.set_printoptions,
    "Tensor": Tensor,
}  # fmt: skip
