"""What could be told if a value had one type, and is refused because it has one of several?"""

from __future__ import annotations

from ....errors import AdError
from ...ir.alternatives import is_open
from ...ir.ops import Arg, Var, variables
from ...ir.types import Optional, Type


def of_several(error: AdError, *args: Arg) -> AdError:
    """An error, with the values of which it depends on the path taken what they are (``apart``)."""
    error.apart = open_variables(*args)  # type: ignore[attr-defined]
    return error


def open_variables(*args: Arg) -> list[Var]:
    """The variables that have one of several types, which the program can tell apart as it runs."""
    return [var for var in variables(*args) if is_askable(var.type)]


def is_askable(type: Type) -> bool:
    return is_open(type) or isinstance(type, Optional)
