"""Does each value of a program have the type that its uses rely on?

``require(function, outer) -> Function``. The end of ``adjoint``, so that it sees every program that is
differentiated, the primal with its adjoint: a violation is a defect of a pass, and such a program never runs.
A type is a promise to all later stages: which values carry a derivative, what shape a cotangent has. Wherever
values flow together without an operation (into lists and out of them, through branches and from pass to pass
of a loop), the type of what comes must lie within the type of what goes on.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from ...errors import InternalError
from ...rules import containers, dicts, helpers
from ..ir import builtin
from ..ir.check import check, show_faults
from ..ir.dims import Int, reaches
from ..ir.ops import Arg, Block, For, Function, If, Lit, Op, Seq, Statement, Undefined, Var, While, atoms
from ..ir.types import (
    ANY_KEY,
    Array,
    DictOf,
    ListOf,
    Opaque,
    Optional,
    Scalar,
    TupleOf,
    Type,
    carries_derivative,
    is_none,
    kind_of,
    type_of,
)

KINDS = {"bool": 0, "int": 1, "float": 2, "complex": 3}
Fault = tuple[Statement | None, str]


class BrokenInvariant(InternalError):
    """A bug in a pass: a value has not the type that the program relies on. The message shows where."""

    code = "E904"


def require(function: Function, outer: Iterable[Var] = ()) -> Function:
    """Return the function, or raise ``BrokenInvariant`` with every fault marked; it may read ``outer``."""
    check(function, outer)
    found = list(faults(function.body))
    if found:
        raise BrokenInvariant(
            f"the types of `{function.name}`",
            why=show_faults(function, found),
            fix="please report it with the function that triggers it",
        )
    return function


def faults(block: Block) -> Iterator[Fault]:
    """What is wrong in the block and the regions within."""
    for op in block.ops:
        if isinstance(op, Op):
            if any(type(atom) is Undefined for arg in op.args for atom in atoms(arg)):
                yield op, "reads a value that its path does not give"
            rule = _RULES.get(op.fn) if isinstance(op.fn, Hashable) else None
            if rule is not None:
                for text in rule(op):
                    yield op, text
        elif isinstance(op, If):
            yield from faults(op.then)
            yield from faults(op.orelse)
            for side in (op.then, op.orelse):
                yield from _flows(op, zip(side.results, op.outs, strict=True))
        else:
            yield from _loop(op)


def _loop(op: For | While) -> Iterator[Fault]:
    if isinstance(op, While):
        yield from faults(op.cond)
    yield from faults(op.body)
    results = op.body.results[op.stops :]
    if isinstance(op, For):
        for source, items in op.items:
            element = element_of(type_of_arg(source))
            if element is None:
                continue
            if len(items) == 1:
                yield from _flow(op, element, items[0].type, items[0])
            elif isinstance(element, TupleOf) and len(element.items) == len(items):
                for part, item in zip(element.items, items, strict=True):
                    yield from _flow(op, part, item.type, item)
    for sources, targets in ((op.inits, op.params), (results, op.params), (results, op.outs)):
        yield from _flows(op, zip(sources, targets, strict=True))
    if not _runs(op):  # else each result is that of a pass
        yield from _flows(op, zip(op.inits, op.outs, strict=True))


def _runs(op: For | While) -> bool:
    """Whether a loop certainly has an iteration."""
    if isinstance(op, While):
        test = op.cond.results[0]
        return isinstance(test, Lit) and test.value is True
    if op.range is None:
        return False
    start, stop, step = map(_integer, op.range)
    if start is None or stop is None or not isinstance(step, int):
        return False
    return reaches(stop - start, 1) if step > 0 else reaches(start - stop, 1)


def _integer(arg: Arg) -> Int | None:
    """An integer as a length, where that is known."""
    if isinstance(arg, Lit):
        return arg.value if type(arg.value) is int else None
    return arg.type.size if isinstance(arg, Var) and isinstance(arg.type, Scalar) else None


def _flows(op: Statement, pairs: Iterable[tuple[Arg, Var]]) -> Iterator[Fault]:
    for source, target in pairs:
        if type(source) is not Undefined:
            yield from _flow(op, type_of_arg(source), target.type, target)


def _flow(op: Statement, found: Type, promised: Type, target: Var) -> Iterator[Fault]:
    if not fits(op, found, promised):
        yield op, f"{target!r} is said to be {promised} and gets {found}"


def fits(op: Statement, found: Type, promised: Type) -> bool:
    """Whether a value is as promised; a cotangent of unknown rank has that of its value."""
    if found is promised or within(found, promised):
        return True
    return op.adjoint and within(_cotangent(found, promised), _cotangent(promised, promised))


def _cotangent(type: Type, like: Type) -> Type:
    """The type with the rank of another one; the cotangents of what carries no derivative may be anything."""
    if not carries_derivative(like):
        return Opaque()
    if isinstance(type, Optional) and not isinstance(like, Optional):  # that of None is a number
        return _cotangent(type.value, like)
    if isinstance(type, ListOf) and isinstance(like, ListOf):
        return ListOf(_cotangent(type.element, like.element))
    if isinstance(type, DictOf) and isinstance(like, DictOf):
        return DictOf(like.key, _cotangent(type.element, like.element))  # which keys it has, nobody asks
    if isinstance(type, TupleOf) and isinstance(like, TupleOf) and len(type.items) == len(like.items):
        return TupleOf(tuple(map(_cotangent, type.items, like.items)))
    if isinstance(type, Array) and type.shape is None:
        return Array(type.dtype, like.shape if isinstance(like, Array) else ())
    return type


def within(found: Type, promised: Type) -> bool:
    """Whether every value of the type ``found`` may be taken for one of the type ``promised``.

    >>> from ast_ad.compiler.ir.types import Scalar
    >>> within(Scalar("int"), Scalar("float")), within(Scalar("float"), Scalar("int"))
    (True, False)
    """
    if found is promised or isinstance(promised, Opaque) or _is_nothing(found):
        return True
    if isinstance(promised, Optional):
        inner = found.value if isinstance(found, Optional) else found
        return is_none(inner) or within(inner, promised.value)
    if isinstance(promised, (Scalar, Array)):
        if not isinstance(found, (Scalar, Array)):
            return False
        have, want = kind_of(found), kind_of(promised)
        if KINDS.get(have, 4) > KINDS.get(want, 4):
            return False
        return same_shape_class(found, promised)
    if isinstance(promised, ListOf):
        if isinstance(found, TupleOf):  # a display
            return all(within(item, promised.element) for item in found.items)
        return isinstance(found, ListOf) and within(found.element, promised.element)
    if isinstance(promised, DictOf):
        if not isinstance(found, DictOf):
            return False
        if found.key != promised.key and not _is_nothing(found.key) and promised.key != ANY_KEY:
            return False
        return within(found.element, promised.element)
    if isinstance(found, TupleOf) and len(found.items) == len(promised.items):
        return all(map(within, found.items, promised.items))
    return isinstance(found, ListOf) and all(within(found.element, item) for item in promised.items)


def _is_nothing(type: Type) -> bool:
    """Whether there is no value of the type: it is that of the elements of a list that has none yet."""
    return isinstance(type, Opaque) and type.name == "nothing"


def same_shape_class(found: Scalar | Array, promised: Scalar | Array) -> bool:
    """Whether ranks agree, and lengths that are constants."""
    if isinstance(promised, Scalar):
        return isinstance(found, Scalar) or found.shape == ()
    if promised.shape is None:
        return True
    if isinstance(found, Scalar):
        return promised.shape == ()
    if found.shape is None or len(found.shape) != len(promised.shape):
        return False
    pairs = zip(found.shape, promised.shape, strict=True)
    return all(a == b for a, b in pairs if isinstance(a, int) and isinstance(b, int))


def cotangent_fault(value: Type, bar: Type) -> str | None:
    """What is wrong with a cotangent's type: it has the shape of its value, and is real if that is real."""
    if not isinstance(value, (Scalar, Array)) or not isinstance(bar, (Scalar, Array)):
        return None
    if kind_of(value) == "float" and kind_of(bar) == "complex":
        return f"the cotangent of a real value ({value}) is complex ({bar})"
    if isinstance(bar, Array) and bar.shape is None or isinstance(value, Array) and value.shape is None:
        return None
    if not same_shape_class(bar, value) and not same_shape_class(value, bar):
        return f"the cotangent of {value} is {bar}"
    return None


# ----- operations that store and read
def element_of(type: Type) -> Type | None:
    """The type of any element of a container; None if it is not told."""
    if isinstance(type, (ListOf, DictOf)):
        return type.element
    if isinstance(type, Array) and type.shape:
        return Array(type.dtype, type.shape[1:]) if len(type.shape) > 1 else Scalar(type.kind, type.dtype)
    return None


def type_of_arg(arg: Arg) -> Type:
    if isinstance(arg, Var):
        return arg.type
    if isinstance(arg, Seq):
        return TupleOf(tuple(map(type_of_arg, arg.items)))
    return type_of(arg.value) if isinstance(arg, Lit) else Opaque("slice")


def _stored(op: Op, value: Arg) -> Iterator[str]:
    """``value`` and the elements before are elements of the result."""
    out = op.outs[0].type
    before = type_of_arg(op.args[0])
    if not isinstance(out, (ListOf, DictOf)):
        yield f"the result is {out}, which is no list or dict"
        return
    if not fits(op, type_of_arg(value), out.element):
        yield f"{type_of_arg(value)} is stored in a {out}"
    if not fits(op, before, out):
        yield f"a {before} becomes a {out}"


def _append(op: Op) -> Iterator[str]:
    return _stored(op, op.args[1])


def _set(op: Op) -> Iterator[str]:
    return _stored(op, op.args[2])


def _get(op: Op) -> Iterator[str]:
    element = element_of(type_of_arg(op.args[0]))
    taken = op.outs[0].type if len(op.outs) == 1 else TupleOf(tuple(out.type for out in op.outs))
    if element is not None and not fits(op, element, taken):
        yield f"an element of a list of {element} is taken for {taken}"


def _pop(op: Op) -> Iterator[str]:
    rest, last = op.outs
    before = type_of_arg(op.args[0])
    element = element_of(before)
    if element is not None and not (fits(op, element, last.type) and fits(op, before, rest.type)):
        yield f"an element of a list of {element} is taken for {last.type}"


def _display(op: Op) -> Iterator[str]:
    out = op.outs[0].type
    for arg in op.args:
        if isinstance(out, ListOf) and not fits(op, type_of_arg(arg), out.element):
            yield f"{type_of_arg(arg)} is stored in a {out}"


def _setitem(op: Op) -> Iterator[str]:
    array, value = type_of_arg(op.args[0]), type_of_arg(op.args[2])
    if kind_of(value) == "complex" and kind_of(array) in ("bool", "int", "float"):
        yield f"{value} is stored in {array}"
    if kind_of(array) in ("bool", "int", "float", "complex") and not fits(op, array, op.outs[0].type):
        yield f"{array} becomes {op.outs[0].type}"


def _same(op: Op) -> Iterator[str]:
    if not fits(op, type_of_arg(op.args[0]), op.outs[0].type):
        yield f"{type_of_arg(op.args[0])} is taken for {op.outs[0].type}"


_RULES = {
    containers.list_append: _append,
    containers.list_set: _set,
    containers.list_get: _get,
    containers.list_pop: _pop,
    containers.list_remove: _pop,
    containers.list_put: _set,
    containers.list_slice: _same,
    dicts.dict_get: _get,
    dicts.dict_set: _set,
    dicts.dict_pop: _pop,
    dicts.dict_take: _pop,
    containers.list_repeat: _same,
    containers.list_reverse: _same,
    builtin.make_list: _display,
    builtin.assign: _same,
    helpers.setitem: _setitem,
}
