"""Is there a graphics processor? None that this library would use, as it tells programs that ask."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = [
    "current_device",
    "device_count",
    "empty_cache",
    "get_device_name",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "memory_allocated",
    "memory_reserved",
    "reset_peak_memory_stats",
    "set_device",
    "synchronize",
]


def is_available() -> bool:
    """False."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def _absent() -> NoReturn:
    raise AssertionError("Torch not compiled with CUDA enabled")


def current_device() -> int:
    """
    Raises:
        AssertionError: always.
    """
    _absent()


def synchronize(device: object = None) -> None:
    """
    Raises:
        AssertionError: always.
    """
    _absent()


def set_device(device: object) -> None:
    """
    Raises:
        AssertionError: always.
    """
    _absent()


def get_device_name(device: object = None) -> str:
    """
    Raises:
        AssertionError: always.
    """
    _absent()


def manual_seed(seed: int) -> None:
    """Nothing: there is no other source of random numbers to start anew."""


def manual_seed_all(seed: int) -> None:
    """Nothing: there is no other source of random numbers to start anew."""


def empty_cache() -> None:
    """Nothing: there is no memory to give back."""


def reset_peak_memory_stats(device: object = None) -> None:
    """
    Raises:
        AssertionError: always.
    """
    _absent()


def memory_allocated(device: object = None) -> int:
    """0."""
    return 0


def max_memory_allocated(device: object = None) -> int:
    """0."""
    return 0


def memory_reserved(device: object = None) -> int:
    """0."""
    return 0


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "amp":
        return import_module(".amp", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
