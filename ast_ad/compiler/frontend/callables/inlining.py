"""How are arguments bound to a class or a function with source, and its body read in place of the call?"""

from __future__ import annotations

import dataclasses
import inspect
import types
from typing import Any

import gast
import numpy as np

from ....errors import AdError
from ...ir.ops import Call, Lit, Var
from ...ir.types import Opaque
from .. import doors
from ..constructs.boundness import Raised
from ..constructs.expressions import evaluate, runtime_object
from ..constructs.statements import alive, exec_block, exec_return
from ..context import Context
from ..guards import Guard, Path
from ..outside_values import class_member, outside_constant
from ..source.functions import Source, find_source
from ..source.live_names import is_generator, local_names
from ..values import Arr, Closure, Dct, Frame, Generator, Obj, Tup, Value
from .recursion import MAX_RECURSION, code_of_tree, follow

RULES = __name__.partition(".")[0] + ".rules."


# ----- classes
def construct(cx: Context, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Any:
    if issubclass(cls, BaseException):
        given = tuple(runtime_object(cx, a) for a in args)
        named = {k: runtime_object(cx, v) for k, v in kwargs.items()}
        return cx.builder.opaque(cls, given, Opaque(cls.__name__), **named)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        bound = inspect.signature(cls).bind(*args, **kwargs)
        defaults, fields = getattr(cls, "_field_defaults", {}), Path.of_object(cls, cls.__name__)
        items = (
            bound.arguments[f]
            if f in bound.arguments
            else outside_constant(cx, defaults[f], fields.attribute("_field_defaults").item(f))
            for f in cls._fields
        )
        return Tup(tuple(items), cls)
    if cls.__module__ in ("builtins", "numpy") or issubclass(cls, np.generic):
        return doors.call_opaque(cx, cls, args, kwargs)
    if made_by_scipy(cls) and all(cx.is_static(v) for v in (*args, *kwargs.values())):
        named = {name: cx.static_value(v) for name, v in kwargs.items()}
        return Lit(cls(*map(cx.static_value, args), **named))
    if not isinstance(cls.__init__, types.FunctionType):
        if cls.__init__ is object.__init__ and not args:
            return Obj(cls)
        raise cx.unsupported(
            f"an instance of `{cls.__name__}`",
            "its constructor is not Python code",
            "create it outside of the differentiated function",
        )
    if cls.__new__ is not object.__new__:
        raise cx.unsupported(f"an instance of `{cls.__name__}`", "it defines __new__", "create it outside")
    instance = Obj(cls)
    class_member(cx, cls, "__init__")
    if (
        dataclasses.is_dataclass(cls)
        and "__create_fn__" in getattr(cls.__init__, "__qualname__", "")
        or dataclasses.is_dataclass(cls)
        and cls.__init__.__code__.co_filename == "<string>"
    ):
        fill_dataclass(cx, instance, args, kwargs)
    else:
        doors.call(cx, Lit(cls.__init__), [instance, *args], kwargs)
    return instance


def made_by_scipy(cls: type) -> bool:
    """Whether it is a distribution whose constructor is SciPy's own: what it sets up, its arguments tell."""
    constructor: Any = cls.__init__  # type: ignore[misc]
    named = getattr(constructor, "__module__", ""), getattr(constructor, "__qualname__", "")
    return named in (
        ("scipy.stats._distn_infrastructure", "rv_continuous.__init__"),
        ("scipy.stats._distn_infrastructure", "rv_discrete.__init__"),
    )


def fill_dataclass(cx: Context, instance: Obj, args: list[Value], kwargs: dict[str, Value]) -> None:
    initialiser: Any = instance.cls.__init__  # type: ignore[misc]
    bound = inspect.signature(initialiser).bind(instance, *args, **kwargs)
    content: dict[str, Any] = {}
    for f in dataclasses.fields(instance.cls):
        if f.name in bound.arguments:
            content[f.name] = bound.arguments[f.name]
        elif f.default is not dataclasses.MISSING:
            content[f.name] = outside_constant(cx, f.default, Path.of_object(f, f.name).attribute("default"))
        elif f.default_factory is not dataclasses.MISSING:
            content[f.name] = doors.call(cx, Lit(f.default_factory), [], {})
    cx.state.set(instance, content)
    post = getattr(instance.cls, "__post_init__", None)
    if post is not None:
        doors.call(cx, Lit(post), [instance], {})


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
    outer, cx.frame = cx.frame, frame
    frame.caller = outer
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
        return Lit(None) if value is None else value
    finally:
        cx.active[id(node)].pop()
        cx.frame = outer
        cx.builder.span = span


def endless(cx: Context, given: list[Value], node: gast.AST, frame: Frame, name: str) -> AdError:
    """The error for a function that calls itself too often to be followed."""
    if cx.inputs is not None:  # perhaps lengths decide where the recursion ends
        args = [cx.arg(v) for v in given if isinstance(v, (Arr, Var))]
        cx.inputs.demand_shapes([v for v in args if isinstance(v, Var)])
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
