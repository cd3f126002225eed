"""In which module is a class or a function at home? What was made by ``exec`` may have none."""

from __future__ import annotations

from typing import Any


def home_of(made: Any) -> str:
    """The name of the module of a class or function; empty where there is none, or no name.

    >>> home_of(len)
    'builtins'
    >>> home_of(type("Made", (), {"__module__": None}))
    ''
    """
    found = getattr(made, "__module__", None)
    return found if isinstance(found, str) else ""
