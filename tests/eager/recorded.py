"""What is traced of an operation alone, in a module without tables.

Each trace looks for places of NumPy's functions in all that the namespace of the traced function holds: a
list of thousands of samples, such as those that tests run through, takes a tenth of a second every time.
"""

from __future__ import annotations

import contextvars
from typing import Any

from ast_ad.eager.numpy_protocol import run

_operation = contextvars.ContextVar[Any]("_operation")  # which is no name that a trace looks behind


def recorded(fn: Any) -> Any:
    """It is one function for all operations: where that finds its names is looked for once, not for each.

    Of those that are made, only the last one can be run.
    """
    _operation.set(fn)
    return _recorded


def _recorded(*args: Any, **kwargs: Any) -> Any:
    return run(_operation.get(), args, kwargs)
