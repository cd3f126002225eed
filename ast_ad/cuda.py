"""Is there a graphics processor? None that this library would use, as it tells programs that ask."""

from __future__ import annotations

__all__ = ["current_device", "device_count", "is_available", "is_initialized", "synchronize"]


def is_available() -> bool:
    """False."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def current_device() -> int:
    """
    Raises:
        AssertionError: always.
    """
    raise AssertionError("Torch not compiled with CUDA enabled")


def synchronize(device: object = None) -> None:
    """
    Raises:
        AssertionError: always.
    """
    raise AssertionError("Torch not compiled with CUDA enabled")
