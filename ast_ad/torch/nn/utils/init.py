"""How is a module made whose parameters will be replaced anyway? As always: drawing them costs little."""

from __future__ import annotations

import inspect
from typing import Any

from ..modules.module import Module

__all__ = ["skip_init"]


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """``module_cls(*args, **kwargs)``, of whose parameters' values nothing is promised.

    Errors: ``RuntimeError`` for what is no class of modules, or one that takes no ``device``.

    >>> import ast_ad
    >>> skip_init(ast_ad.nn.Linear, 2, 3)
    Linear(in_features=2, out_features=3, bias=True)
    """
    if not (inspect.isclass(module_cls) and issubclass(module_cls, Module)):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    return module_cls(*args, **kwargs)
