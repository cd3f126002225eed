"""Which calls make structured arrays in a trace? Objects that hold a traced array for each field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..rules.structured import is_structured, makers, makers_alike


def of_records(original: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The structured array that a call makes; None for any other call."""
    first = args[0] if args else None
    like = is_structured(type(first))
    program = (makers_alike if like and original is not np.array else makers).get(original)
    asked = args[1] if len(args) > 1 else kwargs.get("dtype")
    if program is None or not like and not isinstance(asked, (np.dtype, list)):
        return None
    dtype = np.dtype(asked) if asked is not None else first.dtype  # type: ignore[union-attr]
    return None if dtype.names is None else program(first, dtype)
