"""Which choices does a user have in how a derivative is compiled?

They are few, and each is part of the key under which compiled code is kept.
"""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass, field, fields
from typing import Any

from .errors import InputTypeError, InputValueError

BACKENDS = "auto", "numpy", "numba"
FALLBACKS = "trace", "error"
CHECKS = {"0": False, "1": True}


@dataclass(frozen=True)
class Options:
    """The options of ``grad`` and its relatives.

    Args:
        backend: 'numpy' (readable source, the primal's values bit for bit), 'numba' (kernels, compiled at the
            first call; NumPy code for what they can't do), or 'auto': NumPy code at first, and kernels once
            there is enough work for them, if Numba is installed (docs/performance.md has the rule). The
            default is the environment variable AST_AD_BACKEND, or 'auto'.
        fallback: what becomes of code that can't be compiled: 'trace' runs it on traced arrays, with a
            FallbackWarning, 'error' raises the compiler's error.
        parallel: whether loops of kernels whose turns are independent run in threads.
        check: what is compared with the function itself in the first call of each program. None: the value,
            and what the compiler believed of each value on the way; True: a derivative along one direction,
            too, by differences; False: nothing. The default is the environment variable AST_AD_CHECK (0 or
            1), or None.

    Raises:
        InputValueError: an unknown backend or fallback, or threads for NumPy's code.

    >>> make_options(backend="numpy").backend
    'numpy'
    """

    backend: str = "auto"
    fallback: str = "trace"
    parallel: bool = False
    check: bool | None = field(default_factory=lambda: CHECKS.get(os.environ.get("AST_AD_CHECK", "")))

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise InputValueError(
                f"backend={self.backend!r}",
                why="there is no such backend",
                fix="use one of " + ", ".join(map(repr, BACKENDS)),
            )
        if self.fallback not in FALLBACKS:
            raise InputValueError(
                f"fallback={self.fallback!r}",
                why="there is no such choice",
                fix="use 'trace', to run on traced arrays what can't be compiled, or 'error', to refuse it",
            )
        if self.check not in (None, True, False):
            raise InputValueError(
                f"check={self.check!r}", why="there is no such choice", fix="use True, False, or leave it out"
            )
        if self.parallel and self.backend == "numpy":
            raise InputValueError(
                "parallel=True with backend='numpy'",
                why="only compiled kernels run in threads",
                fix="use backend='numba' or 'auto'",
            )


def chosen_by_number(argnums: Any, choices: dict[str, Any]) -> Any:
    """``argnums``, or what stands among the choices under the name that autograd has for it.

    Raises:
        InputTypeError: both are given.

    >>> chosen_by_number(None, {"argnum": 1})
    1
    """
    if "argnum" not in choices:
        return argnums
    if argnums:
        raise InputTypeError("argnum and argnums together", why="they are one option", fix="pass one of them")
    return choices.pop("argnum")


def make_options(**choices: Any) -> Options:
    """Options from keyword arguments, the rest by default.

    Raises:
        InputTypeError: an unknown option; the message names the nearest one.
    """
    known = [f.name for f in fields(Options)]
    for name in choices:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            raise InputTypeError(
                f"option {name!r}",
                why="there is no such option",
                fix=f"did you mean {near[0]!r}?" if near else "the options are " + ", ".join(known),
            )
    if default := os.environ.get("AST_AD_BACKEND"):
        choices = {"backend": default, **choices}
    return Options(**choices)
