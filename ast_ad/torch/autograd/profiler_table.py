"""How is a profile printed? As a table in PyTorch's layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

WIDTH = 12  # of a column of numbers
GAP = "  "


def format_time(us: float) -> str:
    """A time, given in microseconds.

    >>> format_time(1500.0)
    '1.500ms'
    """
    if us >= 1e6:
        return f"{us / 1e6:.3f}s"
    return f"{us / 1e3:.3f}ms" if us >= 1e3 else f"{us:.3f}us"


def format_share(us: float, total: float) -> str:
    """A time as part of another."""
    return "NaN" if total == 0 else f"{us * 100.0 / total:.2f}%"


def format_memory(n: int) -> str:
    """A number of bytes.

    >>> format_memory(2048)
    '2.00 KB'
    """
    for power, unit in ((3, "GB"), (2, "MB"), (1, "KB")):
        if abs(n) >= 1024**power:
            return f"{n / 1024**power:.2f} {unit}"
    return f"{n} B"


def _in_unit(us: float, unit: str | None) -> str:
    scale = {"s": 1e6, "ms": 1e3, "us": 1.0}.get(unit or "")
    return format_time(us) if scale is None else f"{us / scale:.3f}{unit}"


def _limited(width: int, limit: int | None) -> int:
    return width if limit is None else min(width, limit)


def _shortened(name: str, limit: int | None) -> str:
    return name[: limit - 3] + "..." if limit is not None and len(name) >= limit - 3 else name


def _end_of(path: str, width: int) -> str:
    if len(path) <= width:
        return path
    path = path[len(path) - width :]
    return "..." + path[3:] if len(path) > 3 else path


class _Columns:
    """The columns of a table: their headings and widths."""

    def __init__(self) -> None:
        self.headings: list[str] = []
        self.formats: list[str] = []
        self.rule = ""

    def add(self, heading: str, width: int = WIDTH, side: str = ">") -> None:
        self.headings.append(heading)
        self.formats.append(f"{{: {side}{width}}}{GAP}")
        self.rule += "-" * width + GAP

    def row(self, values: Sequence[Any]) -> str:
        return "".join(self.formats).format(*values)


def table_of(
    events: Sequence[Any],
    widths: tuple[int | None, int | None, int | None],
    row_limit: int,
    header: str | None,
    memory: bool,
    top_level: bool,
    unit: str | None,
) -> str:
    """The table of some events; ``widths`` limits names, shapes and sources."""
    if not events:
        return ""
    columns = _Columns()
    columns.add("Name", _limited(max(len(e.key) for e in events) + 4, widths[0]))
    for heading in ("Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"):
        columns.add(heading)
    for heading in ("CPU Mem", "Self CPU Mem") if memory else ():
        columns.add(heading)
    columns.add("# of Calls")
    shapes = 0
    if any(e.input_shapes for e in events):
        shapes = _limited(max(len(str(e.input_shapes)) for e in events) + 4, widths[1])
        columns.add("Input Shapes", shapes)
    source = 0
    if any(e.stack for e in events):
        source = _limited(max(len(line) for e in events for line in e.stack) + 4, widths[2])
        columns.add("Source Location", source, "<")
    total = sum(e.self_cpu_time_total for e in events)
    lines = []
    if header is not None:
        lines += ["=" * (len(columns.rule) - len(GAP)), header]
    if top_level:
        lines += ["=" * (len(columns.rule) - len(GAP)), "This report only display top-level ops statistics"]
    lines += [columns.rule, columns.row(columns.headings), columns.rule]
    shown = [e for e in events if not top_level or e.cpu_parent is None]
    for event in shown if row_limit < 0 else shown[:row_limit]:
        values = _values(event, total, widths[0], memory, unit)
        if shapes:
            values.append(str(event.input_shapes)[:shapes])
        if not source:
            lines.append(columns.row(values))
            continue
        blank = [""] * len(values)
        stack = event.stack or [""]
        lines.append(columns.row([*values, _end_of(stack[0], source)]))
        lines += [columns.row([*blank, _end_of(line, source)]) for line in stack[1:]]
        lines.append(columns.row([*blank, ""]))
    lines += [columns.rule, f"Self CPU time total: {_in_unit(total, unit)}"]
    return "\n".join(lines) + "\n"


def _values(event: Any, total: float, name_limit: int | None, memory: bool, unit: str | None) -> list[Any]:
    values: list[Any] = [
        _shortened(event.key, name_limit),
        format_share(event.self_cpu_time_total, total),
        _in_unit(event.self_cpu_time_total, unit),
        format_share(event.cpu_time_total, total),
        _in_unit(event.cpu_time_total, unit),
        _in_unit(event.cpu_time, unit),
    ]
    if memory:
        values += [format_memory(event.cpu_memory_usage), format_memory(event.self_cpu_memory_usage)]
    return [*values, event.count]
