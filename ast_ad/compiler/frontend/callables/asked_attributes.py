"""Does the code of a class give an object an attribute? ``hasattr`` asks it, and what it gives is dropped.

This is read like a function of the user's, with what its handler catches.
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
