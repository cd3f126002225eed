"""What does Numba read when it compiles while a function is traced? The names as they are without the trace.

A function that Numba compiles looks names up in its module, where replacements may stand. Other threads go on
tracing meanwhile, so that the names can't be put back for a while: Numba gets a copy of the function, with
names and closure of its own.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any


def shield(originals: Callable[[types.FunctionType], types.FunctionType]) -> None:
    """Let Numba, if it has been imported, read ``originals(function)`` in the place of each function."""
    module = sys.modules.get("numba.core.bytecode")
    reader = getattr(module, "FunctionIdentity", None)
    if reader is None or "_ast_ad_reads" in vars(reader):
        return
    plain = reader.from_function.__func__

    def from_function(cls: Any, function: Any) -> Any:
        return plain(cls, originals(function) if isinstance(function, types.FunctionType) else function)

    reader._ast_ad_reads = True
    reader.from_function = classmethod(from_function)
