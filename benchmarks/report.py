"""How are measurements shown? As a Markdown table, and as a plot of ratios on a logarithmic axis."""

from __future__ import annotations

import math
import pathlib
import statistics
from typing import Any

Record = dict[str, Any]
END = "<!-- end -->"


def unit(record: Record, clock: str) -> tuple[str, float]:
    """What the ratios are multiples of: the gradient by hand, or where there is none, our compiled one."""
    for tool in ("hand", "ast_ad numba"):
        if tool in record["times"]:
            return tool, record["times"][tool][clock]
    return "function", record["times"]["function"][clock]


def seconds(time: float) -> str:
    scale, name = (1e6, "µs") if time < 1e-3 else (1e3, "ms") if time < 1.0 else (1.0, "s")
    return f"{short(time * scale)} {name}"


def short(number: float) -> str:
    """Two or three digits.

    >>> short(0.0123), short(1.26), short(45.67), short(12345.0)
    ('0.01', '1.26', '46', '12000')
    """
    if number >= 1000:
        return f"{round(number, 2 - len(str(int(number)))):.0f}"
    return f"{number:.0f}" if number >= 10 else f"{number:.2f}"


def table(records: list[Record], tools: list[str], clock: str) -> str:
    """Ratios for each workload, their geometric means, and the time to the first gradient."""
    shown = ["function", *[tool for tool in tools if tool != "hand"]]
    lines = ["| workload | unit | " + " | ".join(shown) + " |", "|---|---|" + "---:|" * len(shown)]
    ratios: dict[str, list[float]] = {tool: [] for tool in shown}
    for record in records:
        by, one = unit(record, clock)
        cells = []
        for tool in shown:
            if tool not in record["times"]:
                cells.append("-")
                continue
            ratio = record["times"][tool][clock] / one
            cells.append("1" if tool == by else short(ratio))
            if by == "hand":
                ratios[tool].append(ratio)
        by_hand = "" if by == "hand" else "\\*"
        lines.append(f"| {record['title']} | {seconds(one)}{by_hand} | " + " | ".join(cells) + " |")
    means = [
        f"**{short(statistics.geometric_mean(found))}** ({len(found)})" if found else "-"
        for found in ratios.values()
    ]
    lines.append("| **geometric mean** | | " + " | ".join(means) + " |")
    return "\n".join([*lines, "", *first_calls(records, tools), "", said(records)])


def first_calls(records: list[Record], tools: list[str]) -> list[str]:
    """The times of first calls, compilation included."""
    shown = [t for t in tools if any(t in record["first"] for record in records)]
    rows = {"median": statistics.median, "longest": max}
    lines = ["| first gradient | " + " | ".join(shown) + " |", "|---|" + "---:|" * len(shown)]
    for name, of in rows.items():
        cells = [of([r["first"][t] for r in records if t in r["first"]]) for t in shown]
        lines.append(f"| {name} | " + " | ".join(seconds(cell) for cell in cells) + " |")
    return lines


def said(records: list[Record]) -> str:
    versions = records[0]["versions"]
    names = {"python": "Python", "numpy": "NumPy", "numba": "Numba", "jax": "JAX", "torch": "PyTorch"}
    return ", ".join(f"{names.get(name, name)} {version}" for name, version in versions.items()) + "."


def rewritten(page: str, text: str, command: str = "benchmarks.compare") -> str:
    """The page with ``text`` between the two markers of the command that made it."""
    begin = f"<!-- begin: python -m {command} -->"
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"the page has no lines {begin!r} and {END!r}")
    return f"{before}{begin}\n\n{text}\n\n{END}{after}"


MARKERS = {
    "function": ("|", "0.6"),
    "ast_ad numba": ("o", "C3"),
    "ast_ad auto": (".", "C1"),
    "ast_ad numpy": ("D", "C1"),
    "jax": ("s", "C0"),
    "torch": ("^", "C2"),
    "autograd": ("v", "C4"),
}


def plot(records: list[Record], tools: list[str], clock: str, path: pathlib.Path) -> None:
    """One row for each workload, one marker for each tool; time as a multiple of the gradient by hand."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "benchmarks"  # the same numbers make the same file
    matplotlib.rcParams["svg.fonttype"] = "none"
    import matplotlib.pyplot as plt

    shown = ["function", *[t for t in tools if t not in ("hand", "ast_ad auto")]]
    rows = [record for record in records if unit(record, clock)[0] == "hand"]
    figure, axes = plt.subplots(figsize=(8, 0.6 + 0.36 * max(len(rows), 3)))
    axes.axvline(1.0, color="0.3", linewidth=1.0)
    largest = 2.0
    for tool in shown:
        marker, color = MARKERS.get(tool, ("x", "k"))
        points = [
            (record["times"][tool][clock] / unit(record, clock)[1], -row)
            for row, record in enumerate(rows)
            if tool in record["times"]
        ]
        largest = max([largest, *[ratio for ratio, _ in points]])
        if points:
            axes.plot(*zip(*points, strict=True), marker, color=color, label=tool, markersize=6, alpha=0.9)
    axes.set_xscale("log")
    axes.set_xlim(0.3, 10 ** math.ceil(math.log10(largest)))
    axes.set_yticks([-row for row in range(len(rows))], [record["title"] for record in rows])
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)
    axes.set_xlabel("time of value and gradient, as a multiple of the gradient written by hand in Numba")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)
