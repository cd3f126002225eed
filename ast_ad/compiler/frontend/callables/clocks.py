"""How is a clock read? By an operation that stays where it is, and is done once.

What it shows has no derivative, and is another number in each run. Where the result of a function hangs on
it, the first call finds no other run to compare it with.
"""

from __future__ import annotations

import time
from typing import Any

from ...ir.types import Scalar
from ..context import Context
from ..tables import CALLS

CLOCKS = time.time, time.perf_counter, time.monotonic, time.process_time, time.thread_time
COUNTERS = time.time_ns, time.perf_counter_ns, time.monotonic_ns, time.process_time_ns, time.thread_time_ns


def reader(clock: Any, kind: str) -> Any:
    """The reader of calls of a clock."""

    def read(cx: Context) -> Any:
        return cx.builder.opaque(clock, (), Scalar(kind), True)

    return read


CALLS.update({clock: reader(clock, "float") for clock in CLOCKS})
CALLS.update({clock: reader(clock, "int") for clock in COUNTERS})
