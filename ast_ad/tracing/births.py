"""What was made since the present trace began, and is it a constant?"""

from __future__ import annotations

import threading
import weakref
from typing import Any

from ..eager.recording import needs_grad
from ..eager.state import state


class Births(threading.local):
    """The traced arrays made since the present trace of this thread began.

    ``unknown``: nothing is recorded, and yet what is made now is no constant afterwards.
    """

    made: list[weakref.ref[Any]] | None = None
    unknown = False


births = Births()


def is_followed(t: Any) -> bool:
    """Whether something would be lost without a word if a traced value became a plain one."""
    return bool(needs_grad(t) or (births.unknown and state.tracing))
