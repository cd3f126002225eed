"""How many numbers fall into each bin? As NumPy has it: edges, and in which bin they decide, are its own."""

from __future__ import annotations

# mypy: disable-error-code="untyped-decorator"
import math
from typing import Any

from ..linked import linked
from ..runtime import Mismatch
from .sorted_places import place_behind, require_ascending


@linked
def equal_edges(low: float, high: float, edges: Any) -> None:
    """The edges of bins of one width, as ``np.linspace`` gives them; those of no width are widened."""
    last = len(edges) - 1
    if last < 1 or not (math.isfinite(low) and math.isfinite(high)) or low > high:
        raise Mismatch  # an error, which NumPy raises
    if low == high:
        low, high = low - 0.5, high + 0.5
    width = (high - low) / last
    for i in range(last):
        edges[i] = i * width + low
    edges[last] = high


@linked
def equal_bin(x: float, edges: Any) -> int:
    """In which bin of one width a number is; -1: in none."""
    last = len(edges) - 1
    low, high = edges[0], edges[last]
    if not low <= x <= high:
        return -1
    place = min(int((x - low) / (high - low) * last), last - 1)
    if x < edges[place]:
        return place - 1
    if x >= edges[place + 1] and place != last - 1:
        return place + 1
    return place


@linked
def any_bin(x: float, edges: Any) -> int:
    """In which bin between ascending edges a number is; the last one is closed. -1: in none."""
    last = len(edges) - 1
    if not edges[0] <= x <= edges[last]:
        return -1
    return min(place_behind(x, edges), last) - 1 if x < edges[last] else last - 1


@linked
def require_edges(edges: Any) -> None:
    """Stop the kernel where NumPy raises an error: edges that don't ascend, or fewer than two."""
    require_ascending(edges)
    if len(edges) < 2:
        raise Mismatch
