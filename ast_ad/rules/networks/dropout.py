"""What is dropout on arrays? The identity: masks are drawn for tensors, not in compiled functions.

A mask that a compiled function drew could be drawn a second time, and then be another, where its derivative
is computed.
"""

from __future__ import annotations

from typing import Any

from ..registry import program


@program
def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """``input`` itself; refuses to drop anything.

    >>> dropout(1.5, 0.5, False)
    1.5
    """
    if training and p > 0:
        raise ValueError(
            "dropout of arrays draws no mask: pass training=False, or multiply by a mask of yours"
        )
    return input


@program
def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """``input`` itself; refuses to drop anything.

    >>> alpha_dropout(1.5)
    1.5
    """
    if training and p > 0:
        raise ValueError(
            "dropout of arrays draws no mask: pass training=False, or multiply by a mask of yours"
        )
    return input
