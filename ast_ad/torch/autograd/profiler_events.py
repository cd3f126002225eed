"""What did a profile see? Events, one per operation, their averages, and lists of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from .profiler_table import format_time, table_of

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval"]


class Interval:
    """A stretch of time, in microseconds since the profile began."""

    def __init__(self, start: float, end: float) -> None:
        self.start, self.end = start, end

    def elapsed_us(self) -> float:
        """How long it is."""
        return self.end - self.start


class _Measured:
    """What events and averages have in common; everything about other devices is zero."""

    count = 1
    cpu_time_total: float
    self_cpu_time_total: float
    device_type = "CPU"
    node_id = -1
    flops = 0
    overload_name = ""
    use_device: Any = None
    is_async = is_remote = is_legacy = is_user_annotation = False
    scope = 0
    device_time = device_time_total = self_device_time_total = 0.0
    cuda_time = cuda_time_total = self_cuda_time_total = 0.0
    device_memory_usage = self_device_memory_usage = 0
    cuda_memory_usage = self_cuda_memory_usage = 0

    @property
    def cpu_time(self) -> float:
        """The time per call."""
        return 0.0 if self.count == 0 else self.cpu_time_total / self.count

    @property
    def cpu_time_str(self) -> str:
        return format_time(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        return format_time(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        return format_time(self.self_cpu_time_total)


class FunctionEvent(_Measured):
    """One operation, or a block of ``record_function``; times in microseconds."""

    def __init__(
        self,
        id: int,
        name: str,
        thread: int,
        start_us: float = 0.0,
        end_us: float = 0.0,
        *,
        parent: FunctionEvent | None = None,
        **attributes: Any,
    ) -> None:
        self.id, self.name, self.thread, self.fwd_thread = id, name, thread, 0
        self.trace_name = name
        self.time_range = Interval(start_us, end_us)
        self.cpu_parent = parent
        self.cpu_children: list[FunctionEvent] = []
        self.input_shapes: Any = []
        self.stack: list[str] = []
        self.sequence_nr = -1
        self.allocated = 0
        vars(self).update(attributes)
        if parent is not None:
            parent.cpu_children.append(self)

    @property
    def key(self) -> str:
        """By what events are grouped: the name."""
        return self.name

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        """The time from begin to end."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]
        """The time that was not spent in operations within this one."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self) -> int:
        """The bytes of new results, without those of operations within this one."""
        return self.allocated

    @property
    def cpu_memory_usage(self) -> int:
        """The bytes of new results."""
        return self.allocated + sum(child.cpu_memory_usage for child in self.cpu_children)

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} overload_name={self.overload_name} "
            f"device_type=DeviceType.{self.device_type} node_id={self.node_id} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} cuda_time=0.000us name={self.name} "
            f"thread={self.thread} input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} "
            f"cuda_memory_usage=0 is_async={self.is_async} is_remote={self.is_remote} "
            f"seq_nr={self.sequence_nr} is_legacy={self.is_legacy}>"
        )


class FunctionEventAvg(_Measured):
    """Several events: sums of their times, and how many they were."""

    def __init__(self) -> None:
        self.key: str | None = None
        self.count = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.input_shapes: Any = None
        self.stack: list[str] = []
        self.cpu_parent: FunctionEvent | None = None
        self.cpu_children: list[FunctionEvent] = []

    def add(self, other: Any) -> FunctionEventAvg:
        """Count another event in."""
        if self.key is None:
            self.key, self.input_shapes, self.stack = other.key, other.input_shapes, other.stack
            self.cpu_parent, self.cpu_children = other.cpu_parent, other.cpu_children
            self.is_user_annotation = other.is_user_annotation
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        self.cpu_memory_usage += other.cpu_memory_usage
        self.self_cpu_memory_usage += other.self_cpu_memory_usage
        self.count += other.count
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str}  self_cuda_time=0.000us cuda_time=0.000us "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} cuda_memory_usage=0>"
        )


class EventList(list[Any]):
    """Events, or averages of them, that print as a table."""

    def __init__(self, events: Iterable[Any] = (), profile_memory: bool = False) -> None:
        super().__init__(events)
        self._profile_memory = profile_memory

    def __str__(self) -> str:
        return self.table()

    def _populate_cpu_children(self) -> None:
        """Find out which event lies within which other, by their times."""
        open_events: dict[Any, list[Any]] = {}
        for event in sorted(self, key=lambda e: (e.thread, e.time_range.start, -e.time_range.end)):
            around = open_events.setdefault(event.thread, [])
            while around and (
                event.time_range.start >= around[-1].time_range.end
                or event.time_range.end > around[-1].time_range.end
            ):
                around.pop()
            if around:
                around[-1].cpu_children.append(event)
                event.cpu_parent = around[-1]
            around.append(event)

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all events together, in microseconds."""
        return float(sum(event.self_cpu_time_total for event in self))

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """A table with a row per event.

        Args:
            sort_by: the attribute by which rows are sorted, the greatest first; by default as they came.
            row_limit: how many rows are shown.
            max_src_column_width, max_name_column_width, max_shapes_column_width: of what is longer, a part.
            header: a line above the table.
            top_level_events_only: leave out operations within others.
            time_unit: 's', 'ms' or 'us', by default what suits each number.
        """
        events = list(self)
        if sort_by is not None:
            attribute = sort_by.replace("cuda", "device").replace("xpu", "device")
            events.sort(key=lambda event: getattr(event, attribute), reverse=True)
        widths = (max_name_column_width, max_shapes_column_width, max_src_column_width)
        return table_of(
            events, widths, row_limit, header, self._profile_memory, top_level_events_only, time_unit
        )

    def key_averages(
        self,
        group_by_input_shapes: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """The events summed up: those of one name, and on demand of equal shapes and callers."""
        groups: dict[Any, FunctionEventAvg] = {}
        for event in self:
            key = (
                event.key,
                event.is_user_annotation,
                str(event.input_shapes) if group_by_input_shapes else "",
                tuple(event.stack[:group_by_stack_n]),
            )
            groups.setdefault(key, FunctionEventAvg()).add(event)
        for average in groups.values():
            average.stack = average.stack[:group_by_stack_n]
            if not group_by_input_shapes:
                average.input_shapes = ""
        return EventList(groups.values(), self._profile_memory)

    def total_average(self) -> FunctionEventAvg:
        """All events as one."""
        total = FunctionEventAvg()
        for event in self:
            total.add(event)
        total.key = "Total"
        return total

    def export_chrome_trace(self, path: str) -> None:
        """Write the events as JSON for chrome://tracing."""
        events = [
            {
                "name": event.trace_name,
                "ph": "X",
                "ts": event.time_range.start,
                "dur": event.time_range.elapsed_us(),
                "tid": event.thread,
                "pid": "CPU functions",
                "args": {},
            }
            for event in self
        ]
        with open(path, "w") as file:
            json.dump(events, file)

    def supported_export_stacks_metrics(self) -> list[str]:
        """What ``export_stacks`` can write."""
        return ["self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total"]

    def export_stacks(self, path: str, metric: str) -> None:
        """Write a line per event: its callers, and a time."""
        if metric not in self.supported_export_stacks_metrics():
            raise ValueError(f"metric should be one of: {self.supported_export_stacks_metrics()}")
        table = str.maketrans(" ;\t\n", "____")
        with open(path, "w") as file:
            for event in self:
                value = int(getattr(event, metric.replace("xpu", "device")))
                if event.stack and value > 0:
                    callers = ";".join(line.translate(table) for line in reversed(event.stack))
                    file.write(f"{callers} {value}\n")
