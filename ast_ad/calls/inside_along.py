"""What is the tangent of a value in compiled code, where the tangents of the arguments are at hand?

``lower_along(cx, args, kwargs)`` reads ``(function, argnums, has_aux, tangents, *primals)``. As nothing
is asked later, tangents are computed beside the values: nothing is saved for them, and a loop stays one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..compiler.adjoint.residuals import Policy
from ..compiler.frontend.context import Context
from ..compiler.ir.ops import Arg, Function
from ..compiler.tangent.tangent import tangent
from .forward import Pushforward
from .inside_factories import asked
from .inside_later import items_of


@dataclass(frozen=True)
class Along(Pushforward):
    """The value and its tangent, along abstract ``tangents``."""

    tangents: tuple[Any, ...] = field(default=(), compare=False)

    name: ClassVar[str] = "jvp"
    later: ClassVar[bool] = False

    def program(
        self,
        function: Function,
        wrt: tuple[int, ...],
        of: tuple[int, ...],
        residuals: Policy = "cheap",
        region: bool = False,
    ) -> Function:
        return tangent(function, wrt, of, region)

    def given(self, region: Any) -> list[Arg]:
        return region.varied(self.tangents)  # type: ignore[no-any-return]


def lower_along(cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The abstract value and its tangent."""
    function, argnums, has_aux, tangents, *primals = args
    nested = asked(Along, function, cx.demand(has_aux, "has_aux"), argnums=cx.demand(argnums, "argnums"))
    nested.question = Along(nested.question.has_aux, tuple(items_of(cx, tangents)))
    return nested.__ast_ad_lower__(cx, primals, {})
