"""What does ``grad(f)``, the making of a derivative, mean inside of a function that is being compiled?

``lower_factory(asks, cx, args, kwargs)`` gives the derivative as an abstract function, or its answer at once.
"""

from __future__ import annotations

from typing import Any

from ..compiler.frontend.context import Context
from ..compiler.ir.ops import Lit
from ..options import chosen_by_number
from .inside import Nested, parameter_names
from .key_paths import has_steps
from .of_parts import NestedOfParts, of_question
from .questions import Question


class Later:
    """``grad(argnums=1)``: a decorator that waits for its function."""

    def __init__(self, asks: type[Question], options: dict[str, Any]) -> None:
        self.asks, self.options = asks, options

    def __ast_ad_lower__(self, cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return Lit(asked(self.asks, args[0], **self.options))


def asked(asks: type[Question], function: Any, has_aux: bool = False, **options: Any) -> Any:
    """A question with the options of the user's call."""
    if has_steps(options.get("wrt")) and options.get("argnums") is None:
        return NestedOfParts(function, options["wrt"], of_question(asks(has_aux)))
    return Nested(asks(has_aux), function, parameter_names(function), **options)


def lower_factory(asks: type[Question], cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``grad(f)``, ``value_and_grad(f)`` or ``vjp(f, *primals)`` as a call in the program."""
    options = {
        name: cx.demand(value, f"the option {name}=")
        for name, value in kwargs.items()
        if name in ("argnum", "argnums", "wrt", "has_aux")
    }
    if "argnum" in options:
        options["argnums"] = chosen_by_number(options.get("argnums"), options)
    if not args:
        if "function" not in kwargs:
            return Lit(Later(asks, options))
        rest, function = [], kwargs["function"]
    else:
        function, *rest = args
    if rest and not asks.later:
        options["argnums"] = cx.demand(rest.pop(0), "argnums")
    nested: Any = asked(asks, function, **options)
    return nested.__ast_ad_lower__(cx, rest, {}) if rest else Lit(nested)
