"""When may a traced number be hashed? While a set is made of it, or asked for it (asked_numbers.py).

What is found by a key has the history of another number, but a set gives what was put into it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


class _Hashing(threading.local):
    by_value = False


hashing = _Hashing()


@contextlib.contextmanager
def hashed_by_value() -> Iterator[None]:
    """Traced numbers are hashed as their values are, and as equal."""
    before, hashing.by_value = hashing.by_value, True
    try:
        yield
    finally:
        hashing.by_value = before
