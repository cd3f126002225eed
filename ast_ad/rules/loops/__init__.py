"""How do rules get fast loops? An array function in two forms: NumPy, and loops that Numba compiles.

Small arrays, and machines without Numba, take the NumPy form; both give the same results (sums to rounding).
``AST_AD_BACKEND=numpy`` keeps Numba out altogether.
"""

from __future__ import annotations

import functools
import importlib.util
import os
from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]
NOT_COMPILED = "egG"  # elements that Numba has no loops for: of half and of extended precision
WORTHWHILE = 1 << 14  # elements of the first argument: NumPy handles fewer as fast, and without compiling


@functools.cache
def has_numba() -> bool:
    """Whether loops can be compiled here, and the user did not choose otherwise."""
    chosen = os.environ.get("AST_AD_BACKEND") == "numpy"
    return not chosen and importlib.util.find_spec("numba") is not None


class Kernel:
    """``plain`` for small arrays or without Numba, else ``loops``, compiled at first use and kept on disk.

    >>> import numpy as np
    >>> def doubled(x):
    ...     return 2 * x
    >>> Kernel(doubled, doubled)(np.ones(2))
    array([2., 2.])
    """

    def __init__(self, plain: Function, loops: Function, worthwhile: int = WORTHWHILE) -> None:
        self.plain, self.loops, self.worthwhile = plain, loops, worthwhile
        self.compiled: Function | None = None
        functools.update_wrapper(self, plain)

    def __call__(self, *args: Any) -> Any:
        first = args[0]
        if first.size < self.worthwhile or first.dtype.char in NOT_COMPILED or not first.dtype.isnative:
            return self.plain(*args)
        run = self.compiled
        if run is None:
            run = self.compiled = self.compile()
        return run(*args)

    def compile(self) -> Function:
        """The loops as machine code; the NumPy form where there is no Numba."""
        if not has_numba():
            return self.plain
        import numba

        fast = {"reassoc", "contract"}  # not "arcp" and "nsz": 1 / inf and 0 / sqrt(0) stay what they are
        compiled: Function = numba.njit(nogil=True, cache=True, fastmath=fast, error_model="numpy")(
            self.loops
        )
        return compiled


def kernel(plain: Function, worthwhile: int = WORTHWHILE) -> Callable[[Function], Kernel]:
    """Decorate the loops that do what ``plain`` does; ``worthwhile``: from how many elements on."""
    return lambda loops: Kernel(plain, loops, worthwhile)
