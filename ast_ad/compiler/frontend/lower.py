"""How do a user's function and the arguments of a call become the IR of the program that this call runs?"""

from __future__ import annotations

import dataclasses
import types
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...deep import run_deep
from ...errors import AdError
from ...registered import Made
from ...rules.registry import lookup
from ...trees import LEAF, STATIC, TreeDef
from ..budget import MOST_AGAIN, MOST_STEPS, spend
from ..ir.ops import Arg, Block, Function, If, Lit, Op, Statement, reads
from ..ir.types import is_strange
from .builder import Builder
from .callables.call_sites import CallSites
from .callables.calls import call, python_function
from .callables.error_states import require_restored
from .callables.recursion import Bounds, Code
from .constructs.boundness import Raised, certain_exception
from .constructs.untaken_paths import Line
from .context import Context
from .conversion import from_python
from .guards import Guard, Path, Spot
from .inputs import HANDLES, REFERENCES, Inputs, Restart
from .interpreter import new_context
from .length_patterns import Known
from .loops.written_out import ITEMS_KNOWN
from .outside_values import require_plain_items
from .registered_objects import registered_argument
from .signatures import ITEMS_APART, is_object, is_table
from .store.elements import without_references
from .store.left import Left, guard_identities, require_alone, require_no_code, written_outside
from .store.lifted_places import require_attributes_only
from .store.missed_stores import require_none_missed
from .store.outer_stores import Store
from .store.records import NO_RECORDS, records_made
from .structures import structure_outside
from .types.joins import ShapeChange
from .values import Bound, Callee, Dct, Lst, Obj, Tup, Value

MAX_BUILDS = 12


@dataclass
class Primal:
    """``function``: the primal, its parameters the leaves of the arguments, then what it reads from outside.

    ``result``: the structure of the value, with positions among the function's results as leaves.
    ``written``: positions of the arguments that the function changes. ``constants``: the inputs that are
    compiled in, with their values. ``calls``: the callees that are not part of the program, and why not.
    ``stores``: what the function leaves outside, of results that come behind those of its value; ``storing``:
    whether it stores there at all, be it for a time. ``depths``: how deep functions call themselves in it.
    ``untaken``: the branches that are left out, as no call has taken them.
    ``own_rules``: whether a function with a rule of the user's own is called; ``rounds``: whether it may
    round otherwise than the function does, as it calls one of Numba's, or asks for a derivative.
    """

    function: Function
    result: Any
    inputs: Inputs
    written: frozenset[int]
    errstate: dict[str, str]
    tried: tuple[tuple[str, int, int], ...] = ()
    calls: dict[Any, AdError] = field(default_factory=dict)
    stores: tuple[Store, ...] = ()
    storing: bool = False
    depths: dict[Code, int] = field(default_factory=dict)
    untaken: tuple[Line, ...] = ()
    own_rules: bool = False
    rounds: bool = False

    @property
    def count(self) -> int:
        """How many results there are."""
        return len(self.function.body.results)

    @property
    def heeds_errors(self) -> bool:
        """Whether ``np.errstate`` makes exceptions, or messages, of floating point errors in it."""
        return any(mode not in ("ignore", "warn") for mode in self.errstate.values())

    @property
    def constants(self) -> dict[Any, Any]:
        return self.inputs.static_values


def lower(
    function: Callee,
    names: Sequence[str],
    trees: Sequence[TreeDef],
    leaves: Sequence[Any],
    keywords: Sequence[str] = (),
    sites: CallSites | None = None,
    known: Known = Known.ONES,
    so_far: tuple[Mapping[Code, int] | None, Collection[Line]] = (None, ()),
    constants: frozenset[Any] = frozenset(),
    residuals: str = "cheap",
) -> Primal:
    """Read ``function`` for arguments of the given structure.

    Args:
        function: a Python function, method, partial or Numba dispatcher.
        names: what the arguments are called, for the names of parameters.
        trees: the structure of each argument; ``leaves``: their leaves, one after the other.
        keywords: the names of the last arguments, which are passed by keyword.
        sites: gathers the calls that stay calls, as their callees can't be followed; None: there are none.
        known: what of the lengths of arrays the program may rely on.
        so_far: how deep functions called themselves in earlier calls, by their code; None: they are not
            followed where only a condition at run time ends that. And the lines that ran in traced calls, if
            it was refused: branches that did not are left out.
        constants: keys of arguments whose values are compiled in; those that turn out to be needed join them.
        residuals: what the loops of derivatives that are called in it save, see ``adjoint``.

    Raises:
        AdError: the function can't be compiled; the message names the construct and its line.
    """
    bounds = Bounds(*so_far)
    if so_far[1]:
        spend(MOST_STEPS - MOST_AGAIN)
    builds, first = 0, None
    while builds < MAX_BUILDS:
        try:
            return run_deep(
                _lower, function, names, trees, leaves, keywords, (constants, known), sites, bounds, residuals
            )
        except Restart as restart:
            constants = with_others(constants | restart.keys)
            builds += 1
            if builds == MAX_BUILDS // 2:
                constants |= asked_one_by_one(constants, leaves)
        except AdError as problem:
            more = what_may_tell(problem, constants)
            if not more and not (bounds.add(problem) or bounds.drop()):
                more = read_apart(problem, constants)
                if not more:
                    first = first or problem.kept()
                    if sites is None or not sites.choose(problem):
                        break
                    continue
            constants |= more
            builds += 1
    if first is not None:
        raise first
    raise AssertionError("the builds do not settle")


def _lower(
    function: Callee,
    names: Sequence[str],
    trees: Sequence[TreeDef],
    leaves: Sequence[Any],
    keywords: Sequence[str],
    relied: tuple[frozenset[Any], Known],
    sites: CallSites | None,
    bounds: Bounds,
    residuals: str,
) -> Primal:
    inputs = Inputs(*relied)
    try:
        return _read(function, names, trees, leaves, keywords, inputs, sites, bounds, residuals)
    except AdError as problem:
        if inputs.several and inputs.places.count:  # one thing under two names was changed, perhaps
            inputs.one_thing()
        problem.records, problem.at_run_time = records_made(inputs), inputs.at_run_time
        raise


def _read(
    function: Callee,
    names: Sequence[str],
    trees: Sequence[TreeDef],
    leaves: Sequence[Any],
    keywords: Sequence[str],
    inputs: Inputs,
    sites: CallSites | None,
    bounds: Bounds,
    residuals: str,
) -> Primal:
    builder = Recorder(Block(), inputs)
    cx = new_context(builder, inputs, None if sites is None else sites.begin())
    cx.bounds, cx.residuals = bounds, residuals
    cx.root = None if hasattr(function, "__ast_ad_lower__") else cx.frame
    values = _arguments(cx, inputs, names, trees, leaves)
    split = len(values) - len(keywords)
    results: list[Arg] = []
    try:
        result = call(
            cx, callee_of(cx, function), values[:split], dict(zip(keywords, values[split:], strict=True))
        )
        structure = structure_outside(cx, result, results)
        stores = Left(cx, results).stores()
    except Raised:  # for every argument
        raise raises_always(cx, builder.block) from None
    except ShapeChange as change:  # in no loop or branch, which tell what may be done
        raise unlike_elements(cx, change) from None
    builder.block.results = tuple(results)
    used = _used(builder.block)
    inputs.observed = [c for c in inputs.captures if c[1].id not in used]
    inputs.captures = [c for c in inputs.captures if c[1].id in used]
    if inputs.places.count or stores:
        require_no_code(cx)
        require_none_missed(cx)
    if inputs.places.count or stores or inputs.places.lifted or inputs.places.lifted_items:
        require_attributes_only(cx)
        guard_identities(cx)
        require_alone(cx, bool(sites and (sites.solvers or sites.reasons())))
    without_references(builder.block)
    if cx.errstate:
        require_restored(cx, builder.block)
    params = (*inputs.params, *(var for _, var, _ in inputs.captures))
    name = getattr(function, "__name__", None) or "function"
    primal = Function(name if name.isidentifier() else "function", params, builder.block)
    return Primal(
        primal,
        structure,
        inputs,
        frozenset({*inputs.written, *written_outside(inputs, stores)}),
        cx.errstate,
        tuple(cx.tried),
        {} if sites is None else sites.reasons(),
        stores,
        inputs.places.count > 0,
        dict(bounds.used),
        tuple(bounds.untaken.left),
        cx.has_own_rules,
        cx.rounds,
    )


def unlike_elements(cx: Context, change: ShapeChange) -> AdError:
    cx.builder.span = change.span or cx.builder.span
    return cx.unsupported(
        "a container of unlike elements, of which it is known at run time only which there are",
        change.among("an element"),
        "give all elements one type",
    )


def with_others(constants: frozenset[Any]) -> frozenset[Any]:
    """Keys of constants; where three are items of one structure from outside, all such items are to be.

    So they are where it is asked of three whether they are several. Of flags (``if mask & Model.AREA``) two
    of one class or module speak for all of its ints: each would cost a build of its own.
    """
    asked = (key for key in constants if len(key) == 2 or key[2:] == ("several",))
    spots = [key[1] for key in asked if isinstance(key[1], Spot)]
    items, flags = Counter(s.every for s in spots), Counter(s.beside for s in spots if s.beside is not None)
    found = [s for s, count in items.items() if count > 2] + [s for s, count in flags.items() if count > 1]
    return constants | {("outside", spot) for spot in found}


def what_may_tell(problem: AdError, known: frozenset[Any]) -> frozenset[Any]:
    """What the program is to be read with once more, after a refusal over which array is which."""
    if not getattr(problem, "aliased", False):
        return frozenset()
    step = HANDLES if REFERENCES in known or getattr(problem, "elements", False) else REFERENCES
    more: frozenset[Any] = frozenset({REFERENCES, step}) - known
    return more or getattr(problem, "orders", frozenset())


def read_apart(problem: AdError, known: frozenset[Any]) -> frozenset[Any]:
    """What lets a program that was refused be read item by item: short loops, long lists, records."""
    if problem.items_asked and ITEMS_KNOWN not in known:
        return frozenset({ITEMS_KNOWN})
    found = [ITEMS_APART] if problem.at_run_time else []
    return frozenset(found + [NO_RECORDS] if problem.records else found) - known


def asked_one_by_one(constants: frozenset[Any], leaves: Sequence[Value]) -> set[Any]:
    """The lengths of all arrays in arguments, of which a build asks for one each, and so of ints."""
    found: set[Any] = {("arg", i, "shape") for i, v in enumerate(leaves) if isinstance(v, np.ndarray)}
    if sum(key[0] == "arg" and len(key) == 2 for key in constants) > 2:
        found |= {("arg", i) for i, v in enumerate(leaves) if isinstance(v, (int, np.integer))}
    return found


class Recorder(Builder):
    """A builder that remembers which operation made a value."""

    def __init__(self, block: Block, inputs: Inputs) -> None:
        super().__init__(block)
        self.inputs = inputs

    def append(self, op: Statement) -> None:
        super().append(op)
        if isinstance(op, Op):
            for out in op.outs:
                self.inputs.producers[out.id] = op


def callee_of(cx: Context, function: Callee) -> Any:
    """The abstract value of what is called."""
    inputs = cx.outside()
    plain = python_function(function.__func__ if isinstance(function, types.MethodType) else function)
    if plain is not None:
        inputs.guards.add(Guard.value(Path.of_object(plain, plain.__name__), plain))  # its code, its defaults
    if isinstance(function, types.MethodType) and lookup(function) is None:
        owner = function.__self__
        return Bound(Lit(function.__func__), (inputs.live(owner, Path.of_object(owner, "self"), fixed=True),))
    method = getattr(type(function), "__call__", None)  # noqa: B004
    if (
        not isinstance(function, (types.FunctionType, types.BuiltinFunctionType, type))
        and hasattr(function, "__dict__")
        and not hasattr(function, "py_func")
        and (isinstance(method, types.FunctionType) or hasattr(method, "as_method"))
    ):
        return inputs.live(function, Path.of_object(function, "self"), fixed=True)
    return Lit(function)


def _arguments(
    cx: Context,
    inputs: Inputs,
    names: Sequence[str],
    trees: Sequence[TreeDef],
    leaves: Sequence[Value],
) -> list[Any]:
    values = []
    position = iter(range(len(leaves)))
    for i, (name, tree) in enumerate(zip(names, trees, strict=True)):
        if tree.type is STATIC and (is_object(tree.static) or is_table(tree.static)):
            values.append(inputs.load(cx, tree.static, Path.of_argument(i, name)))
            continue
        labels = iter(tree.names(name))
        path = Path.of_argument(i, name)
        values.append(_argument(cx, inputs, tree, leaves, position, labels, path))
    return values


def _argument(
    cx: Context,
    inputs: Inputs,
    tree: TreeDef,
    leaves: Sequence[Value],
    position: Iterator[int],
    labels: Iterator[str],
    path: Path,
) -> Any:
    if tree.type is LEAF:
        i, label = next(position), next(labels)
        if is_strange(leaves[i]):
            raise cx.unsupported(
                f"`{label}`, a {type(leaves[i]).__name__}",
                "its class has code of its own",
                "use float(...) of it",
            )
        return inputs.argument(leaves[i], i, label)
    if tree.type is STATIC:
        return _static(cx, tree.static, path.label)
    made = isinstance(tree.static, Made)
    paths = [path] * len(tree.keys)
    if not made:
        by_name = dataclasses.is_dataclass(tree.type)
        paths = [path.attribute(key) if by_name else path.item(key) for key in tree.keys]
    items = tuple(
        _argument(cx, inputs, child, leaves, position, labels, at)
        for child, at in zip(tree.children, paths, strict=True)
    )
    if issubclass(tree.type, tuple) and not made:
        require_plain_items(cx, tree.type)
        return Tup(items, None if tree.type is tuple else tree.type)
    found: Lst | Dct | Obj
    if made:
        found = registered_argument(cx, inputs, tree, items, path)
    elif tree.type is list:
        found = Lst(items)
    elif issubclass(tree.type, dict):
        found = Dct(dict(zip(tree.keys, items, strict=True)), tree.type)
    else:
        found = Obj(tree.type, dict(zip(tree.keys, items, strict=True)))
    inputs.containers.add(found)
    return found


def _static(cx: Context, value: Value, name: str) -> Any:
    if value is None or isinstance(
        value, (str, bool, bytes, slice, types.FunctionType, types.BuiltinFunctionType, type)
    ):
        if isinstance(value, slice):
            return slice(Lit(value.start), Lit(value.stop), Lit(value.step))
        return Lit(value)
    if isinstance(value, range):
        return from_python(cx, value)
    assert cx.inputs is not None
    return cx.inputs.load(cx, value, Path.of_object(value, name))


def raises_always(cx: Context, block: Block) -> AdError:
    """The error for a function that raises whatever its arguments are; an error of ours is that itself."""
    cx.builder.span, found = block.ops[-1].span, certain_exception(block)
    if isinstance(found, AdError):
        return found.at(cx.builder.span)
    why = "there is nothing to differentiate" if found is None else f"{type(found).__name__}: {found}"
    return cx.unsupported("a function that raises whatever its arguments are", why, "check it")


def _used(block: Block) -> set[int]:
    return {v.id for v in reads(If(Lit(True), block, Block(), ()))}
