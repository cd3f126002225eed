"""What is traced of an operation alone, in a module without tables.

Each trace looks for places of NumPy's functions in all that the namespace of the traced function holds: a
list of thousands of samples, such as those that tests run through, takes a tenth of a second every time.
"""

from __future__ import annotations

from typing import Any

from ast_ad.eager.numpy_protocol import run


def recorded(fn: Any) -> Any:
    """Where it finds its names is looked for once, if it is traced again."""
    return lambda *args, **kwargs: run(fn, args, kwargs)
