"""What is left of a derivative rule when only some cotangents are wanted, and what does that read?

``slice_rule(primitive, active, keywords, complex_, safe) -> Slice | None``. When an operation with this
pattern of active arguments is recorded for the first time: ``cut_rule`` cuts the source, ``Demand`` tells
what is left to be saved.

A slice is a Python function, made once per primitive and pattern of active arguments. It runs on arrays; a
second build of the same source runs on tensors, so that what it computes can be differentiated again.
"""

from __future__ import annotations

import ast
import functools
import inspect
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import MissingRuleError
from ...rules.helpers import METADATA, exact_product, safe_product
from ...rules.narrow_integers import widened, widens
from ...rules.registry import Primitive, lookup
from ..state import state
from .cutting import CONJ, EXACT, NO_FORMULA, PICK, SAFE, WIDENED, Cut, cut_rule, no_formula
from .reads import NOTHING, VALUE, NoSource, is_rules_function, parameter_names
from .tensor_names import for_tensors, patched_globals, rebuilt

SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)


@dataclass(frozen=True, eq=False)
class Slice:
    """The cotangents of the active arguments of one primitive.

    ``run(g, ans, *args, **kwargs)`` gives one cotangent per active argument, in order, as a tuple; None: the
    derivative is zero. ``run_tensors``: the same for tensors. ``reads_ans`` and ``reads`` (one per argument):
    '' where it is never read (any value may be passed), 'meta' where only shape and dtype are, 'value'.
    ``reads_keywords``: the same for the keywords. ``source``: the text of ``run``.
    """

    run: Callable[..., tuple[Any, ...]]
    run_tensors: Callable[..., tuple[Any, ...]]
    reads_ans: str
    reads: tuple[str, ...]
    reads_keywords: dict[str, str]
    source: str


_slices: dict[Any, Slice | None] = {}
_lock = threading.RLock()  # the analysis keeps what it is in the middle of


def slice_rule(
    primitive: Primitive,
    active: tuple[bool, ...],
    keywords: tuple[str, ...] = (),
    complex_: bool = False,
    safe: bool = False,
) -> Slice | None:
    """The slice of a primitive's rule; None where the primitive has no rule for cotangents.

    Args:
        primitive: what the registry knows of the operation.
        active: for each positional argument of the call whether its cotangent is wanted. Parameters that are
            passed by keyword count by their place in the rule.
        keywords: the names of the keywords in the call; ``run`` has to get the same.
        complex_: partial derivatives may be complex, and are conjugated.
        safe: multiply so that a cotangent of 0 stays 0 where a partial derivative is infinite.

    Raises:
        MissingRuleError: when it runs, if an active argument's derivative has no formula.

    >>> import numpy as np
    >>> from ast_ad.rules.registry import lookup
    >>> s = slice_rule(lookup(np.multiply), (True, False))
    >>> s.reads, s.reads_ans, s.run(2.0, None, None, 3.0)
    (('', 'value'), '', (6.0,))
    """
    key = primitive, active, keywords, complex_, safe
    try:
        return _slices[key]
    except KeyError:
        with _lock:
            return _slices.setdefault(key, _made(*key))


def _made(
    primitive: Primitive, active: tuple[bool, ...], keywords: tuple[str, ...], complex_: bool, safe: bool
) -> Slice | None:
    if primitive.rule is None or primitive.kind not in ("elementwise", "vjp"):
        return None
    check_call(primitive, len(active), keywords)
    try:
        return _from_source(primitive, active, keywords, complex_, safe)
    except NoSource:
        return _whole(primitive, active, keywords, complex_, safe)


@functools.cache
def check_call(primitive: Primitive, positional: int, keywords: tuple[str, ...]) -> None:
    """Refuse a call with an argument that the rule does not know: its derivative would be another one's.

    Raises:
        MissingRuleError: it names the argument.
    """
    rule: Any = primitive.rule
    known = inspect.signature(rule).parameters
    kinds = {p.kind for p in known.values()}
    before = {"elementwise": 1, "vjp": 2}.get(primitive.kind, 0)  # the result, and its cotangent
    unknown = [f"{k}=" for k in keywords if k not in known and inspect.Parameter.VAR_KEYWORD not in kinds]
    if before + positional > len(known) and inspect.Parameter.VAR_POSITIONAL not in kinds:
        unknown.append(f"argument {len(known) - before + 1}")
    if unknown:
        name = getattr(primitive.fn, "__qualname__", str(primitive.fn))
        raise MissingRuleError(
            f"the derivative of `{name}` with {', '.join(unknown)}",
            why="its rule does not know what this changes",
            fix="leave it away, or detach() the tensor",
        )


def _from_source(
    primitive: Primitive, active: tuple[bool, ...], keywords: tuple[str, ...], complex_: bool, safe: bool
) -> Slice:
    rule: Any = primitive.rule
    elementwise = primitive.kind == "elementwise"
    product = _product(primitive, active) if safe else None
    factor = _factor(complex_, product) if elementwise else None
    wide = widens(primitive, len(active))
    cut = cut_rule(rule, 1 if elementwise else 2, active, keywords, factor, wide)
    found, order = cut.reads(), parameter_names(cut.tree)
    names = order[2:]
    variadic = cut.tree.args.vararg.arg if cut.tree.args.vararg else None
    if variadic is not None:
        before = names[: names.index(variadic)]
        names = before + [variadic] * max(len(active) - len(before), 0)
    reads = [found.get(names[i], NOTHING) if i < len(names) else VALUE for i in range(len(active))]
    refuse = refusal(primitive)
    extra = {NO_FORMULA: refuse, PICK: _picker(refuse)}
    return Slice(
        _build(cut, {**_PLAIN, **extra}, False),
        _Later(cut, {**_PLAIN, **extra}),
        found.get(order[1], NOTHING),
        tuple(reads),
        {k: found.get(k, NOTHING) if k in order else VALUE for k in keywords},
        cut.source,
    )


def on_tensors(program: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the rules package (the program of a composite) such that it runs on tensors.

    Any other function is given back as it is.
    """
    return as_a_rule(rebuilt(program)) if is_rules_function(program) else program


def as_a_rule(run: Callable[..., Any]) -> Callable[..., Any]:
    """``run``, during which tensors allow what arrays do: code that was written for arrays runs on them."""

    def within(*args: Any, **kwargs: Any) -> Any:
        rules, state.rules = state.rules, _precision(args)
        try:
            return run(*args, **kwargs)
        finally:
            state.rules = rules

    return within


def _precision(args: Sequence[Any]) -> np.dtype[Any]:
    """The real dtype in which a rule computes what follows from integers: that of its gradient."""
    for a in args:
        array = getattr(a, "_array", None)
        if array is not None and array.dtype.kind in "fc":
            single = array.dtype.itemsize <= (8 if array.dtype.kind == "c" else 4)
            return SINGLE if single else DOUBLE
    return DOUBLE


# ----- from partial derivatives to cotangents -----


def _product(primitive: Primitive, active: tuple[bool, ...]) -> str:
    """What multiplies where zeros have to stay: also a factor 0 that is not differentiated."""
    constant = primitive is lookup(np.multiply) and active in ((True, False), (False, True))
    return EXACT if constant else SAFE


def _factor(complex_: bool, product: str | None) -> Callable[[ast.expr, int], ast.expr]:
    """The maker of ``g * partial``."""

    def conjugate(e: ast.expr) -> ast.expr:
        return ast.Call(ast.Name(CONJ, ast.Load()), [e], []) if complex_ else e

    def cotangent(e: ast.expr, i: int) -> ast.expr:
        g = ast.Name("g", ast.Load())
        number = _number(e)
        if isinstance(e, ast.Constant) and e.value is None:
            return e
        if isinstance(e, ast.Name) and e.id == "NotImplemented":
            return no_formula(i)
        if number == 1:
            return g
        if number == -1:
            return ast.UnaryOp(ast.USub(), g)
        if product is not None:
            return ast.Call(ast.Name(product, ast.Load()), [g, conjugate(e)], [])
        if isinstance(e, ast.BinOp) and isinstance(e.op, ast.Div) and _number(e.left) == 1:
            return ast.BinOp(g, ast.Div(), conjugate(e.right))
        return ast.BinOp(g, ast.Mult(), conjugate(e))

    return cotangent


def _number(e: ast.expr) -> Any:
    """The real number that an expression spells out."""
    if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub):
        inner = _number(e.operand)
        return None if inner is None else -inner
    plain = isinstance(e, ast.Constant) and type(e.value) in (int, float)
    return e.value if plain else None  # type: ignore[attr-defined]


# ----- the functions -----


def _picker(refuse: Callable[[int], Any]) -> Callable[..., tuple[Any, ...]]:
    """The wanted ones of the cotangents that a rule returned."""

    def picked(parts: Any, wanted: tuple[int, ...]) -> tuple[Any, ...]:
        parts = parts if isinstance(parts, tuple) else (parts,)
        return tuple(parts[i] if i < len(parts) else refuse(i) for i in wanted)

    return picked


def refusal(primitive: Primitive) -> Callable[[int], Any]:
    """What is called in place of a derivative that the rule does not have."""

    def refuse(i: int) -> Any:
        if METADATA.get(primitive.fn) == i:
            return None  # nothing but its shape is read
        name = getattr(primitive.fn, "__name__", repr(primitive.fn))
        raise MissingRuleError(
            f"`{name}` by its argument {i + 1} has no derivative rule",
            why="the derivative exists, but no formula for it is known here",
            fix="keep the argument constant, or register a rule (ast_ad.rule)",
        )

    return refuse


_PLAIN: dict[str, Any] = {SAFE: safe_product, EXACT: exact_product, CONJ: np.conj, WIDENED: widened}


def _build(cut: Cut, extra: dict[str, Any], tensors: bool) -> Callable[..., Any]:
    """The function of a cut, in its module's namespace; ``extra``: names besides those found there."""
    home: Any = cut.home
    names = patched_globals(home.__globals__) if tensors and is_rules_function(home) else home.__globals__
    within = {k: for_tensors(v) if tensors else v for k, v in extra.items()}
    within |= {name: _build(c, extra, tensors) for name, c in cut.cuts.items()}
    maker = ast.parse(f"def make({', '.join(within)}):\n    return {cut.name}").body[0]
    assert isinstance(maker, ast.FunctionDef)
    maker.body.insert(0, cut.tree)
    scratch: dict[str, Any] = {}
    filename = f"<slice of {home.__module__}.{home.__name__}>"
    exec(compile(ast.Module([maker], []), filename, "exec"), names, scratch)
    made: Callable[..., Any] = scratch["make"](**within)
    return made


class _Later:
    """The slice for tensors, built when it is called for the first time."""

    def __init__(self, cut: Cut, extra: dict[str, Any]) -> None:
        self.cut, self.extra = cut, extra
        self.built: Callable[..., Any] | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.built is None:
            with _lock:
                self.built = as_a_rule(_build(self.cut, self.extra, True))
        return self.built(*args, **kwargs)


def _whole(
    primitive: Primitive, active: tuple[bool, ...], keywords: tuple[str, ...], complex_: bool, safe: bool
) -> Slice:
    """The whole rule, where its source can't be read: it reads everything."""
    rule: Any = primitive.rule
    wanted = tuple(i for i, on in enumerate(active) if on)
    refuse = refusal(primitive)
    picked = _picker(refuse)

    def cotangent(multiply: Any, g: Any, p: Any, i: int) -> Any:
        if p is NotImplemented:
            refuse(i)
        p = np.conj(p) if complex_ and p is not None else p
        return None if p is None else multiply(g, p) if safe else g * p

    def maker(fn: Any, multiply: Any) -> Callable[..., Any]:
        def run(g: Any, ans: Any, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
            if primitive.kind == "vjp":
                return picked(fn(g, ans, *args, **kwargs), wanted)
            args = tuple(map(widened, args)) if widens(primitive, len(args)) else args
            parts = picked(fn(ans, *args, **kwargs), wanted)
            return tuple(cotangent(multiply, g, p, i) for p, i in zip(parts, wanted, strict=True))

        return run

    return Slice(
        maker(rule, safe_product),
        as_a_rule(maker(for_tensors(rule), for_tensors(safe_product))),
        VALUE,
        (VALUE,) * len(active),
        dict.fromkeys(keywords, VALUE),
        "",
    )
