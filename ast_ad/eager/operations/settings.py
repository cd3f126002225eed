"""Which of PyTorch's settings are accepted? Those that change speed or placement, never what is computed.

They are remembered, and told to programs that ask; nothing here depends on them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ..metadata import device as device_of
from ..surface import function
from ..warn_once import is_warn_always_enabled, set_warn_always

PRECISIONS = ("highest", "high", "medium")
_settings: dict[str, Any] = {"precision": "highest", "deterministic": False, "warn_only": False}


for _setting in (set_warn_always, is_warn_always_enabled):
    function(method=False)(_setting)


@function(method=False)
def compile(model: Any = None, **options: Any) -> Any:
    """``model``, a module or a function, as it is: what it computes does not depend on being compiled.

    Args:
        model: what to return; without it, a decorator that returns what it is given.
        **options: PyTorch's; without effect.

    >>> import ast_ad
    >>> @ast_ad.compile(mode="max-autotune")
    ... def double(x):
    ...     return 2 * x
    >>> double(ast_ad.ones(1))
    tensor([2.])
    """
    if model is None:

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            return function

        return decorate
    return model


@function(method=False)
def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for results that do not vary from run to run; they never do."""
    _settings["deterministic"], _settings["warn_only"] = bool(mode), bool(warn_only)


@function(method=False)
def are_deterministic_algorithms_enabled() -> bool:
    """What ``use_deterministic_algorithms`` has set last."""
    return bool(_settings["deterministic"])


@function(method=False)
def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """What ``use_deterministic_algorithms`` has set last."""
    return bool(_settings["warn_only"])


@function(method=False)
def set_float32_matmul_precision(precision: str) -> None:
    """Allow matrix products of single precision to be less precise; they never are."""
    if precision not in PRECISIONS:
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current"
            "setFloat32MatmulPrecision call has no effect.",
            stacklevel=2,
        )
        return
    _settings["precision"] = precision


@function(method=False)
def get_float32_matmul_precision() -> str:
    """What ``set_float32_matmul_precision`` has set last."""
    return str(_settings["precision"])


@function(method=False)
def set_default_device(device: Any) -> None:
    """Where tensors are made: on the CPU; ``RuntimeError`` for another device."""
    if device is not None:
        device_of(device)


@function(method=False)
def get_default_device() -> device_of:
    """The CPU."""
    return device_of("cpu")


@function(method=False)
def is_autocast_enabled(device_type: str | None = None) -> bool:
    """False: precisions are not mixed."""
    return False
