"""Where are the parts of a profile? The names of PyTorch's ``torch.autograd.profiler_util``."""

from __future__ import annotations

from .profiler_events import EventList, FunctionEvent, FunctionEventAvg, Interval
from .profiler_table import format_memory as _format_memory, format_time as _format_time

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval", "_format_memory", "_format_time"]
