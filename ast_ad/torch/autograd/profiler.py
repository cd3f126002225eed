"""Where does the time go? A profile of the operations of a block."""

from __future__ import annotations

import functools
import itertools
import json
import os
import re
import threading
import traceback
import warnings
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

import numpy as np

from ...eager.node import AccumulateGrad
from ...eager.state import watch
from ...eager.tensor import Tensor
from .profiler_events import EventList, FunctionEvent, FunctionEventAvg, Interval
from .profiler_surface import install, uninstall

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval", "profile", "record_function"]

EVALUATE = "autograd::engine::evaluate_function"
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(__file__))) + os.sep


@functools.cache
def aten_name(node: str) -> str:
    """The name of an operation in tables, from that of its nodes.

    >>> aten_name("LogSoftmaxBackward0")
    'aten::log_softmax'
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", node.partition("Backward")[0])
    return f"aten::{words.lower()}"


class _Threads(threading.local):
    """The operation under way in each thread, and the number of the thread."""

    current: FunctionEvent | None = None

    def __init__(self, numbers: Any) -> None:
        self.number = next(numbers)


class _Span:
    """The time of one event, as a block."""

    __slots__ = ("event", "outer", "profile")

    def __init__(self, profile: profile, name: str, args: Any) -> None:
        threads = profile._threads
        self.profile, self.outer = profile, threads.current
        event = self.event = FunctionEvent(
            next(profile._numbers), name, threads.number, parent=threads.current
        )
        if profile.record_shapes:
            event.input_shapes = [list(a._array.shape) if isinstance(a, Tensor) else [] for a in args]
        if profile.with_stack:
            event.stack = _callers()

    def __enter__(self) -> _Span:
        self.profile._threads.current = self.event
        self.profile._events.append(self.event)
        self.event.time_range.start = self.profile._now()
        return self

    def __exit__(self, *error: object) -> None:
        self.event.time_range.end = self.profile._now()
        self.profile._threads.current = self.outer

    def result(self, value: Any) -> Any:
        """``value``, whose memory is counted, and whose node has the number of the event."""
        if (node := getattr(value, "_node", None)) is not None:
            self.event.sequence_nr = node._number
        if self.profile.profile_memory:
            inner = sum(child.cpu_memory_usage for child in self.event.cpu_children)
            self.event.allocated = max(_bytes(value) - inner, 0)
        return value


class _NodeSpan(_Span):
    """The time of a step of the reverse sweep, within that of what it takes to make it."""

    __slots__ = ("evaluation",)

    def __init__(self, profile: profile, node: Any) -> None:
        self.evaluation = self._event_of(node, _Span(profile, f"{EVALUATE}: {node.name()}", ()))
        self.evaluation.__enter__()
        super().__init__(profile, node.name(), ())
        self._event_of(node, self)

    @staticmethod
    def _event_of(node: Any, span: _Span) -> _Span:
        event = span.event
        event.scope = 1
        if not isinstance(node, AccumulateGrad):
            event.sequence_nr, event.fwd_thread = node._number, event.thread
        return span

    def result(self, value: Any) -> Any:
        """``value``."""
        return value

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        self.evaluation.__exit__(*error)


class _Inside:
    """An operation that is timed already."""

    def __enter__(self) -> _Inside:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def result(self, value: Any) -> Any:
        """``value``."""
        return value


_INSIDE = _Inside()


def _bytes(value: Any) -> int:
    """The memory of new arrays: views have none of their own."""
    if isinstance(value, (tuple, list)):
        return sum(map(_bytes, value))
    array = getattr(value, "_array", value)
    return array.nbytes if isinstance(array, (np.ndarray, np.generic)) and array.base is None else 0


def _callers() -> list[str]:
    """The user's lines that led here, the innermost first."""
    frames = [f for f in traceback.extract_stack() if not f.filename.startswith(_PACKAGE)]
    return [f"{frame.filename}({frame.lineno}): {frame.name}" for frame in reversed(frames)]


class profile:
    """Time the operations of a block.

    Args:
        enabled: False: do nothing.
        record_shapes: note the shapes of the arguments.
        profile_memory: note the memory of the results.
        with_stack: note the callers.
        use_cuda, use_device, use_kineto, use_cpu, with_flops, with_modules, acc_events, experimental_config,
            custom_trace_id_callback, post_processing_timeout_s, activity_filters: accepted, without effect:
            there is but one device.

    Printed, it is a table; ``key_averages()`` sums up the events of equal names.

    >>> import ast_ad
    >>> x = ast_ad.ones(3)
    >>> with profile() as prof:
    ...     y = x * 2
    >>> [event.name for event in prof.function_events]
    ['aten::mul']
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Any = None,
        post_processing_timeout_s: float | None = None,
        activity_filters: Any = None,
    ) -> None:
        self.enabled = enabled
        if not enabled:
            return
        if use_cuda:
            text = "The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'``"
            text += " instead."
            warnings.warn(text, FutureWarning, stacklevel=2)
            use_device = "cuda"
        if use_device is not None:
            name = use_device.upper()
            known = use_device in ("cuda", "xpu", "hpu")
            text = f"{name} is not available, disabling {name} profiling"
            text = text if known else f"The {use_device} is not a valid device option."
            warnings.warn(text, stacklevel=2)
        self.use_device: str | None = None
        self.record_shapes, self.profile_memory = record_shapes or with_flops, profile_memory
        self.with_stack, self.with_flops, self.with_modules = with_stack, with_flops, with_modules
        self.entered = False
        self._finished = False
        self._events: list[FunctionEvent] = []
        self._threads = _Threads(itertools.count(1))
        self._numbers = itertools.count(1)
        self._began = 0
        self._outer: Any = None

    def __enter__(self) -> profile | None:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self.entered = True
        self._began = perf_counter_ns()
        self._outer, watch.profiler = watch.profiler, self
        install(self)
        return self

    def __exit__(self, *error: object) -> None:
        if self.enabled:
            watch.profiler = self._outer
            uninstall(self)
            self._finished = True

    def _now(self) -> float:
        return (perf_counter_ns() - self._began) / 1e3

    # ----- called by what runs
    def operation(self, op: Any, args: Any, suffix: str = "") -> _Span | _Inside:
        """The time of an operation on tensors."""
        forward = getattr(op, "_forward_cls", None)
        return self.block(aten_name(op.name) + suffix if forward is None else forward.__name__, args)

    def block(self, name: str, args: Any) -> _Span | _Inside:
        """The time of what a user calls, unless it is under way already under the same name."""
        running = self._threads.current
        if running is not None and running.name == name and not running.cpu_children:
            return _INSIDE
        return _Span(self, name, args)

    def node(self, node: Any) -> _Span:
        """The time of a step of the reverse sweep."""
        return _NodeSpan(self, node)

    # ----- results
    @property
    def function_events(self) -> EventList:
        """All events, in the order in which they began."""
        return EventList(self._events, self.profile_memory)

    def __repr__(self) -> str:
        return repr(self.function_events) if self._finished else "<unfinished torch.autograd.profile>"

    def __str__(self) -> str:
        return str(self.function_events) if self._finished else "<unfinished torch.autograd.profile>"

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
    ) -> str:
        """The events as a table; the arguments are those of ``EventList.table``."""
        return self.function_events.table(
            sort_by,
            row_limit,
            max_src_column_width,
            max_name_column_width,
            max_shapes_column_width,
            header,
            top_level_events_only,
        )

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """The events summed up: those of one name, and on demand of equal shapes and callers."""
        return self.function_events.key_averages(
            group_by_input_shape, group_by_stack_n, group_by_overload_name
        )

    def total_average(self) -> FunctionEventAvg:
        """All events as one."""
        return self.function_events.total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all events together, in microseconds."""
        return self.function_events.self_cpu_time_total

    def export_chrome_trace(self, path: str, metadata: Any = None, use_python_export: bool = False) -> None:
        """Write the events as JSON for chrome://tracing."""
        process = os.getpid()
        events = [
            {
                "ph": "X",
                "cat": "user_annotation" if event.is_user_annotation else "cpu_op",
                "name": event.name,
                "pid": process,
                "tid": event.thread,
                "ts": self._began / 1e3 + event.time_range.start,
                "dur": event.time_range.elapsed_us(),
                "args": {"External id": event.id, "Input Dims": event.input_shapes},
            }
            for event in self._events
        ]
        trace = {"schemaVersion": 1, "displayTimeUnit": "ms", "traceEvents": events, "traceName": str(path)}
        with open(path, "w") as file:
            json.dump(trace, file)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write a line per event: its callers, and a time. Needs ``with_stack``."""
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self.function_events.export_stacks(path, metric)


class record_function:
    """A name for a block (or, as a decorator, for a function) in the tables of profiles.

    >>> with profile() as prof:
    ...     with record_function("mine"):
    ...         pass
    >>> [event.name for event in prof.function_events]
    ['mine']
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args
        self._spans: list[_Span | None] = []

    def __enter__(self) -> record_function:
        running = watch.profiler
        span = None if running is None else _Span(running, self.name, ())
        if span is not None:
            span.event.is_user_annotation = True
            span.__enter__()
        self._spans.append(span)
        return self

    def __exit__(self, *error: object) -> None:
        span = self._spans.pop()
        if span is not None:
            span.__exit__(*error)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return wrapped


def _profiler_enabled() -> bool:
    """Whether a profile is being made."""
    return watch.profiler is not None


def kineto_available() -> bool:
    """Whether there is the library that PyTorch profiles devices with: there is none here."""
    return False


class _Emission:
    """Marks for a profiler outside of the process, which sees no NumPy operations."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled

    def __enter__(self) -> _Emission:
        if self.enabled:
            raise RuntimeError(f"{type(self).__name__}: not available here. Use autograd.profiler.profile.")
        return self

    def __exit__(self, *error: object) -> None:
        pass


class emit_nvtx(_Emission):
    """Not available: there are no CUDA devices."""


class emit_itt(_Emission):
    """Not available: nothing here runs under VTune's instrumentation."""
