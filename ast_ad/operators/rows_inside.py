"""What are the rows of arguments and results in compiled code?

``count``, ``row`` and ``stack`` are ``Count``, ``Row`` and ``Stack`` for abstract values. What a turn returns
has to be known before the loop, where the arrays are made that it writes to: the turn is read once for that,
and what was read is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..calls.inside_later import is_leaf, mapped, type_of_leaf
from ..compiler.arrays.lengths import Lengths, Ops
from ..compiler.frontend.callables.calls import call
from ..compiler.frontend.constructs.attributes import load_attribute
from ..compiler.frontend.constructs.boundness import Raised
from ..compiler.frontend.constructs.subscripts import load_item
from ..compiler.frontend.context import Context
from ..compiler.frontend.conversion import from_python
from ..compiler.frontend.registered_objects import children_of, is_registered, refused
from ..compiler.frontend.values import Dct, Lst, Obj, Tup
from ..compiler.ir.ops import Block, Lit, Var, binders, reads, walk
from ..compiler.ir.types import Array, Dim, Scalar
from ..trees import LEAF, STATIC, TreeDef
from .leaves import inlined
from .mapped_axes import Arguments, Axes, Axis, from_start, no_axis, other_sizes, out_axis, told_size
from .row_results import no_rows, only, require_numbers

KINDS = {"bool": np.dtype(bool), "int": np.dtype(int), "float": np.dtype(float), "complex": np.dtype(complex)}


# ----- structures -------------------------------------------------------------------------------------------
def tree_of(cx: Context, value: Any, found: list[Any], flags: bool = False) -> TreeDef:
    """The structure of an abstract value; ``found`` gets its leaves, with ``flags`` also those.

    ``static`` of an object of a registered class: the attributes that are its children, and all others.
    """
    content: Any = cx.state.get(value) if isinstance(value, (Lst, Dct, Obj)) else None
    made: tuple[Any, Any] | None = None
    if isinstance(value, Tup):
        kind: Any = value.cls or tuple
        keys: Any = kind._fields if value.cls else range(len(value.items))
        parts = value.items
    elif isinstance(value, Lst) and isinstance(content, tuple):
        kind, keys, parts = list, range(len(content)), content
    elif isinstance(value, Obj) and is_registered(value):
        names, _ = children_of(cx, value)
        made = tuple(names), tuple([pair for pair in content.items() if pair[0] not in names])
        kind, keys, parts = value.cls, range(len(names)), tuple([content[name] for name in names])
    elif isinstance(value, (Dct, Obj)) and isinstance(content, dict):
        kind, keys, parts = value.cls, content, tuple(content.values())
    else:
        return _leaf_or_static(cx, value, found, flags)
    return TreeDef(kind, tuple(keys), tuple([tree_of(cx, part, found, flags) for part in parts]), made)


def _leaf_or_static(cx: Context, value: Any, found: list[Any], flags: bool) -> TreeDef:
    constant = value.value if isinstance(value, Lit) else value
    number = isinstance(constant, (int, float, complex)) and (flags or not isinstance(constant, bool))
    before = len(found)
    mapped(cx, value, found.append)
    if number and len(found) == before:
        found.append(value)
    return TreeDef(LEAF, (), ()) if len(found) > before else TreeDef(STATIC, (), (), constant)


def built(cx: Context, tree: TreeDef, parts: Iterator[Any]) -> Any:
    """The abstract value of a structure."""
    if tree.type is LEAF:
        return next(parts)
    if tree.type is STATIC:
        return from_python(cx, tree.static)
    items = tuple([built(cx, child, parts) for child in tree.children])
    if issubclass(tree.type, tuple):
        return Tup(items, None if tree.type is tuple else tree.type)
    if tree.type is list:
        return Lst(items)
    if tree.static is not None:
        names, others = tree.static
        return Obj(tree.type, dict((*zip(names, items, strict=True), *others)))
    content = dict(zip(tree.keys, items, strict=True))
    return Dct(content, tree.type) if issubclass(tree.type, dict) else Obj(tree.type, content)


def leaves_of_call(cx: Context, arguments: Arguments, args: Any, kwargs: Any) -> list[tuple[Any, str, Axis]]:
    """Each leaf of the arguments, with its name and its axis."""
    leaves: list[Any] = []
    tree = tree_of(cx, args, leaves)
    named = tree_of(cx, kwargs, leaves)
    axes = arguments.axes(tree, named)
    return [(leaf, path, axis) for leaf, (path, axis) in zip(leaves, axes, strict=True)]


def shape_of(cx: Context, leaf: Any) -> tuple[Any, ...]:
    type = type_of_leaf(cx.arg(leaf))
    shape = type.shape if isinstance(type, Array) else () if isinstance(type, Scalar) else None
    if shape is None:
        raise cx.unsupported(
            "an argument that is mapped, of which it is not known how many axes it has",
            f"it is of type {type}",
            "pass an array",
        )
    return shape


# ----- arguments --------------------------------------------------------------------------------------------
def count(cx: Context, arguments: Arguments, args: Any, kwargs: Any) -> Any:
    sizes: list[Any] = []
    told: list[str] = []
    found: list[Any] = []
    of: list[tuple[str, int]] = []
    for leaf, path, axis in leaves_of_call(cx, arguments, args, kwargs):
        if axis is not None:
            shape = shape_of(cx, leaf)
            place = from_start(axis, len(shape), path, arguments.in_axes.name)
            told.append(told_size(path, place, shape[place]))
            if shape[place] not in sizes:
                sizes.append(shape[place])
                of.append((path, place))
                found.append(load_item(cx, load_attribute(cx, leaf, "shape"), Lit(place)))
    if not sizes:
        raise no_axis(arguments.in_axes.name)
    if len({size for size in sizes if isinstance(size, int)}) > 1:
        raise other_sizes(told)
    if len(sizes) > 1:
        inlined(cx, _require_one_size, [Tup(tuple(found)), from_python(cx, tuple(of))])
    return found[0]


def _require_one_size(sizes: Any, of: Any) -> None:
    for size, (path, axis) in zip(sizes[1:], of[1:], strict=True):
        if size != sizes[0]:
            first = told_size(of[0][0], of[0][1], sizes[0])
            raise other_sizes((first, told_size(path, axis, size)))


def row(cx: Context, arguments: Arguments, args: Any, kwargs: Any, i: Any) -> Any:
    axes = iter(leaves_of_call(cx, arguments, args, kwargs))

    def own(leaf: Any) -> Any:
        """A value of the turn's own: a write to it reaches nothing else."""
        _, path, axis = next(axes)
        if axis is not None:
            place = from_start(axis, len(shape_of(cx, leaf)), path, arguments.in_axes.name)
            leaf = load_item(cx, leaf, place_of_row(place, i))
        found = cx.arg(leaf)
        return cx.wrap_var(found) if isinstance(found, Var) else leaf

    return Tup((mapped(cx, args, own), mapped(cx, kwargs, own)))


def place_of_row(axis: int, i: Any) -> Any:
    every = slice(Lit(None), Lit(None), Lit(None))
    return Tup((*(every,) * axis, i)) if axis else i


# ----- results ----------------------------------------------------------------------------------------------
def stack(cx: Context, out_axes: Axes, randomness: str, turn: Any, count: Any, given: Any) -> Any:
    before = cx.outside().draws
    visible, tree, types = one_turn(cx, turn)
    if cx.outside().draws > before and randomness != "different":  # as the loop draws from row to row
        raise cx.unsupported(
            "a random number drawn in a function that is mapped", "by row or once?", "see vmap"
        )
    axes = [
        (path, out_axis(axis, len(shape), path, out_axes.name))
        for (path, axis), (_, shape) in zip(out_axes.of(tree, "the result"), types, strict=True)
    ]
    lengths = Lengths(visible, {}, Ops(cx.builder.block.ops, cx.builder.span, cx.builder.adjoint))
    blocks = [
        empty(cx, lengths, dtype, shape, count, axis or 0)
        for (dtype, shape), (_, axis) in zip(types, axes, strict=True)
    ]
    places = [axis or 0 for _, axis in axes]
    made = [None if isinstance(b, Lst) else row for b, row in zip(blocks, types, strict=True)]
    filled = inlined(
        cx, _filled, [turn, count, Tup(tuple(blocks)), Tup(tuple(map(Lit, places))), Lit((tree, made))]
    ).items
    parts = [
        inlined(cx, only_of_some, [block, Lit(f"{out_axes.name}=None for `{path}`")])
        if axis is None
        else block
        for block, (path, axis) in zip(filled, axes, strict=True)
    ]
    return built(cx, tree, iter(parts))


def only_of_some(rows: Any, asked: str) -> Any:
    if len(rows) == 0:
        raise no_rows()
    return only(rows, asked)


Row = tuple[np.dtype, tuple[Any, ...]]


def one_turn(cx: Context, turn: Any) -> tuple[list[Var], TreeDef, list[Row]]:
    """What a turn reads of the surroundings, and the structure, the dtypes and the shapes of its result."""
    index = Var(Scalar("int"))
    index.type = Scalar("int", None, Dim.symbol(("int", index.id), least=0))
    entry, errors = cx.state, dict(cx.errstate)
    cx.state = entry.fork()
    leaves: list[Any] = []
    try:
        with cx.builder.nested(Block()) as block:
            value = call(cx, turn, [index], {})
            if cx.state.dead:
                raise Raised
            tree = _result_tree(cx, value, leaves)
            types = [dtype_and_shape(cx, leaf) for leaf in leaves]
    except Raised:
        raise cx.unsupported(
            "a function that is mapped and raises for every row", "it has no result", "check it"
        ) from None
    finally:
        cx.state, cx.errstate = entry, errors
    return around(block, index), tree, types


def _result_tree(cx: Context, value: Any, found: list[Any]) -> TreeDef:
    tree = tree_of(cx, value, found, flags=True)
    for static in tree.statics():
        if static is not None:
            require_numbers(None, static)
    _require_constants(cx, tree)
    return tree


def _require_constants(cx: Context, tree: TreeDef) -> None:
    """What an object is made of besides its children is known before the rows are."""
    for name, held in tree.static[1] if tree.children and tree.static else ():
        if not isinstance(held, Lit) or is_leaf(held):
            raise refused(cx, tree.type, f"`{name}` of a result may be another one for another row")
    for child in tree.children:
        _require_constants(cx, child)


def around(block: Block, index: Var) -> list[Var]:
    """The variables that a block reads and does not make."""
    made: set[Var] = {index}
    read: dict[Var, None] = {}
    for op in walk(block):
        made.update(op.outs)
        made.update(binders(op))
    for op in block.ops:
        read.update(dict.fromkeys(reads(op)))
    return [var for var in read if var not in made]


def dtype_and_shape(cx: Context, leaf: Any) -> Row:
    type = type_of_leaf(cx.arg(leaf))
    dtypes = {dtype_of(one) for one in getattr(type, "among", None) or {type}}
    (dtype,) = dtypes if len(dtypes) == 1 else (None,)
    shape = type.shape if isinstance(type, Array) else ()
    if dtype is None or shape is None:
        raise cx.unsupported(
            "a result of a function that is mapped, of a type that depends on the row",
            f"it is {type}",
            "return numbers and arrays of one dtype on every path",
        )
    require_numbers(dtype.kind, type)
    return dtype, shape


def dtype_of(type: Any) -> np.dtype | None:
    """The dtype of an array of such numbers."""
    if isinstance(type, np.dtype):
        return type
    if isinstance(type, Array):
        return type.dtype
    return type.dtype or KINDS[type.kind] if isinstance(type, Scalar) else None


def empty(cx: Context, lengths: Lengths, dtype: np.dtype, shape: Any, count: Any, axis: int) -> Any:
    """The array for the rows of a result, before there are any; a list, where their lengths are not known."""
    found = [lengths.of(length) for length in shape]
    if None in found:
        return Lst(())
    whole = (*found[:axis], count, *found[axis:])
    return cx.emit(np.empty, Tup(whole), Lit(dtype))


def _filled(turn: Any, count: Any, blocks: Any, places: Any, known: Any) -> Any:
    for i in range(count):
        for block, axis, found in zip(blocks, places, parts_of(turn(i), known), strict=True):
            if isinstance(block, list):
                block.append(found)
            else:
                block[at(axis, i)] = found
    return tuple([_joined(block, axis) for block, axis in zip(blocks, places, strict=True)])


def _joined(block: Any, axis: Any) -> Any:
    if not isinstance(block, list):
        return block
    if len(block) == 0:
        raise no_rows()
    return np.stack(block, axis=axis)


def parts_of(value: Any, known: tuple[TreeDef, list[Row | None]]) -> Any:
    """The leaves of a result that has the structure of the one that was read first.

    ``known``: that, and the types of those for which there is an array.
    """
    raise NotImplementedError("in compiled code only")


def at(axis: int, i: int) -> Any:
    """The place of a row."""
    raise NotImplementedError("in compiled code only")


def _lower_parts(cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
    value, (tree, made) = args[0], args[1].value
    leaves: list[Any] = []
    if _result_tree(cx, value, leaves) != tree:
        raise cx.unsupported(
            "a result of another structure for another row", "it depends on the row", "return one structure"
        )
    for leaf, row in zip(leaves, made, strict=True):
        if row is not None and dtype_and_shape(cx, leaf) != row:  # a turn reads what another one left
            raise cx.unsupported(
                "a result of another shape or dtype for another row",
                "it depends on what the turns before have changed",
                "return arrays of one shape",
            )
    return Tup(tuple(leaves))


def _lower_at(cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
    axis, i = args
    return place_of_row(cx.demand(axis, "the axis of the rows"), i)


parts_of.__ast_ad_lower__ = _lower_parts  # type: ignore[attr-defined]
at.__ast_ad_lower__ = _lower_at  # type: ignore[attr-defined]
