"""Which functions has ``ast_ad.random``? Those that set and save the state of the random numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..eager.operations.randomness import (
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

__all__ = [
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, **ignored: Any) -> Iterator[None]:
    """A block after which the random numbers go on as if nothing had been drawn in it.

    >>> import ast_ad
    >>> _ = ast_ad.manual_seed(0)
    >>> with fork_rng():
    ...     inside = ast_ad.rand(2)
    >>> bool((ast_ad.rand(2) == inside).all())
    True
    """
    kept = get_rng_state() if enabled else None
    try:
        yield
    finally:
        if enabled:
            set_rng_state(kept)
