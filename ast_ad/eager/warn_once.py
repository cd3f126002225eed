"""How often is a user warned of the same thing? Once, or every time after ``set_warn_always(True)``."""

from __future__ import annotations

import warnings

_said: set[str] = set()
_always = False


def warn_once(text: str, stacklevel: int = 3) -> None:
    """Warn (UserWarning), unless this was said before."""
    if _always or text not in _said:
        _said.add(text)
        warnings.warn(text, UserWarning, stacklevel=stacklevel + 1)


def set_warn_always(b: bool, /) -> None:
    """Whether to repeat the warnings that are given once only by default."""
    global _always
    _always = b


def is_warn_always_enabled() -> bool:
    """Whether warnings are repeated that are given once only by default."""
    return _always
