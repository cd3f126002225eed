"""What does the eager mode know beside its tensors? The modes of this thread, and how NumPy is kept quiet."""

from __future__ import annotations

import contextvars
import threading
from typing import Any

import numpy as np


class State(threading.local):
    """The modes of one thread; a new thread starts with these defaults.

    ``grad``: operations are recorded. ``inference``: results are inference tensors. ``pack``: the innermost
    pair of saved-tensor hooks; ``packs``: all of them. ``ordinary``: there is no such pair, and ``safe`` is
    off. ``no_pack``: why hooks are forbidden. ``multithreading``: a setting that has no effect. ``safe``: a
    cotangent of 0 stays 0 when it is multiplied by an infinite derivative. ``tracing``: how many functions
    are being traced; 0 within the operations that they call. ``sweep``: the reverse sweep under way.
    ``rules``: the code of a rule runs on tensors, which may be sliced backwards as arrays are; it is the
    dtype of what follows from integers there. ``replays``: changed views keep the name of the operation
    that made them. ``node``: the node whose backward runs user's code. ``group``: the group of sweeps that
    share what checkpoints compute anew. ``dual``: the level in which tensors may carry tangents.
    ``rounded``: a value that has a derivative was rounded to some decimals, since this was set to False.
    ``ruled``: a function with a rule of the user's own was recorded, since this was set to False.
    ``before_change(t)`` is called before a tensor is changed in place.
    """

    grad = True
    inference = False
    pack: Any = None
    packs: tuple[Any, ...] = ()
    ordinary = True
    no_pack: str | None = None
    multithreading = True
    before_change: Any = None
    safe = False
    tracing = 0
    sweep: Any = None
    node: Any = None
    group: Any = None
    dual: Any = None
    rules: Any = None
    replays = False
    rounded = False
    ruled = False


state = State()


class Watch:
    """What looks on at every operation of the program: a profiler, and the detection of anomalies."""

    profiler: Any = None
    anomaly = False
    check_nan = True


watch = Watch()


def _quiet_context() -> tuple[Any, Any]:
    """NumPy's context variable of floating-point errors, and its value under which none is reported."""
    with np.errstate(all="ignore"):
        context = contextvars.copy_context()
        for variable in context:
            if variable.name == "numpy.ufunc.extobj":
                return variable, context[variable]
    return None, None


_variable, _silent = _quiet_context()

# Entering np.errstate takes longer than a small operation; its variable is set in an eighth of the time.
if _variable is not None:

    def silence() -> Any:
        """Report no floating-point errors until ``restore`` is given the result."""
        return _variable.set(_silent)

    restore = _variable.reset
else:  # pragma: no cover - an older NumPy

    def silence() -> Any:
        return np.seterr(all="ignore")

    def restore(token: Any) -> None:
        np.seterr(**token)
