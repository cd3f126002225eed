"""How are arguments bound to a class or a function with source, and its body read in place of the call?"""

from __future__ import annotations

import inspect
import types
from typing import Any

import gast

from ....errors import AdError
from ...ir.ops import Call, Lit, Var
from .. import doors
from ..constructs.boundness import Raised
from ..constructs.expressions import evaluate
from ..constructs.raised_in_calls import begun, ended, failed
from ..constructs.statements import alive, exec_block, exec_return
from ..context import Context
from ..guards import Guard, Path
from ..outside_values import outside_constant
from ..source.functions import Source, find_source
from ..source.live_names import is_generator, local_names, outlives_its_call
from ..values import Arr, Closure, Dct, Frame, Generator, Tup, Value
from .recursion import MAX_RECURSION, code_of_tree, demand_compared, follow

RULES = __name__.partition(".")[0] + ".rules."


# ----- functions with source
def call_function(cx: Context, fn: types.FunctionType, args: list[Value], kwargs: dict[str, Value]) -> Any:
    if fn.__code__.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise cx.unsupported(f"the function `{fn.__name__}`", "it is asynchronous", "use a plain function")
    source = find_source(fn)
    frame = frame_of(cx, fn, source)
    return call_body(cx, source.tree, frame, function_defaults(cx, fn), args, kwargs, fn.__name__)


def frame_of(cx: Context, fn: types.FunctionType, source: Source) -> Frame:
    """The local variables of a call of the function, before its arguments are bound."""
    if cx.inputs is not None and not str(fn.__module__).startswith(RULES):
        cx.inputs.guards.add(Guard.value(Path.of_object(fn, fn.__name__), fn))  # its code, its defaults
    return Frame(
        source,
        fn.__globals__,
        None,
        cells_of(cx, fn),
        set(),
        ("function", fn),
        locals=frozenset(fn.__code__.co_varnames + fn.__code__.co_cellvars),
    )


def call_closure(cx: Context, closure: Closure, args: list[Value], kwargs: dict[str, Value]) -> Any:
    outer = closure.frame
    frame = Frame(
        outer.source,
        outer.globals,
        outer,
        {"__class__": outer.cells["__class__"]} if asks_for_class(closure) else {},
        set(),
        outer.path,
        locals=local_names(closure.node),
    )
    return call_body(cx, closure.node, frame, closure.defaults, args, kwargs, closure.name)


def asks_for_class(closure: Closure) -> bool:
    """Whether it is a method that reads the class that it is defined in, as ``super()`` does."""
    asked = ("super", "__class__")
    return closure.frame.class_name is not None and any(
        isinstance(node, gast.Name) and node.id in asked for node in gast.walk(closure.node)
    )


def call_body(
    cx: Context,
    node: gast.AST,
    frame: Frame,
    defaults: dict[str, Value],
    args: list[Value],
    kwargs: dict[str, Value],
    name: str,
) -> Any:
    """What a call returns; the body of a generator runs later, where somebody asks for its items."""
    bound = bind_arguments(cx, node.args, defaults, args, kwargs, name)
    return (
        Generator(node, frame, bound, name) if is_generator(node) else run_body(cx, node, frame, bound, name)
    )


def run_body(cx: Context, node: gast.AST, frame: Frame, bound: dict[str, Value], name: str) -> Any:
    """Read the body of a function whose arguments are bound."""
    if not follow(cx, node, frame, name):
        raise endless(cx, list(bound.values()), node, frame, name)
    span = cx.builder.span
    outer, statement = cx.frame, cx.splitting
    frame.caller = outer
    given = begun(cx, node, frame)
    if given is not None:
        return given
    cx.frame = frame
    frame.call = Call(name, span) if span.line else None  # nothing calls the function that is differentiated
    cx.active.setdefault(id(node), []).append(cx.builder.block)
    try:
        for parameter, value in bound.items():
            cx.state.set_name(frame, parameter, value)
        if type(node).__name__ == "Lambda":
            return evaluate(cx, node.body)
        exec_block(cx, node.body)
        fall_off(cx)
        if cx.state.dead:
            raise Raised
        value = cx.state.get_name(frame, "$value")
        return ended(cx, node, frame, Lit(None) if value is None else value)
    except AdError as problem:
        failed(node, frame, problem)
        raise
    finally:
        cx.splitting = statement
        if not outlives_its_call(node):  # nothing asks for its names: paths that join needn't join them
            cx.state.contents.pop(frame, None)
        cx.active[id(node)].pop()
        cx.frame = outer
        cx.builder.span = span


def endless(cx: Context, given: list[Value], node: gast.AST, frame: Frame, name: str) -> AdError:
    """The error for a function that calls itself too often to be followed."""
    if cx.inputs is not None:  # perhaps lengths decide where the recursion ends
        args = [cx.arg(v) for v in given if isinstance(v, (Arr, Var))]
        cx.inputs.demand_shapes([v for v in args if isinstance(v, Var)])
        demand_compared(cx, cx.active.get(id(node), []))
    problem = cx.unsupported(
        f"recursion in `{name}`",
        f"it is more than {MAX_RECURSION} calls deep, or its depth is known at run time only",
        "use a loop, or make the depth a constant",
    )
    problem.recursive = code_of_tree(node, frame)  # type: ignore[attr-defined]
    return problem


def fall_off(cx: Context) -> None:
    """Return None where a function's end is reached without a return."""
    still_alive = alive(cx) if cx.inputs is not None else True  # rules return on every path
    if isinstance(still_alive, Var) and not cx.state.dead:
        doors.branch(cx, still_alive, lambda: exec_return(cx, None, []), lambda: None, None)


def bind_arguments(
    cx: Context, spec: Any, defaults: dict[str, Value], args: list[Value], kwargs: dict[str, Value], name: str
) -> dict[str, Any]:
    """Python's rules for positional, keyword, default and variadic parameters."""
    positional = [a.id for a in [*spec.posonlyargs, *spec.args]]
    keyword_only = [a.id for a in spec.kwonlyargs]
    bound: dict[str, Any] = dict(zip(positional, args, strict=False))
    if len(args) > len(positional):
        if spec.vararg is None:
            raise cx.unsupported(
                f"the call of `{name}`",
                f"it takes {len(positional)} positional arguments, {len(args)} given",
                "check the call",
            )
        bound[spec.vararg.id] = Tup(tuple(args[len(positional) :]))
    elif spec.vararg is not None:
        bound[spec.vararg.id] = Tup(())
    extra: dict[str, Any] = {}
    for key, value in kwargs.items():
        if key in bound or key not in [*positional, *keyword_only]:
            if spec.kwarg is None or key in bound:
                raise cx.unsupported(
                    f"the call of `{name}`", f"argument `{key}` does not fit", "check the call"
                )
            extra[key] = value
        else:
            bound[key] = value
    if spec.kwarg is not None:
        bound[spec.kwarg.id] = Dct(extra)
    for parameter in [*positional, *keyword_only]:
        if parameter not in bound:
            if parameter not in defaults:
                raise cx.unsupported(
                    f"the call of `{name}`", f"argument `{parameter}` is missing", "check the call"
                )
            bound[parameter] = defaults[parameter]
    return bound


def closure_defaults(cx: Context, spec: Any) -> dict[str, Any]:
    names = [a.id for a in [*spec.posonlyargs, *spec.args]]
    found = dict(
        zip(
            names[len(names) - len(spec.defaults) :],
            (evaluate(cx, part) for part in spec.defaults),
            strict=True,
        )
    )
    for parameter, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if default is not None:
            found[parameter.id] = evaluate(cx, default)
    return found


def function_defaults(cx: Context, fn: types.FunctionType) -> dict[str, Any]:
    names = fn.__code__.co_varnames[: fn.__code__.co_argcount]
    values = fn.__defaults__ or ()
    found = dict(zip(names[len(names) - len(values) :], values, strict=True))
    found.update(fn.__kwdefaults__ or {})
    return {name: default(cx, fn, name, value) for name, value in found.items()}


def default(cx: Context, fn: types.FunctionType, name: str, value: Value) -> Any:
    return outside_constant(cx, value, Path.of_default(fn, name))


def cells_of(cx: Context, fn: types.FunctionType) -> dict[str, Any]:
    return dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))


doors.closure_defaults = closure_defaults
