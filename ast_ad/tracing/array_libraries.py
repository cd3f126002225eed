"""What stands, while tracing, for what a library of one face for all arrays makes of NumPy's own parts?

``array_api_compat``, and the copies of it within other libraries, have their own ``solve``, ``eig`` and
``eigvals``: they call what NumPy's functions are made of, which takes plain arrays only.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from .replacements import arriving

PACKAGE = "array_api_compat.numpy.linalg"
OWNERS = "", "scipy._lib.", "scipy._external.", "sklearn.externals."


def solve(a: Any, b: Any, /) -> Any:
    """As NumPy's, which differs for vectors in stacks only, and not since NumPy 2."""
    return np.linalg.solve(a, b)


def eigvals(a: Any, /) -> Any:
    """As NumPy's, but complex whatever they are."""
    return as_complex(np.linalg.eigvals(a))


def as_complex(values: Any) -> Any:
    return values.astype(np.result_type(values.dtype, np.complex64))


def standing(library: types.ModuleType) -> list[tuple[Any, Any]]:
    """The library's functions and what stands for each."""

    def eig(a: Any, /) -> Any:
        values, vectors = np.linalg.eig(a)
        return library.EigResult(as_complex(values), as_complex(vectors))

    own = {"solve": solve, "eig": eig, "eigvals": eigvals}
    found = {name: vars(library).get(name) for name in own}
    return [
        (original, own[name])
        for name, original in found.items()
        if isinstance(original, types.FunctionType) and original.__module__ == library.__name__
    ]


arriving.extend((owner + PACKAGE, standing) for owner in OWNERS)
