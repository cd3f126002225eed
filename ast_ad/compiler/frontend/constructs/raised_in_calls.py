"""How does an exception leave the function that raises it, for a handler of a caller's?

``begun``, ``failed`` and ``ended`` stand before, within and behind the body that is read for a call. The body
leaves with a boolean, as a loop does by ``break``. Where that is known at run time only, the statement of the
caller that the call stands in is split as one is that divides (``testable_exceptions.py``): leave by the
exception, too, else read the statement anew, in which this call gives what it gave.

That is right where nothing has changed between the beginning of the statement and the exception, and the body
has changed nothing that the statement had made by then, as a generator does that fills `list(items(x))`: read
anew, the statement makes another. What a body changes is known when it has been read: then all is read once
more, and its exceptions are left to run time.
So it is where the body, or what stands behind the call, can't be read with them.
"""

from __future__ import annotations

from typing import Any

import gast

from ....errors import AdError
from ..context import Context
from ..inputs import Restart
from ..values import Frame, Value, now
from .handlers import scopes_of
from .statements import within_rules
from .testable_exceptions import Splits, Statement, unchanged, untouched


def begun(cx: Context, node: gast.AST, frame: Frame) -> Any:
    """Note which statement of the caller exceptions leave; what the call has given, if it was read."""
    statement: Statement | None = cx.splitting
    outer = frame.caller
    if statement is None or outer is not statement.frame or cx.builder.block is not statement.block:
        return None
    if cx.inputs is None or isinstance(node, gast.Lambda) or not scopes_of(cx, outer):
        return None
    statement.calls += 1
    if statement.calls in statement.given:
        return statement.given[statement.calls]
    if key_of(node, frame) not in cx.inputs.constants and not within_rules(cx) and untouched(cx, statement):
        frame.leave, frame.begun = statement, (cx.state.fork(), now())
        cx.splitting = None
    return None


def ended(cx: Context, node: gast.AST, frame: Frame, value: Value) -> Value:
    """The value of a call; an exception that may have left its body leaves the caller's statement."""
    statement = frame.leave
    flag = None if statement is None else cx.state.get_name(frame, "$raised")
    if flag is None or cx.static_value(flag) is False:
        return value
    before, since = frame.begun
    if not untouched(cx, statement) or not unchanged(cx, before, since, within=frame):
        raise Restart({key_of(node, frame)})
    kind = cx.state.get_name(frame, "$kind")
    given = {**statement.given, statement.calls: value}
    if statement.frame.leave is not None:
        statement.frame.leave.raises = True
    raise Splits(statement, kind, flag, given, cx.state, key_of(node, frame))


def failed(node: gast.AST, frame: Frame, problem: AdError) -> None:
    """Read the program anew, if a body can't be read with what it raises."""
    if frame.leave is not None and frame.leave.raises and getattr(problem, "raises", None) is None:
        raise Restart({key_of(node, frame)}) from None


def key_of(node: gast.AST, frame: Frame) -> tuple[str, str, int]:
    """What says, among the constants of a build, that the exceptions of a function are left to run time."""
    return "raised", str(getattr(frame.source, "filename", "")), getattr(node, "lineno", 0)
