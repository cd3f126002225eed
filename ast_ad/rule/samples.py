"""What does a sample call of an operation look like?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Sample:
    """One call ``fn(*args, **kwargs)`` at which a rule is checked.

    ``wrt``: the parameters (positions, or names as in the rule) to check; None: every one that holds floats
    or complex numbers. ``order2``: whether the second derivative exists and may be checked here. ``dtypes``:
    those that float64 arguments may be replaced by. ``tol``: relative tolerance of the finite difference.
    ``kink``: the point has no derivative; only run the rule (its value is for the author's own tests).
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    wrt: tuple[int | str, ...] | None = None
    order2: bool = True
    dtypes: tuple[str, ...] = ("float32",)
    tol: float = 1e-6
    kink: bool = False


def as_sample(entry: Any) -> Sample:
    return entry if isinstance(entry, Sample) else Sample(tuple(entry))
