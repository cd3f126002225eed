"""What does a user see of a derivative's programs? How it ran last, the source, the IR, the explanation."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from ..compiler.frontend.callables.calls import python_function
from ..errors import AdError, InputValueError, InternalError


class Mode(str):
    """'compiled' or 'fallback'; ``traced``: the functions that were traced, with their places.

    >>> Mode("compiled", ["helper (model.py:3)"]), Mode("compiled") == "compiled"
    ('compiled' but for helper (model.py:3), True)
    """

    traced: tuple[str, ...] = ()

    def __new__(cls, text: str, traced: Iterable[str] = ()) -> Mode:
        found = super().__new__(cls, text)
        found.traced = tuple(traced)
        return found

    def __repr__(self) -> str:
        own = super().__repr__()
        return f"{own} but for {', '.join(self.traced)}" if self.traced and self == "compiled" else own


def named(function: Any) -> str:
    """A function's name, and where it stands."""
    plain = python_function(getattr(function, "__func__", function))
    name = getattr(function, "__qualname__", type(function).__name__)
    code = getattr(plain, "__code__", None)
    return f"{name} ({os.path.basename(code.co_filename)}:{code.co_firstlineno})" if code else str(name)


class Inspection:
    """What a derivative tells of ``_last``, the program or the trace that answered last."""

    function: Any
    _last: Any

    @property
    def mode(self) -> Mode | None:
        """After a call: 'compiled', or 'fallback' if the function was traced; ``mode.traced``: what was."""
        if self._last is None:
            return None
        callees = getattr(getattr(self._last, "primal", None), "calls", ())
        traced = callees if self._last.mode == "compiled" else [self.function]
        return Mode(self._last.mode, map(named, traced))

    def halves(self, program: Any) -> Any:
        """A program as a forward and a backward function."""
        raise NotImplementedError

    def _built(self) -> Any:
        if self._last is None:
            raise InputValueError(
                f"the source of the gradient of `{getattr(self.function, '__name__', 'function')}`",
                why="it depends on the types of the arguments, and there was no call yet",
                fix="call it first, or use ast_ad.inspect(f, *args)",
            )
        return self._last

    def _compiled(self) -> Any:
        found = self._built()
        if found.mode == "fallback":
            raise found.no_program()
        return found

    @property
    def backend(self) -> str | None:
        """After a call: 'numba' if compiled kernels answered it, or 'numpy'."""
        return None if self._last is None else getattr(self._last, "backend", "numpy")

    @property
    def source(self) -> str:
        """The generated module that ran last."""
        return str(self._compiled().text)

    def _halves(self) -> Any:
        found = self._compiled()
        try:
            return self.halves(found.whole())
        except AdError:
            raise
        except Exception as error:
            name = getattr(self.function, "__name__", "function")
            raise InternalError(
                f"the gradient of `{name}` as two functions",
                why=f"the compiler failed: {type(error).__name__}: {error}",
                fix="please report it, with the function; .source is the program that runs",
            ) from error

    @property
    def forward_source(self) -> str:
        """The value and the residuals, as a function of the arguments."""
        return str(self._halves()[0].text)

    @property
    def backward_source(self) -> str:
        """The cotangents, as a function of the residuals."""
        return str(self._halves()[1].text)

    @property
    def ir(self) -> str:
        """The primal as the compiler sees it."""
        from ..compiler.ir.show import show

        return show(self._compiled().whole().primal.function)

    @property
    def adjoint_ir(self) -> str:
        """The primal and its reverse sweep."""
        from ..compiler.ir.show import show

        return show(self._compiled().whole().joint)

    def explain(self) -> str:
        """What is saved and why, what is computed again, inlined and constant; or why there is no program."""
        return self._built().explain()  # type: ignore[no-any-return]
