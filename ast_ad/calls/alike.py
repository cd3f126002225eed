"""Is a cotangent like its value, a tangent like its argument: in structure, in shape, in kind?

``structured`` gives the leaves in the order of what they belong to, ``as_like`` one of them with its dtype.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputTypeError, InputValueError
from ..trees import TreeDef, aligned


def structured(tree: TreeDef, given: Any, what: str, of: str) -> list[Any]:
    """The leaves of what is given, in the order of a structure.

    Raises:
        InputValueError: it has another one.
    """
    try:
        return aligned(tree, given)
    except ValueError as error:
        raise InputValueError(
            f"a {what} with other leaves than the {of}",
            why=f"{error} in the {of} (a leaf is *: a number or an array)",
            fix=f"give the {what} the structure of the {of}",
        ) from None


def as_like(leaf: Any, shape: tuple[int, ...], dtype: np.dtype, what: str, of: str) -> Any:
    """A part of a cotangent or tangent with the dtype of what it belongs to; see ``check_like``."""
    check_like(leaf, shape, dtype, what, of)
    return leaf.astype(dtype, copy=False) if isinstance(leaf, (np.ndarray, np.generic)) else dtype.type(leaf)


def check_like(leaf: Any, shape: tuple[int, ...], dtype: np.dtype, what: str, of: str) -> None:
    """A cotangent has the shape of its value, a tangent that of its argument, and is real where that is.

    Raises:
        InputValueError, InputTypeError: it is not so.
    """
    if leaf is None or np.shape(leaf) != shape:
        raise InputValueError(
            f"a {what} of shape {np.shape(leaf)}" if leaf is not None else f"None as a part of a {what}",
            why=f"the {of} has shape {shape}",
            fix=f"give the {what} the shape of the {of}",
        )
    kind = np.result_type(leaf).kind
    if kind == "c" != dtype.kind or kind not in "biufc":
        raise InputTypeError(
            f"a complex {what}" if kind == "c" else f"a {what} of dtype {np.result_type(leaf)}",
            why=f"the {of} is real ({dtype})" if kind == "c" else f"the {of} has {dtype}",
            fix="pass its real part" if kind == "c" else "pass numbers",
        )
