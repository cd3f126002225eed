"""Which calls stay calls, although the callee is Python code? Those whose callee can't be followed.

A program is read from the start. Where that fails inside of a callee, it is read again with the innermost
call that led there marked; if that call can't be an operation, the next one around it. What a marked call
becomes is the business of whoever reads the program: the front end only finds out the types of its result.
"""

from __future__ import annotations

import dataclasses
import types
from typing import Any

from ....errors import AdError
from ....homes import home_of
from ....trees import LEAF, STATIC, TreeDef
from ...ir.ops import Lit, Op, Seq, Var
from ...ir.types import Array, Dim, Opaque, Scalar, Type, carries_derivative
from ..constructs.local_classes import is_local
from ..context import NOT_STATIC, Context
from ..conversion import from_python
from ..types.dummies import InferenceError
from ..types.probing import probe
from ..values import Arr, Bound, Callee, Closure, Dct, Lst, Obj, Tup, Value
from .inlining import call_function
from .instances import fill_dataclass, initialised_by

Site = tuple[Any, ...]  # where the call stands, and the callee's code


class CallSites:
    """The calls that are operations in one program.

    Args:
        make: from a callee, the structure of its arguments and the order of their leaves, to an object that
            is part of the program: its ``trial`` is the callee on leaves, its ``result`` the structure of
            what came, and ``settle`` tells it the types.
        run: the callable of the operation.
        stop: the exception with which a trial ends that must not go on.
        solver: as ``make``, of a solver, whose ``result`` and types are known.
        traces: whether there may be calls of others, too.
    """

    def __init__(
        self, make: Callee, run: Callee, stop: type[BaseException], solver: Callee, traces: bool
    ) -> None:
        self.make, self.run, self.stop, self.solver, self.traces = make, run, stop, solver, traces
        self.chosen: dict[Site, AdError] = {}
        self.refused: set[Site] = set()
        self.calls: dict[Any, Any] = {}
        self.solvers = 0  # how many calls of solvers there are

    def begin(self) -> CallSites:
        """The program is read from the start."""
        self.calls, self.solvers = {}, 0
        return self

    def choose(self, problem: AdError) -> bool:
        """Mark the innermost call on the way to the problem that is not marked; whether there is one."""
        for site in getattr(problem, "callees", ()) if self.traces else ():
            if site not in self.chosen and site not in self.refused:
                self.chosen[site] = problem.kept()
                return True
        return False

    def reasons(self) -> dict[Any, AdError]:
        """The callees that stay calls in the end, each with why it can't be followed."""
        used = {call.function for call in self.calls.values()}
        return {site[-1]: problem for site, problem in self.chosen.items() if site[-1] in used}


def call_followed(cx: Context, fn: types.FunctionType, args: list[Value], kwargs: dict[str, Value]) -> Any:
    """A call of a function with source: its body in place of the call, if the body can be followed."""
    made = args[0] if args else None
    if isinstance(made, Obj) and (cls := initialised_by(fn, made)) is not None:
        fill_dataclass(cx, cls, made, args[1:], kwargs)
        return Lit(None)
    span = cx.builder.span
    site = span.filename, span.line, span.column, span.end_column, fn
    if cx.sites is not None and site in cx.sites.chosen:
        try:
            return call_unfollowed(cx, fn, args, kwargs)
        except (InferenceError, AdError, cx.sites.stop) as problem:
            reason = cx.sites.chosen.pop(site)
            cx.sites.refused.add(site)
            raise cx.unsupported(
                f"the call of `{fn.__name__}`", f"{problem}; {reason.construct}", reason.fix
            ) from None
    try:
        return call_function(cx, fn, args, kwargs)
    except AdError as problem:
        library = home_of(fn).startswith(("numpy", "scipy", "ast_ad."))
        if cx.frame is not cx.root and not library:  # the root's own problem is that of the whole
            problem.callees = [*getattr(problem, "callees", ()), site]  # type: ignore[attr-defined]
        raise


def call_unfollowed(cx: Context, fn: types.FunctionType, args: list[Value], kwargs: dict[str, Value]) -> Any:
    """The call as an operation: its result in tuples, its arrays such as nobody may write to."""
    sites, leaves = cx.sites, list[Var]()
    assert sites is not None
    tree = tree_of(cx, (tuple(args), kwargs), leaves)
    key = fn, tree, tuple((v.type.kind, v.type.dtype, getattr(v.type, "ndim", None)) for v in leaves)  # type: ignore[union-attr]
    if key not in sites.calls:
        arranged, order = arrangement(leaves)
        call = sites.make(fn, tree, order)
        found = probe(call.trial, tuple(leaves[i] for i in arranged), {})
        call.settle(tuple(map(_loose, found)))
        sites.calls[key] = call
    return operation(cx, sites.calls[key], leaves, fn.__name__)


def arrangement(leaves: list[Var]) -> tuple[list[int], list[int]]:
    """The leaves with those first that have a derivative, and where each is then."""
    arranged = sorted(range(len(leaves)), key=lambda i: not carries_derivative(leaves[i].type))
    return arranged, [arranged.index(i) for i in range(len(leaves))]


def operation(cx: Context, call: Any, leaves: list[Var], name: str) -> Any:
    """The abstract result of a call that is an operation."""
    assert cx.sites is not None
    arranged, _ = arrangement(leaves)
    active = [leaves[i] for i in arranged if carries_derivative(leaves[i].type)]
    others = [leaves[i] for i in arranged[len(active) :]]
    outs = tuple(Var(_loose(found)) for found in call.types)
    operands = Lit(call), Seq(tuple(active)), Seq(tuple(others))
    pullback = Var(Opaque("pullback"), f"{name}_pullback" if name.isidentifier() else None)
    cx.builder.append(Op(cx.sites.run, operands, (*outs, pullback), {}, cx.builder.span, effect=True))
    return result_of(cx, call.result, iter(outs), name)


def tree_of(
    cx: Context,
    value: Value | tuple[object, ...] | dict[str, Value],
    leaves: list[Var],
    of_function: Callee | None = None,
) -> TreeDef:
    """The structure of an abstract value; its numbers and arrays are added to ``leaves``.

    ``of_function``: gives that of a nested function, of one with some of its arguments, or of an object.
    """
    if of_function is not None and isinstance(value, (Closure, Bound, Obj)):
        given: TreeDef | None = of_function(value)
        if given is not None:
            return given
    if isinstance(value, (tuple, Tup, Lst)):
        items: Any = cx.state.get(value) if isinstance(value, Lst) else getattr(value, "items", value)
        if isinstance(items, tuple):
            cls: Any = list if isinstance(value, Lst) else getattr(value, "cls", None) or tuple
            keys = getattr(cls, "_fields", tuple(range(len(items))))
            return TreeDef(cls, keys, tuple(tree_of(cx, v, leaves, of_function) for v in items))
    if isinstance(value, (dict, Dct)):
        content = value if isinstance(value, dict) else cx.state.get(value)
        cls = getattr(value, "cls", dict)
        return TreeDef(
            cls, tuple(content), tuple(tree_of(cx, v, leaves, of_function) for v in content.values())
        )
    if isinstance(value, Obj) and dataclasses.is_dataclass(value.cls):
        content = cx.state.get(value)
        names = tuple(f.name for f in dataclasses.fields(value.cls) if f.name in content)
        return TreeDef(value.cls, names, tuple(tree_of(cx, content[n], leaves, of_function) for n in names))
    if isinstance(value, Arr):
        value = cx.read(value)
    if isinstance(value, Var) and isinstance(value.type, (Scalar, Array)):
        leaves.append(value)
        return TreeDef(LEAF, (), ())
    static = cx.static_value(value)
    if static is NOT_STATIC and hasattr(value, "python_value"):
        static = value.python_value()
    if static is NOT_STATIC or is_local(static):
        raise cx.unsupported("an argument", "it has no form at run time", "pass numbers and arrays")
    return TreeDef(STATIC, (), (), static)


def result_of(cx: Context, tree: TreeDef, leaves: Any, name: str) -> Any:
    """The abstract value with a structure, from the Vars of its leaves."""
    if tree.type is LEAF:
        var = next(leaves)
        what = f"the result of `{name}`, which is not compiled"
        return Arr(var, None, what) if isinstance(var.type, Array) else var
    if tree.type is STATIC:
        return from_python(cx, tree.static)
    items = tuple(result_of(cx, child, leaves, name) for child in tree.children)
    return Tup(items, None if tree.type is tuple else tree.type)


def _loose(found: Type) -> Type:
    """The type with nothing said about lengths: those of the trial may have been chance."""
    if isinstance(found, Array) and found.shape is not None:
        return Array(found.dtype, tuple(Dim.fresh() for _ in found.shape))
    if isinstance(found, Scalar):
        return Scalar(found.kind, found.dtype)
    raise InferenceError(f"a result of type {found}")
