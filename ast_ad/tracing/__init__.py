"""What happens to a function that the compiler can't follow? It runs as it is, on arrays that are traced.

``trace(function, args, kwargs, wrt) -> (value, pullback)`` runs ``function(*args, **kwargs)`` once, with each
differentiated number or array replaced by a traced one. It is all that the rest of the package knows of how
tracing is done.

``wrt``
    The positions of the differentiated leaves, in the order in which ``trees.flatten`` finds them in the
    arguments and then in the keyword arguments.
``value``
    What the function returned, in its own containers, with plain arrays and numbers in place of traced ones.
    The arrays among the arguments are those of the caller and stay as they are, whatever the function writes.
``pullback(cotangents)``
    The cotangents of the differentiated leaves, as a tuple, each of the shape and the dtype of its leaf. It
    may be called any number of times. ``cotangents`` has an entry for each leaf of the value; None is zero.
``pullback.linearize(cotangents)``
    The same cotangents, and their own pullback: it takes an entry for each of them, and returns cotangents of
    the differentiated leaves and, after them, of the given ``cotangents`` that are not None. It can be
    linearized in turn.

Inside of a function that is being traced, traced values are instances of a class with an attribute
``_is_eager_tensor``, an attribute ``_array`` with the plain array, and a counter ``_version`` of its writes;
``trees.flatten`` takes them for leaves.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    trace: Callable[..., tuple[Any, Pullback]]


class Pullback(Protocol):
    """Maps cotangents of values to cotangents of leaves; see above."""

    def __call__(self, cotangents: Sequence[Any]) -> tuple[Any, ...]: ...

    def linearize(self, cotangents: Sequence[Any]) -> tuple[tuple[Any, ...], Pullback]: ...


def is_tracing() -> bool:
    """Whether a function is being traced, by this thread."""
    known = sys.modules.get("ast_ad.eager.state")
    return known is not None and known.state.tracing > 0


def __getattr__(name: str) -> Any:
    if name == "trace":
        from ..eager import namespace  # noqa: F401  (the operators of tensors, for second derivatives)
        from .recorder import trace

        return trace
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
