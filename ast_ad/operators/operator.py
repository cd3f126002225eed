"""What is an operator? A program of derivatives that is compiled for the function that it is about.

``operator(program, ask, of, choices, *args) -> Operator``. An operator is a derivative as others
are: with ``source``, ``mode`` and ``explain()``, in traces, with tensors and within compiled code.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Any

from ..calls.derivative import Compiled
from ..calls.of_parts import OfParts
from ..calls.sharing import shared_by
from ..errors import InputTypeError
from ..options import Options, make_options


class Operator(Compiled):
    """A program of derivatives of ``of``, compiled when it is called.

    ``made``: the public function and its arguments, by which the operator is made again when it is pickled.
    """

    made: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]] | None = None

    def __init__(self, program: Callable[..., Any], name: str, of: Any, options: Options) -> None:
        super().__init__(program, options)
        functools.update_wrapper(self, of, updated=())
        self.of, self.operator = of, name

    @property
    def about(self) -> Any:
        return self.of

    def _made_of(self, function: Any) -> Any:
        assert self.made is not None
        ask, args, options = self.made
        return ask(function, *args[1:], **options)

    def __reduce__(self) -> Any:
        if self.made is None:
            return super().__reduce__()
        ask, args, options = self.made
        return functools.partial(ask, *args, **options), ()

    def __repr__(self) -> str:
        programs = sum(map(len, self._programs.values())) + sum(len(t.programs) for t in self._tiers.values())
        return f"<ast_ad.{self.operator}({getattr(self.of, '__qualname__', self.of)}), {programs} compiled>"


def takes_arguments_of(function: Callable[..., Any], program: Callable[..., Any]) -> Callable[..., Any]:
    """The program ``(*args, **kwargs)`` with the signature of the function, if that has one."""
    with contextlib.suppress(TypeError, ValueError):
        program.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return program


def require_callable(function: Any, name: str) -> None:
    """
    Raises:
        InputTypeError: it is no function.
    """
    if not callable(function):
        raise InputTypeError(
            f"{name} of a {type(function).__name__}", why="it is not callable", fix="pass a function"
        )


def operator(
    program: Callable[..., Any],
    ask: Callable[..., Any],
    of: Any,
    choices: dict[str, Any],
    *args: Any,
    **options: Any,
) -> Operator:
    """The operator that a public function, ``ask``, makes with these arguments and the choices of a call.

    ``ask.makes``: of which class it is, if not of ``Operator``.
    """
    name = ask.__name__
    own = getattr(of, "__name__", "")
    program.__name__ = f"{own}_{name}" if own.isidentifier() else name
    given = {key: value for key, value in choices.items() if value is not None}
    cls: type[Operator] = getattr(ask, "makes", Operator)
    found = cls(program, name, of, make_options(**given))
    found.made = ask, (of, *args), {**options, **choices}
    found.share(*shared_by(of, ask, cls, args, options, found.options))
    return found


def by_parts(ask: Callable[..., Any], function: Any, argnums: Any, wrt: Any, **options: Any) -> OfParts:
    """The operator ``ask`` by the arguments, or parts of them, that ``wrt`` names.

    Raises:
        InputTypeError: arguments are chosen by number, too.
    """
    if argnums != 0:
        raise both_ways()
    return OfParts(functools.partial(ask, **options), function, wrt)


def both_ways() -> InputTypeError:
    """The error for arguments that are chosen by number and by name."""
    return InputTypeError("argnums and wrt together", why="both choose the arguments", fix="pass one of them")
