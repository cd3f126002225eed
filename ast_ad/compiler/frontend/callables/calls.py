"""How is a callee found, and what becomes of a call: an operation, a constant, or the body of the callee?"""

from __future__ import annotations

import functools
import operator
import re
import types
from typing import Any

import gast
import numpy as np

from ....errors import AdError, SourceError
from ....homes import home_of
from ....interrupts import let_through
from ....rules import containers, helpers
from ....rules.of_numba import WITHOUT_EXCEPTIONS, is_ufunc, made_of
from ....rules.registry import lookup, with_named_out, writing_parameters
from ...ir.ops import Lit
from .. import doors
from ..constructs.attributes import load_attribute
from ..constructs.dispatchers import call_dispatcher, is_dispatcher
from ..constructs.expressions import entries, eval_elements, evaluate
from ..constructs.object_operators import called
from ..constructs.operators import fold, is_list_of_numbers
from ..constructs.statements import place
from ..context import Context
from ..conversion import from_python
from ..guards import Path
from ..hash_orders import note_order
from ..outside_values import held_by_partial, outside_value
from ..source.opaque import answers_by_arguments, run_apart
from ..spelling import parameter_names, with_named_first
from ..store.windows import mark_view, with_known_order
from ..tables import expression, read_call
from ..types.layouts import lies_as_given
from ..values import Arr, ArrayMethod, Bound, Callee, Closure, Comprehension, Dct, Lst, Obj, Tup, Value
from .absence import asked
from .builtins import special
from .call_sites import call_followed
from .designs import designed
from .error_states import AS_BEFORE, is_before
from .inlining import call_closure
from .instances import construct
from .iterables import call_cached, generated
from .numba_functions import call_ufunc, reading
from .numpy_calls import of_run_time_list
from .overwriting import overwrite
from .programs import by_program
from .protocols import by_protocol
from .record_arrays import of_records
from .signs import require_signs
from .ufunc_dtypes import in_one_dtype

TAKES_ARRAYS = {
    *(np.dot, np.inner, np.vdot, np.where, np.correlate, np.einsum, np.matmul, operator.matmul),
}
ARRAY_PARAMETERS = frozenset("a x xp fp b arr array ary y v p m weights filt A M".split())
PURE = ("numpy", "math", "builtins", "_operator", "operator", "cmath", "ast_ad")
FOLDED = frozenset(
    "numpy math cmath operator _operator builtins itertools functools _functools collections copy typing"
    " scipy enum numbers abc _abc string re _sre fractions decimal statistics bisect _bisect inspect"
    " ast_ad".split()
)
IMMUTABLE = {
    *(str, bytes, bool, int, float, complex, tuple, frozenset, range, slice, type(None), np.dtype),
    *(type, re.Match, re.Pattern, types.FunctionType, types.ModuleType),
}
IMPURE = {
    print,
    input,
    open,
    exec,
    eval,
    compile,
    setattr,
    delattr,
    globals,
    locals,
    vars,
    breakpoint,
    iter,
    next,
}


@expression(gast.Call)
def eval_call(cx: Context, node: gast.Call) -> Any:
    function, args, kwargs = call_parts(cx, node)
    place(cx, node)
    return call(cx, function, args, kwargs)


def call_parts(cx: Context, node: gast.Call) -> tuple[Any, list[Value], dict[str, Value]]:
    """The function and the arguments of a call."""
    function = evaluate(cx, node.func)
    alone = len(node.args) == 1 and type(node.args[0]).__name__ == "Starred"  # asked for items by the call
    args = [evaluate(cx, node.args[0].value)] if alone else eval_elements(cx, node.args)
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        value = evaluate(cx, keyword.value)
        if keyword.arg is None:
            kwargs.update(entries_passed(cx, function, value))
        else:
            kwargs[keyword.arg] = value
    return function, doors.items_of(cx, args[0]) if alone else args, kwargs


def entries_passed(cx: Context, function: Value, value: Value) -> dict[str, Any]:
    """What ``**value`` passes to a function, by name."""
    if is_before(value) and isinstance(function, Lit) and function.value is np.seterr:
        return {AS_BEFORE: value}
    return entries(cx, value)


def call(cx: Context, function: Value, args: list[Value], kwargs: dict[str, Value]) -> Any:
    """The result of calling an abstract function."""
    if isinstance(function, Lit):
        function = not_replaced(function)
    lowering = own_lowering(cx, function)
    if lowering is not None:
        return lowering(cx, args, kwargs)
    if isinstance(function, Closure):
        return call_closure(cx, function, args, kwargs)
    if isinstance(function, Bound):
        return call(cx, function.fn, [*function.args, *args], {**function.kwargs, **kwargs})
    if isinstance(function, ArrayMethod):
        return doors.call_method(cx, function.receiver, function.name, args, kwargs)
    if isinstance(function, Obj):
        return call(cx, load_attribute(cx, function, "__call__"), args, kwargs)
    if isinstance(function, Lit) and args and is_unbound_method(function.value, args[0]):
        return call(cx, load_attribute(cx, args[0], function.value.__name__), args[1:], kwargs)
    if isinstance(function, Lit):
        return call_python(cx, function.value, args, kwargs)
    live = getattr(function, "python_value", None)
    if live is not None:
        return call_live(cx, function, live, args, kwargs)
    raise cx.unsupported(
        "a call of a value that is known at run time only",
        "its source can't be read",
        "call a function that is known when the program is compiled",
    )


def is_unbound_method(fn: Callee, owner: Value) -> bool:
    """``list.append(l, v)``, ``np.ufunc.reduce(np.add, a)``."""
    of = getattr(fn, "__objclass__", None)
    if of is np.ufunc:
        return isinstance(owner, Lit) and isinstance(owner.value, np.ufunc)
    return (of is list or of is dict) and isinstance(owner, (Lst, Dct))


def own_lowering(cx: Context, function: Value) -> Any:
    """How a callable asks to be read instead of its source: its ``__ast_ad_lower__``, or None."""
    value = getattr(function, "value", None)
    known = isinstance(value, types.FunctionType) or hasattr(type(value), "__ast_ad_lower__")
    return getattr(value, "__ast_ad_lower__", None) if known else None


def call_live(cx: Context, function: Value, live: Callee, args: list[Value], kwargs: dict[str, Value]) -> Any:
    by = by_program(cx, live)
    if by is not None:
        return by(*args, **kwargs)
    return call(cx, load_attribute(cx, function, "__call__"), args, kwargs)


def call_python(cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value]) -> Any:
    """A call of a real Python callable."""
    with asked(cx, fn, args, kwargs):
        return _call_python(cx, fn, args, kwargs)


def _call_python(cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value]) -> Any:
    if cx.jitted and isinstance(fn, types.BuiltinFunctionType) and len(args) == 1:
        fn = WITHOUT_EXCEPTIONS.get(fn, fn)
    args, kwargs = with_named_first(fn, args, kwargs)
    found = by_protocol(cx, fn, args, kwargs)
    if found is None and not kwargs:
        found = called(cx, fn, args)
    if found is None:
        found = of_records(cx, fn, args, kwargs)
    if found is not None:
        return found
    handler = special(cx, fn)
    if handler is not None:
        found = read_call(cx, handler, args, kwargs)
        return Lit(None) if found is None else found
    if isinstance(fn, functools.partial):
        bound, keywords = held_by_partial(cx, fn)
        return call(cx, Lit(fn.func), [*bound, *args], {**keywords, **kwargs})
    primitive = lookup(fn)
    if (
        isinstance(fn, type)  # np.iinfo, np.finfo
        and primitive is not None
        and all(cx.is_static(v) for v in (*args, *kwargs.values()))
    ):
        return call_opaque(cx, fn, args, kwargs)
    if primitive is not None and primitive.itself and isinstance(primitive.rule, types.FunctionType):
        return call_followed(cx, primitive.rule, args, kwargs)
    if primitive is not None or isinstance(fn, np.ufunc):
        return call_primitive(cx, fn, args, kwargs)
    if isinstance(fn, type):
        return construct(cx, fn, args, kwargs)
    if isinstance(fn, types.MethodType):
        owner = outside_value(cx, fn.__self__, Path.of_object(fn, "method").attribute("__self__"))
        return call(cx, Lit(fn.__func__), [owner, *args], kwargs)
    if is_ufunc(fn):
        return call_ufunc(cx, fn, args, kwargs)
    if is_dispatcher(fn):
        return call_dispatcher(cx, fn, *args, **kwargs)
    made = designed(cx, fn, args, kwargs)
    if made is not None:
        return made
    plain = python_function(fn)
    if plain is not None and made_of(fn) is plain:
        with reading(cx, fn):
            return call_followed(cx, plain, args, kwargs)
    if plain is not None:
        if hasattr(fn, "cache_info"):
            return call_cached(cx, Lit(plain), *args, **kwargs)
        try:
            return call_followed(cx, plain, args, kwargs)
        except SourceError as problem:
            if home_of(fn).startswith("numpy"):
                return call_opaque(cx, fn, args, kwargs)
            raise problem.at(cx.builder.span) from None
    return call_opaque(cx, fn, args, kwargs)


def call_primitive(cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value]) -> Any:
    """A NumPy function or one with a rule is an operation; ``out=`` and ``where=`` become writes."""
    require_pure(cx, fn, args, kwargs)
    args, kwargs = with_named_out(fn, args, kwargs)
    args, kwargs = with_named_first(fn, args, kwargs)
    kwargs = {k: v for k, v in kwargs.items() if not (k == "out" and isinstance(v, Lit) and v.value is None)}
    args = [sequence_argument(cx, a) for a in args]
    kwargs = {k: sequence_argument(cx, v) for k, v in kwargs.items()}
    args, kwargs = in_one_dtype(cx, fn, *with_arrays(cx, fn, args, kwargs))
    args, kwargs = with_known_order(cx, fn, args, kwargs)
    out = kwargs.pop("out", None)
    if isinstance(fn, np.ufunc) and len(args) > fn.nin:
        out, args = Tup(tuple(args[fn.nin :])), args[: fn.nin]
    out = one_array(cx, out)
    if isinstance(fn, np.ufunc) and "where" in kwargs:
        return masked_ufunc(cx, fn, args, kwargs, out)
    if (
        (fn in ALL_STATIC or getattr(fn, "__module__", None) in ("math", "_operator"))
        and not kwargs
        and all(cx.is_static(a) for a in args)
    ):
        return fold(cx, fn, *(cx.static_value(a) for a in args))
    result = cx.emit(fn, *args, **kwargs)
    require_signs(cx, fn, result)
    if out is None:
        return mark_view(cx, fn, args, kwargs, result)
    if not isinstance(out, Arr):
        raise cx.unsupported("out=", "it is no array", "give an array")
    given = (*args, *kwargs.values()) if lies_as_given(fn) else ()
    overwrite(cx, out, cx.read(out), result, given)
    return out


def one_array(cx: Context, out: Any) -> Any:
    """What is given as ``out=``, by name or by position: an array, or None for a new one."""
    if isinstance(out, Tup):
        if len(out.items) != 1:
            raise cx.unsupported(
                "out= of several arrays", "the compiler follows one", "use the results that it returns"
            )
        (out,) = out.items
    return None if isinstance(out, Lit) and out.value is None else out


def require_pure(cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value]) -> None:
    """Refuse a call that writes to its arguments otherwise than by ``out=``."""
    for position, name in writing_parameters(fn):
        given = kwargs.get(name, args[position] if position < len(args) else Lit(None))
        value = cx.static_value(given)
        if value and not isinstance(value, (type, np.dtype, str)):
            raise cx.unsupported(
                f"`{fn.__name__}` with {name}=", "it writes to an array", "use the result that it returns"
            )


def with_arrays(
    cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value]
) -> tuple[list[Any], dict[str, Any]]:
    """Lists of numbers where NumPy takes an array, as arrays."""
    if fn is helpers.zero_like or getattr(fn, "__module__", None) == containers.__name__:
        return args, kwargs  # of tuples as they are
    every = (
        isinstance(fn, np.ufunc) or fn in TAKES_ARRAYS or isinstance(fn, type) and issubclass(fn, np.generic)
    )
    names = [*parameter_names(fn), *[""] * len(args)]
    of_arrays = isinstance(fn, np.ufunc)
    from_numpy = of_arrays or home_of(fn).partition(".")[0] in ("numpy", "scipy")

    def converted(value: Value, by_name: bool) -> Any:
        if by_name and is_list_of_numbers(cx, value, of_arrays):
            return cx.emit(np.array, value)
        return of_run_time_list(cx, value, every, by_name) if from_numpy else value

    return [
        converted(value, every or name in ARRAY_PARAMETERS) for value, name in zip(args, names, strict=False)
    ], {name: converted(value, name in ARRAY_PARAMETERS) for name, value in kwargs.items()}


def masked_ufunc(cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value], out: Any) -> Any:
    """``np.divide(a, b, out=o, where=m)``: the ufunc where the mask holds, the old contents elsewhere.

    Without ``out=`` it is a new array, of which the other elements are as those of ``np.empty``.
    """
    where = kwargs.pop("where")
    if cx.static_value(where) is True:
        result = cx.emit(fn, *args, **kwargs)
    else:
        safe = [
            cx.emit(np.where, where, a, Lit(1.0))
            if lookup(fn) and getattr(lookup(fn), "partial_domain", False)
            else a
            for a in args
        ]
        found = cx.emit(fn, *safe, **kwargs)
        if out is None and not isinstance(found, Arr):
            raise cx.unsupported("where= without out=", "the result is no array", "use np.where")
        old = cx.emit(np.empty_like, found) if out is None else out
        result = cx.emit(np.where, where, found, old)
    if out is None:
        return result
    overwrite(cx, out, cx.read(out), result, (out, where, *args))
    return out


def sequence_argument(cx: Context, value: Value) -> Any:
    return generated(cx, value) if isinstance(value, Comprehension) else value


def call_opaque(cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value]) -> Any:
    """A callable without rule and source: run if all is static, else an operation without derivative."""
    module = home_of(fn) or home_of(type(getattr(fn, "__self__", None)))
    if "random" in module or isinstance(getattr(fn, "__self__", None), np.random.Generator):
        raise cx.unsupported(
            f"random numbers drawn by `{getattr(fn, '__name__', fn)}`",
            "the draw would be repeated or shared between passes",
            "draw them outside and pass them in",
        )
    if not answers_by_arguments(fn):
        raise cx.unsupported(
            f"a call of `{getattr(fn, '__name__', fn)}`",
            "it is compiled code that may look at more than its arguments",
            "call it outside and pass the result in",
        )
    values = [cx.static_value(a) for a in args]
    if all(cx.is_static(a) for a in args) and all(cx.is_static(v) for v in kwargs.values()):
        if not is_foldable(fn, module):
            raise cx.unsupported(
                f"a call of `{getattr(fn, '__name__', fn)}`",
                "it is compiled code that may do something else at each call",
                "call it outside and pass the result in",
            )
        try:
            named = {k: cx.static_value(v) for k, v in kwargs.items()}
            note_order(cx, fn, getattr(fn, "__self__", None), *values, *named.values())
            return from_python(cx, run_apart(fn, values, named))
        except AdError:
            raise
        except Exception as problem:
            let_through(problem)
            raise cx.unsupported(
                f"`{getattr(fn, '__name__', fn)}`", f"{type(problem).__name__}: {problem}", "mend the call"
            ) from None
    if not may_be_tried(fn, module):
        raise cx.unsupported(
            f"a call of `{getattr(fn, '__name__', fn)}`",
            "it is compiled code without a rule: what it returns is known when it runs, and not before",
            "register a rule for it (ast_ad.rule), or use a function with Python source",
        )
    return cx.emit(fn, *args, **kwargs)


def may_be_tried(fn: Callee, module: str) -> bool:
    """Whether a compiled function bears made-up arguments, and leaves them as they are.

    NumPy's and Python's own do. Others may take what makes no sense for granted, and crash the process.
    """
    owner = getattr(fn, "__self__", None)
    inside = owner is None or isinstance(owner, types.ModuleType)
    hashed = type(fn).__hash__ is not None
    return module.startswith(PURE) and (inside or is_immutable(owner)) and hashed and fn not in IMPURE


def is_foldable(fn: Callee, module: str) -> bool:
    """Whether a compiled function gives the same for the same arguments and does nothing else."""
    owner = getattr(fn, "__self__", None)
    if isinstance(fn, type) or owner is None or isinstance(owner, types.ModuleType):
        return module.partition(".")[0] in FOLDED and not (callable(fn) and fn in IMPURE)
    return is_immutable(owner) or isinstance(owner, type)


def is_immutable(value: Any) -> bool:
    """Whether methods of an object can change nothing about it; each dtype has a class of its own."""
    return type(value) in IMMUTABLE or isinstance(value, np.dtype)


def python_function(fn: Callee) -> types.FunctionType | None:
    """The plain function behind Numba dispatchers, NumPy's dispatch wrappers and functools.lru_cache.

    A function is itself: ``functools.wraps`` gives it the attributes of what it wraps, also ``py_func``.
    """
    if isinstance(fn, types.FunctionType) and "in_place_of" not in fn.__dict__:
        return fn
    for name in ("py_func", "_implementation", "__wrapped__"):
        inner = getattr(fn, name, None)
        if isinstance(inner, types.FunctionType) and (
            name != "__wrapped__" or not isinstance(fn, types.FunctionType)
        ):
            return inner
    return fn if isinstance(fn, types.FunctionType) else None


ALL_STATIC = {
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.neg,
    operator.pow,
    abs,
    min,
    max,
    sum,
    round,
    divmod,
    pow,
    operator.floordiv,
    operator.mod,
}


def not_replaced(function: Lit) -> Lit:
    """The function itself: within a trace, another one stands in its place (``tracing.replacements``)."""
    original = getattr(function.value, "__dict__", {}).get("in_place_of")
    return function if original is None else Lit(original)


doors.call = call
doors.call_opaque = call_opaque
doors.call_primitive = call_primitive
