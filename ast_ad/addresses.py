"""Under which addresses of earlier versions are modules found? As the same objects, with no second copy.

``import ast_ad.nn.functional`` gives ``ast_ad.torch.nn.functional``; pickles, checkpoints and saved
derivatives name modules as they were called when they were written.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec

TYPE_CHECKING = False  # as in ``typing``, which is not needed for anything else: this module is always loaded
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

PACKAGE = __name__.rpartition(".")[0]
# PyTorch's packages, which are found in the top package, too.
TORCH = (
    "_C", "amp", "autograd", "backends", "cuda", "func", "linalg", "nn", "optim", "random", "safetensors",
    "special", "testing", "utils",
)  # fmt: skip
# What users, pickles and saved derivatives called by another name. The longest that fits counts.
MOVED = {
    **{name: f"torch.{name}" for name in TORCH},
    "files": "torch.serialization",
    "fallback": "tracing",
    "fallback.calls": "calls.traced_callees",
    "derivative": "calls.derivative",
    "ir.builtin": "compiler.ir.builtin",
    "kernels": "rules.loops",
    "backends.kernels": "compiler.kernels.runtime",
    "backends.threads": "compiler.kernels.threads",
    "backends.vector_math": "compiler.kernels.vector_math",
    **{
        f"backends.{name}": f"compiler.kernels.numbers.{name}"
        for name in (
            "kernel_math", "matrix_functions", "promoted", "python_math", "selections", "special_math",
        )
    },
    **{
        f"rules.{name}": f"rules.numpy.{name}"
        for name in (
            "contractions", "creation", "cumulative", "decompositions", "diagonals", "discrete",
            "elementwise", "fft", "gather", "indexing", "joining", "linalg", "masked", "norms",
            "polynomials", "products", "reductions", "scalars", "shapes", "signal", "sorting",
            "statistics", "views",
        )
    },
    **{
        f"eager.{name}": f"eager.operations.{name}"
        for name in (
            "activations", "added_products", "arithmetic", "combinations", "comparisons", "conversions",
            "creation", "dimensions", "distances", "extrema", "factors_checked", "index_checks",
            "index_slices", "indexing", "joining", "layout", "leaf_attributes", "linear_algebra",
            "matrix_norms", "nested_data", "out_arguments", "pieces", "pointwise", "products",
            "randomness", "recurrent", "reductions", "refusals", "replacing", "resizing", "return_types",
            "selections", "series", "settings", "shapes", "special_functions", "threads", "typed",
            "whole_factors", "writing",
        )
    },
    "autograd.sweeps": "eager.sweeps",
}  # fmt: skip
# Families of rules that had their own prefix.
FAMILIES = {"rules.nn_": "rules.networks.", "rules.scipy_": "rules.scipy.", "rules.torch_": "rules.torch."}


def address(name: str) -> str:
    """Where a module below the package is by now, by its dotted name below the package.

    >>> address("nn.functional"), address("rules.torch_losses"), address("errors")
    ('torch.nn.functional', 'rules.torch.losses', 'errors')
    """
    for prefix, family in FAMILIES.items():
        if name.startswith(prefix):
            return family + name.removeprefix(prefix)
    head = name
    while head and head not in MOVED:
        head = head.rpartition(".")[0]
    return MOVED[head] + name.removeprefix(head) if head else name


class _Alias:
    """Puts a module in the place of the new one that the import system has made for its other address.

    So the module's own ``__spec__`` and ``__name__`` are never touched.
    """

    def __init__(self, real: str) -> None:
        self.real = real

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        sys.modules[module.__spec__.name] = import_module(self.real)


class Addresses:
    """Finds modules under their other addresses. It stands first, before files are looked for.

    While a first ``import ast_ad`` is under way in another thread, these addresses are not known yet.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        top, _, name = fullname.partition(".")
        if top != PACKAGE or not name:
            return None
        real = address(name)
        if real == name:
            return None
        loader: Any = _Alias(f"{PACKAGE}.{real}")
        return ModuleSpec(fullname, loader)


def register() -> None:
    """Let the import system ask for other addresses, once."""
    if not any(isinstance(finder, Addresses) for finder in sys.meta_path):
        sys.meta_path.insert(0, Addresses())
