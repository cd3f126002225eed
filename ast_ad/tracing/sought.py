"""By what is the code that runs now differentiated? The places in the graph, of all derivatives under way.

Whoever makes such places says so while the code runs that starts from them. A value of which nobody knows by
what it was computed may depend on any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ..eager.tensor import Tensor
from ..eager.views import edge_of

Edge = tuple[Any, int]
sought: ContextVar[tuple[Edge, ...]] = ContextVar("sought", default=())


@contextmanager
def differentiated_by(values: Iterable[Any], alone: bool = False) -> Iterator[None]:
    """The code in the block starts from ``values``; ``alone``: its graph leads nowhere else."""
    edges = (edge_of(value) for value in values if isinstance(value, Tensor))
    found = tuple(edge for edge in edges if edge[0] is not None)
    token = sought.set(found if alone else sought.get() + found)
    try:
        yield
    finally:
        sought.reset(token)
