"""Which values may share memory?

``Aliasing(function, owned, decisions)``. Asked in each round of ``write_in_place`` (as ``Apart``), with what
is decided so far; ``behaviour`` of an operation, and the kinds of indices, by other passes, too.

Each value has a set of *roots*: the places where the memory that it may refer to was allocated. Two values
may share memory if they have a root in common. ``FOREIGN`` stands for memory that others hold: the caller's
arrays, constants, whatever an unknown function returns. A root that comes round in a loop is *old*: what the
same statement allocates in this iteration is something else.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...rules import containers, dicts, helpers, in_place, nested_lists, required
from ...rules.itself import ITSELF, ITSELF_FOR
from ...rules.of_dtypes import of_dtypes
from ...rules.registry import lookup
from ..ir import builtin
from ..ir.ops import (
    Arg,
    Block,
    For,
    Function,
    If,
    Lit,
    Op,
    Seq,
    Slice,
    Var,
    While,
    binders,
    operands,
    variables,
    walk,
)
from ..ir.types import Array, DictOf, ListOf, Scalar, TupleOf

Root = tuple[Any, bool, str]  # (where it was allocated, whether in an earlier iteration, "" or "inside")
FOREIGN: Root = ("foreign", False, "")
WHOLE, VIEW, READ_ONLY = range(3)


@dataclass(frozen=True)
class Storage:
    """What a value refers to: its own memory (``direct``) and that of what it contains (``inside``).

    ``form``: whether arrays (its own or those inside) are whole, possibly views, or possibly read-only.
    """

    direct: frozenset[Root] = frozenset()
    inside: frozenset[Root] = frozenset()
    form: int = WHOLE

    @property
    def all(self) -> frozenset[Root]:
        return self.direct | self.inside

    def __or__(self, other: Storage) -> Storage:
        if other is NOTHING or other is self:
            return self
        if self is NOTHING:
            return other
        return Storage(self.direct | other.direct, self.inside | other.inside, max(self.form, other.form))


NOTHING = Storage()
UNKNOWN = Storage(frozenset((FOREIGN,)), frozenset((FOREIGN,)), READ_ONLY)


@dataclass(frozen=True)
class Decisions:
    """What the in-place pass has decided so far, each by ``id`` of the statement.

    ``writes``: ops that write to their first argument. ``inits``: (loop, position) of initial values that are
    copied. ``stored``: (op, Var) of arguments that are copied before they are put into a container.
    """

    writes: frozenset[int] = frozenset()
    inits: frozenset[tuple[int, int]] = frozenset()
    stored: frozenset[tuple[int, Var]] = frozenset()


# ----- what the operations do ------------------------------------------------------------------------

_SHAPING = (
    "reshape ravel transpose swapaxes moveaxis rollaxis squeeze expand_dims flip fliplr flipud rot90 "
    "atleast_1d atleast_2d atleast_3d real imag split array_split hsplit vsplit dsplit asarray asanyarray "
    "ascontiguousarray asfortranarray matrix_transpose permute_dims diff real_if_close unstack trim_zeros "
    "einsum linalg.matrix_power linalg.matrix_transpose"
)
_STRETCHING = "broadcast_to broadcast_arrays meshgrid ix_ diagonal diag linalg.diagonal require nan_to_num"


def _numpy(names: str) -> set[Any]:
    found = set()
    for name in names.split():
        try:
            found.add(operator.attrgetter(name)(np))
        except AttributeError:  # not in this NumPy
            continue
    return found


VIEWS: dict[Any, int] = {
    **dict.fromkeys(_numpy(_STRETCHING), READ_ONLY),
    **dict.fromkeys(_numpy(_SHAPING), VIEW),
    helpers.mT: VIEW,
    helpers.expand_reduced: VIEW,
    helpers.broadcast_like: READ_ONLY,
    helpers.list_from_array: VIEW,
}
ELEMENTS = {
    containers.list_get,
    nested_lists.item_within,
    dicts.dict_get,
    dicts.dict_get_or,
    builtin.tuple_get,
    builtin.unpack,
}
SHALLOW = {
    containers.list_append, containers.list_set, containers.list_add_at, containers.list_slice,
    containers.list_set_slice, containers.list_put, containers.list_permuted,
    containers.list_concat, containers.list_repeat, containers.list_reverse,
    containers.list_add, containers.list_fill, builtin.make_list, builtin.make_tuple, dicts.dict_set,
    dicts.dict_add_at, dicts.dict_add, nested_lists.with_item, nested_lists.with_sum,
}  # fmt: skip
ARITHMETIC = {
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
    operator.matmul, operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift, operator.lt,
    operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.is_, operator.is_not,
    operator.neg, operator.pos, operator.invert, operator.not_, operator.contains, abs, len, round, bool, int,
    float, complex, print, range,
}  # fmt: skip


def is_basic_index(arg: Arg) -> bool:
    """Whether indexing with the argument certainly selects a regular part: ints, slices, None, Ellipsis."""
    if isinstance(arg, Slice):
        return True
    if isinstance(arg, Seq):
        return arg.kind is tuple and all(map(is_basic_index, arg.items))
    if isinstance(arg, Lit):
        value = arg.value
        items = value if type(value) is tuple else (value,)
        return all(i is None or i is Ellipsis or type(i) in (slice, int) for i in items)
    type_ = arg.type
    if isinstance(type_, TupleOf):
        return all(isinstance(t, Scalar) and t.kind == "int" for t in type_.items)
    return isinstance(type_, Scalar) and type_.kind == "int"


def is_whole_index(arg: Arg) -> bool:
    """Whether an index certainly is all of the array, axis by axis: an ellipsis, or full slices.

    >>> is_whole_index(Lit(Ellipsis)), is_whole_index(Lit(slice(1, None)))
    (True, False)
    """
    if isinstance(arg, Seq):
        return arg.kind is tuple and bool(arg.items) and all(map(is_whole_index, arg.items))
    if isinstance(arg, Slice):
        parts = arg.start, arg.stop, arg.step
        return all(isinstance(part, Lit) and part.value is None for part in parts)
    value = arg.value if isinstance(arg, Lit) else None
    items = value if type(value) is tuple and value else (value,)
    return all(item is Ellipsis or type(item) is slice and item == slice(None) for item in items)


def is_advanced_index(arg: Arg) -> bool:
    """Whether indexing with the argument certainly copies: it holds an array, a list or a boolean."""
    if isinstance(arg, Seq):
        return arg.kind is list or any(map(is_advanced_index, arg.items))
    if isinstance(arg, Var):
        if isinstance(arg.type, Array):
            return bool(arg.type.shape) or arg.type.kind == "bool"
        return isinstance(arg.type, ListOf) or (isinstance(arg.type, Scalar) and arg.type.kind == "bool")
    return isinstance(arg, Lit) and isinstance(arg.value, (bool, list))


def read_for_its_shape(op: Op) -> int | None:
    """The place of the argument of which only shape and dtype matter: as of an array that is overwritten."""
    if op.fn is builtin.fill_ or op.fn is helpers.setitem and is_whole_index(op.args[1]):
        return 0
    return helpers.METADATA.get(op.fn)


def data_reads(op: Op) -> list[Var]:
    """The Vars whose values the op reads: not those that it reads for shape and dtype only."""
    position = read_for_its_shape(op) if not op.kwargs else None
    args = operands(op)
    if position is not None and position < len(args):
        shape = args[position]
        if isinstance(shape, Var) and isinstance(shape.type, (Array, Scalar)):
            args = (*args[:position], *args[position + 1 :])
    return variables(*args)


# ----- the analysis ----------------------------------------------------------------------------------


class Aliasing:
    """The storage of every Var of a function; parameters in ``owned`` are ours alone."""

    def __init__(self, function: Function, owned: frozenset[Var], decisions: Decisions) -> None:
        self.decisions = decisions
        self.storage: dict[Var, Storage] = {}
        self.carried: dict[Var, Storage] = {}  # of loop parameters: grows until nothing changes
        self.within: dict[int, frozenset[Var]] = {}  # what each loop's regions bind
        for param in function.params:
            own = Storage(_root(param), _root(param, "inside")) if param in owned else UNKNOWN
            self.storage[param] = own if may_refer(param) else NOTHING
        self.changed = True
        while self.changed:
            self.changed = False
            self.block(function.body)

    def block(self, block: Block) -> None:
        for op in block.ops:
            if isinstance(op, Op):
                for out in op.outs:
                    self.storage[out] = self.result(op, out) if may_refer(out) else NOTHING
            elif isinstance(op, If):
                self.block(op.then)
                self.block(op.orelse)
                for out, a, b in zip(op.outs, op.then.results, op.orelse.results, strict=True):
                    self.set(out, self.held(a, out) | self.held(b, out))
            else:
                self.loop(op)

    def set(self, var: Var, storage: Storage) -> None:
        self.storage[var] = storage if may_refer(var) else NOTHING

    def of(self, *args: Arg) -> Storage:
        """The storage of arguments taken together; displays contain what their items refer to."""
        found = NOTHING
        for arg in args:
            if isinstance(arg, Var):
                found |= self.storage.get(arg, UNKNOWN)
            elif isinstance(arg, Seq):
                inner = self.of(*arg.items)
                found |= Storage(frozenset(), inner.all, inner.form)
            elif isinstance(arg, Lit) and isinstance(arg.value, (np.ndarray, list, dict, set)):
                found |= UNKNOWN
        return found

    def held(self, arg: Arg, holder: Var) -> Storage:
        """The storage of an argument that becomes the value of ``holder``; a display is a new object."""
        return self.of(arg) | Storage(_root(holder)) if isinstance(arg, Seq) else self.of(arg)

    # ----- loops -----

    def loop(self, op: For | While) -> None:
        for position, (param, init) in enumerate(zip(op.params, op.inits, strict=True)):
            start = self.held(init, param)
            if (id(op), position) in self.decisions.inits:
                start = copied(param, start)
            self.grow(param, start)
        if isinstance(op, For):
            self.items(op)
        else:
            self.block(op.cond)
        self.block(op.body)
        if id(op) not in self.within:
            self.within[id(op)] = frozenset(_bound(op))
        yields = op.body.results[1:] if op.stops else op.body.results
        for param, out, result in zip(op.params, op.outs, yields, strict=True):
            self.grow(param, self.aged(self.held(result, param), op))
            self.set(out, self.aged(self.storage[param], op))

    def items(self, op: For) -> None:
        self.set(op.index, NOTHING)
        for source, targets in op.items:
            whole = self.of(source)
            rows = isinstance(source, Var) and isinstance(source.type, Array)
            part = Storage(whole.direct, frozenset(), max(VIEW, whole.form)) if rows else element(whole)
            for var in targets:
                self.set(var, part)

    def grow(self, param: Var, storage: Storage) -> None:
        before = self.carried.get(param, NOTHING)
        after = before | (storage if may_refer(param) else NOTHING)
        if after != before or param not in self.storage:
            self.changed = True
        self.carried[param] = self.storage[param] = after

    def aged(self, storage: Storage, loop: For | While) -> Storage:
        """The storage as the next iteration sees it, or what follows the loop: its roots are old ones."""
        inner = self.within[id(loop)]

        def age(roots: frozenset[Root]) -> frozenset[Root]:
            return frozenset(
                (site, True, level) if site in inner else (site, old, level) for site, old, level in roots
            )

        return Storage(age(storage.direct), age(storage.inside), storage.form)

    # ----- operations -----

    def result(self, op: Op, out: Var) -> Storage:
        """What a result of the op refers to."""
        if id(op) in self.decisions.writes and out is op.outs[0]:
            target, rest = self.of(op.args[0]), self.arguments(op, op.args[1:])
            grown = target.inside
            if not isinstance(out.type, Array):
                grown |= rest.all | _root(out, "inside")
            return Storage(target.direct, grown, target.form if isinstance(out.type, Array) else rest.form)
        return self.pure(op, out)

    def arguments(self, op: Op, args: Iterable[Arg]) -> Storage:
        """The storage of arguments, less what is copied before it is stored."""
        found = NOTHING
        for arg in args:
            if isinstance(arg, Seq):
                inner = self.arguments(op, arg.items)
                found |= Storage(frozenset(), inner.all, inner.form)
            elif not (isinstance(arg, Var) and (id(op), arg) in self.decisions.stored):
                found |= self.of(arg)
        return found

    def pure(self, op: Op, out: Var) -> Storage:
        fresh = Storage(_root(out), _root(out, "inside"))
        behaves = behaviour(op)
        if behaves == "fresh":  # a stand-in has no storage, which nobody may write to
            return replace(fresh, form=READ_ONLY) if op.fn is helpers.hollow else fresh
        args = self.of(*op.args, *op.kwargs.values())
        first = self.of(op.args[0]) if op.args else NOTHING
        match behaves:
            case "itself":
                return Storage(fresh.direct | first.direct, first.inside, first.form)
            case "same":
                return self.held(op.args[0], out)
            case "element":
                return element(first)
            case "pop":
                rest = Storage(fresh.direct, first.inside, first.form)
                return rest if out is op.outs[0] else element(first) | self.of(*op.args[1:])
            case "shallow":
                rest = self.arguments(op, op.args)
                inner = frozenset(r for r in rest.all if r not in first.direct) | first.inside
                if op.fn in (builtin.make_list, builtin.make_tuple):
                    inner = rest.all
                return Storage(fresh.direct, inner | fresh.inside, rest.form)
            case "view" | "read-only" as form:
                roots = args.all | (fresh.direct if not isinstance(out.type, Array) else frozenset())
                return Storage(roots, roots, max(VIEW if form == "view" else READ_ONLY, args.form))
            case "may-return":
                return Storage(fresh.direct | args.all, fresh.inside | args.all, READ_ONLY)
        return UNKNOWN | Storage(fresh.direct | args.all, fresh.inside | args.all, READ_ONLY)


def behaviour(op: Op) -> str:
    """How the op's results relate to the memory of its arguments."""
    fn = op.fn if isinstance(op.fn, Hashable) else None
    if fn is operator.getitem:
        return _indexing(op)
    if (fn in ARITHMETIC or fn in (builtin.copy, builtin.own)) and not op.kwargs:
        lists = any(isinstance(a, Var) and isinstance(a.type, (ListOf, DictOf, TupleOf)) for a in op.args)
        return (
            "shallow"
            if fn is not builtin.own and (lists or any(isinstance(a, Seq) for a in op.args))
            else "fresh"
        )
    for behaves, group in _BEHAVIOURS:
        if fn in group:
            array = behaves == "shallow" and any(isinstance(out.type, Array) for out in op.outs)
            return "may-return" if array else behaves
    if fn is np.einsum and len(op.args) > 2:
        return "fresh"
    if op.kwargs.keys() & {"out", "copy"}:
        return "may-return"
    if fn in ITSELF_FOR:
        return "itself" if _may_be_itself(op) else "fresh"
    if fn in VIEWS:
        return "view" if VIEWS[fn] == VIEW else "read-only"
    primitive = lookup(fn)
    if isinstance(fn, np.ufunc) or getattr(math, getattr(fn, "__name__", ""), None) is fn:
        return "fresh"
    if primitive is not None:
        return "read-only" if primitive.view else "fresh"
    return (
        "may-return" if (getattr(fn, "__module__", "") or "").startswith(("numpy", "builtins")) else "unknown"
    )


def _may_be_itself(op: Op) -> bool:
    """Whether a function may return its argument itself, as its count may be one that changes nothing."""
    name, place, count = ITSELF_FOR[op.fn]
    given = op.kwargs.get(name, op.args[place] if len(op.args) > place else None)
    return given is not None and (not isinstance(given, Lit) or given.value == count)


_BEHAVIOURS: list[tuple[str, Any]] = [
    ("fresh", {
        dicts.dict_empty, builtin.undefined, builtin.raise_, builtin.assert_, builtin.unread, builtin.fill_,
        required.require_items, required.require_as_many, required.require_none_absent, required.require_some,
        required.require_told_apart,
        helpers.setitem, helpers.add_at, helpers.hollow, builtin.through,
    }),
    ("same", {builtin.assign, builtin.told, helpers.not_none, in_place.writable}),
    ("itself", ITSELF),
    ("element", ELEMENTS),
    ("pop", {containers.list_pop, containers.list_remove, dicts.dict_pop, dicts.dict_take}),
    ("shallow", SHALLOW),
    ("may-return", {containers.add, of_dtypes}),
]  # fmt: skip


def _indexing(op: Op) -> str:
    owner, index = op.args
    if isinstance(owner, Var) and isinstance(owner.type, Array):
        return "fresh" if is_advanced_index(index) else "view"
    sliced = isinstance(index, Slice) or (isinstance(index, Lit) and isinstance(index.value, slice))
    return "shallow" if sliced else "element"


def element(storage: Storage) -> Storage:
    """What an element of a container refers to."""
    return Storage(storage.inside, storage.inside, storage.form)


def copied(var: Var, storage: Storage) -> Storage:
    """The storage of a copy: a new array or list, whose elements are the old ones."""
    inside = storage.inside if isinstance(var.type, (ListOf, DictOf, TupleOf)) else frozenset[Root]()
    return Storage(_root(var), inside, WHOLE if not inside else storage.form)


def may_refer(var: Var) -> bool:
    """Whether a value of the Var's type can share memory with another: numbers cannot."""
    return not isinstance(var.type, Scalar)


def _root(var: Var, level: str = "") -> frozenset[Root]:
    return frozenset(((var, False, level),))


def _bound(loop: For | While) -> Iterable[Var]:
    """Every Var that is bound within the loop; its own parameters are bound outside where they are copies."""
    for block in (loop.cond, loop.body) if isinstance(loop, While) else (loop.body,):
        for op in walk(block):
            yield from op.outs
            yield from binders(op)
