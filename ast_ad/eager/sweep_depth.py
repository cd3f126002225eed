"""How deep may sweeps start sweeps? As deep as memory allows: every so many levels another thread goes on."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any

from .state import state

LEVELS = 40  # sweeps that one thread nests, far from Python's limit of nested calls


def in_another_thread(fn: Callable[..., Any], *args: Any) -> Any:
    """``fn(*args)``, run under the modes of this thread by another one, with a stack of its own."""
    modes = dict(state.__dict__)
    context = contextvars.copy_context()
    results: list[Any] = []
    errors: list[BaseException] = []

    def run() -> None:
        state.__dict__.update(modes)
        try:
            results.append(context.run(fn, *args))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="nested backward")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
