"""What do decorators learn that ask for the signature of the function that they wrap?

``inspect.signature(f).bind(*args, **kwargs)`` and what is done with the result: Python's own code binds the
compiler's values, to which it does nothing. A signature never changes; which one it is, is guarded.
"""

from __future__ import annotations

import inspect
import types
from inspect import BoundArguments, Parameter, Signature
from typing import Any

from ...ir.ops import Lit
from .. import doors
from ..context import Context
from ..conversion import from_python
from ..guards import Guard, Path
from ..outside_values import outside_constant
from ..store.identities import set_attribute, static_entries
from ..tables import handles
from ..values import Callee, Dct, Live, Obj, Tup, Value


@handles(inspect.signature)
def b_signature(cx: Context, function: Value) -> Any:
    return from_python(cx, inspect.signature(guarded_function(cx, function)))


@handles(inspect.getfullargspec)
def b_getfullargspec(cx: Context, function: Value) -> Any:
    return from_python(cx, inspect.getfullargspec(guarded_function(cx, function)))


def guarded_function(cx: Context, value: Value) -> Any:
    """A function from outside; what its signature is made of has to stay as it is."""
    fn = value.value if isinstance(value, Lit) else value.python_value() if isinstance(value, Live) else None
    if not callable(fn):
        raise cx.unsupported("a signature", "it is of no function from outside", "write the names out")
    inner, path = fn, Path.of_object(fn, getattr(fn, "__name__", "function"))
    while cx.inputs is not None:
        cx.inputs.guards.add(Guard.value(path, inner))
        if not isinstance(inner, types.FunctionType):
            break
        if hasattr(inner, "__signature__"):
            cx.inputs.guards.add(Guard.value(path.attribute("__signature__"), inner.__signature__))
            break
        cx.inputs.guards.add(Guard.missing(path.attribute("__signature__")))
        if not hasattr(inner, "__wrapped__"):
            cx.inputs.guards.add(Guard.missing(path.attribute("__wrapped__")))
            break
        inner, path = inner.__wrapped__, path.attribute("__wrapped__")
    return fn


def signature_of(cx: Context, value: Value) -> Signature:
    found = value.python_value() if isinstance(value, Live) else cx.static_value(value)
    assert isinstance(found, Signature)
    return found


@handles(Signature.bind)
def b_bind(cx: Context, signature: Value, *args: Value, **kwargs: Value) -> Any:
    return bound(cx, Signature.bind, signature_of(cx, signature), args, kwargs)


@handles(Signature.bind_partial)
def b_bind_partial(cx: Context, signature: Value, *args: Value, **kwargs: Value) -> Any:
    return bound(cx, Signature.bind_partial, signature_of(cx, signature), args, kwargs)


def bound(
    cx: Context, bind: Callee, signature: Signature, args: tuple[Value, ...], kwargs: dict[str, Value]
) -> Obj:
    try:
        found = bind(signature, *args, **kwargs).arguments
    except TypeError as problem:
        raise cx.unsupported(
            "the call of a function", str(problem), "check the call", exception=TypeError(str(problem))
        ) from None
    arguments = {name: variadic(v) for name, v in found.items()}
    return Obj(BoundArguments, {"arguments": Dct(arguments), "_signature": Lit(signature)})


def variadic(value: Any) -> Any:
    """What ``*args`` and ``**kwargs`` have taken is a plain tuple or dict of the compiler's values."""
    return Tup(value) if type(value) is tuple else Dct(value) if type(value) is dict else value


@handles(BoundArguments.apply_defaults)
def b_apply_defaults(cx: Context, base: Obj) -> Any:
    content = cx.state.get(base)
    given = static_entries(cx, content["arguments"])
    arguments: dict[str, Any] = {}
    for name, parameter in signature_of(cx, content["_signature"]).parameters.items():
        if name in given:
            arguments[name] = given[name]
        elif parameter.default is not Parameter.empty:
            place = Path.of_object(parameter, name).attribute("default")
            arguments[name] = outside_constant(cx, parameter.default, place)
        elif parameter.kind is Parameter.VAR_POSITIONAL:
            arguments[name] = Tup(())
        elif parameter.kind is Parameter.VAR_KEYWORD:
            arguments[name] = Dct({})
    set_attribute(cx, base, "arguments", Dct(arguments))
    return Lit(None)


@handles(BoundArguments.args.fget)  # type: ignore[attr-defined]
def b_args(cx: Context, base: Obj) -> Any:
    return Tup(tuple(plain(cx, base).args))


@handles(BoundArguments.kwargs.fget)  # type: ignore[attr-defined]
def b_kwargs(cx: Context, base: Obj) -> Any:
    return Dct(dict(plain(cx, base).kwargs))


def plain(cx: Context, base: Obj) -> BoundArguments:
    """The same arguments in Python's own class, which knows how they are passed on."""
    content = cx.state.get(base)
    signature = signature_of(cx, content["_signature"])
    arguments: Any = dict(static_entries(cx, content["arguments"]))
    for name, parameter in signature.parameters.items():
        if name in arguments and parameter.kind is Parameter.VAR_POSITIONAL:
            arguments[name] = tuple(doors.items_of(cx, arguments[name]))
        elif name in arguments and parameter.kind is Parameter.VAR_KEYWORD:
            arguments[name] = dict(static_entries(cx, arguments[name]))
    return BoundArguments(signature, arguments)
