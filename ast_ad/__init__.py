"""What does a user import? ``grad``, ``value_and_grad``, ``vjp``, ``inspect``, and the errors they raise.

The compiler is loaded when one of these names is first used, so that importing the package stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import grad, inspect, value_and_grad, vjp
    from .errors import AdError

__version__ = "0.1.0"
__all__ = ["AdError", "grad", "inspect", "value_and_grad", "vjp"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    errors = import_module(".errors", __name__)
    if name in __all__ and not hasattr(errors, name):
        return getattr(import_module(".api", __name__), name)
    if isinstance(error := getattr(errors, name, None), type) and issubclass(error, errors.AdError):
        return error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
