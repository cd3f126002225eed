"""Does the code of a class give an object an attribute? ``hasattr`` asks it, and ``getattr`` with a default.

These are read like functions of the user's, with what their handlers catch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def gives(code: Callable[..., Any], owner: Any, name: str) -> bool:
    try:
        code(owner, name)
    except AttributeError:
        return False
    return True


def given_or(code: Callable[..., Any], owner: Any, name: str, default: Any) -> Any:
    try:
        found = code(owner, name)
    except AttributeError:
        return default
    return found
