"""What is a value called that the user gave no name, from what computes it and the names of the operands?

``sin_x``, ``x_minus_y``, ``x_squared``, ``logits_max``, ``x_0``, ``n`` for a length. Where that would be
long, and where an operand has no short name: the noun of the operation, ``difference``, ``product``, ``exp``.
So values that share such a name come from like operations.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .ops import Arg, Lit, Op, Seq, Slice, Var

Word = Callable[[Arg], str | None]  # the name of an operand, or None where it has no short one

MAX_LENGTH = 18
UNKNOWN = "value"  # nothing computes it: it comes out of a branch, or from outside

_ALIASES = {
    "subtract": "sub", "multiply": "mul", "true_divide": "truediv", "divide": "truediv", "power": "pow",
    "safe_product": "mul", "exact_product": "mul", "negative": "neg", "logical_not": "not_",
    "invert": "not_", "greater": "gt", "less": "lt", "greater_equal": "ge", "less_equal": "le", "equal": "eq",
    "not_equal": "ne", "add_signed": "add", "sub_signed": "sub", "mul_signed": "mul",
    "logical_and": "and_", "logical_or": "or_", "absolute": "abs", "amax": "max", "amin": "min",
    "tuple_get": "getitem", "list_get": "getitem", "dict_get": "getitem", "item_within": "getitem",
    "list_len": "len", "size": "len", "list_fill": "zeros_like", "mT": "transpose", "list_repeat": "repeated",
}  # fmt: skip
_BETWEEN = {
    "add": "plus", "sub": "minus", "mul": "times", "truediv": "over", "matmul": "times", "gt": "above",
    "lt": "below", "ge": "at_least", "le": "at_most", "eq": "is", "ne": "is_not", "and_": "and", "or_": "or",
}  # fmt: skip
_BEFORE = {"neg": "minus", "not_": "not"}
_BEHIND = {"sum": "sum", "max": "max", "min": "min", "mean": "mean", "prod": "product", "transpose": "T"}
_POWERS = {2: "squared", 3: "cubed"}
_NOUNS = {
    "add": "total", "sum": "summed", "sub": "difference", "mul": "product", "matmul": "product",
    "truediv": "ratio", "pow": "power", "neg": "negative", "max": "largest",
    "min": "smallest", "abs": "magnitude", "round": "rounded", "transpose": "transposed", "getitem": "part",
    "solve": "solution", "solve_triangular": "solution", "where": "chosen", "where_positive": "chosen",
    "call": "result", "zeros_like": "zeros",
    **dict.fromkeys(("gt", "lt", "ge", "le", "eq", "ne", "and_", "or_", "not_", "contains"), "condition"),
}  # fmt: skip
_ALWAYS = {
    "len": "n", "shape": "shape", "make_list": "items", "make_tuple": "items", "pop_": "item",
    "empty": "buffer", "empty_like": "buffer", "pop_key_": "item", "undefined": UNKNOWN,
}  # fmt: skip
_PARTS = {"len", "shape", "make_list"}  # those of them that may be a part of other names
_SAME = {
    "copy", "copy_as_it_lies", "assign", "told", "own", "hollow", "unbroadcast", "float64", "int64", "float",
    "int", "small",
}  # fmt: skip
"""What gives its operand on, in another place or type."""
_DIGITS = "zero", "one", "two"


@dataclass(frozen=True)
class Noun:
    """``specific``: whether it tells the operands, so that it may be a part of other names."""

    text: str
    specific: bool = False


def noun(op: Op, word: Word, position: int = 0) -> Noun:
    """The name of what an operation computes, or of one of its results."""
    kind = _kind(op)
    if kind in _ALWAYS:
        return Noun(_ALWAYS[kind], kind in _PARTS)
    if len(op.outs) > 1 and kind != "unpack":
        return Noun("result")
    if kind == "unpack":
        text = _named_part(word(op.args[0]), str(position))
    elif kind == "zeros_like" and op.adjoint:
        text = _after(word(op.args[0]), "bar")
    else:
        text = _composed(kind, op.args, word)
    return Noun(_plain(kind)) if text is None or len(text) > MAX_LENGTH else Noun(text, True)


def passed_on(op: Op) -> Var | None:
    """The operand that the result is but for its place or type, or, in the reverse sweep, for a factor."""
    operand = op.args[0] if op.args else None
    if not isinstance(operand, Var):
        return None
    kind = _kind(op)
    scaled = kind in ("mul", "truediv") and isinstance(op.args[1], Lit)
    return operand if kind in _SAME or (scaled and op.adjoint and operand.hint is None) else None


def _kind(op: Op) -> str:
    text = getattr(op.fn, "__name__", "result")
    return _ALIASES.get(text, text) if text.isidentifier() else "result"


def _plain(kind: str) -> str:
    text = _NOUNS.get(kind, kind).strip("_")
    return UNKNOWN if not text or keyword.iskeyword(text) or hasattr(builtins, text) else text


def _after(own: str | None, text: str) -> str | None:
    return f"{own}_{text}" if own else None


def _composed(kind: str, args: Sequence[Arg], word: Word) -> str | None:
    """The name with those of the operands in it."""
    if kind in ("getitem", "pow") and len(args) == 2:
        return (_item if kind == "getitem" else _power)(args[0], args[1], word)
    variable = [arg for arg in args if not isinstance(arg, Lit)]
    if kind in _BETWEEN and len(args) == 2 and variable:
        first, second = (_digit(arg) if isinstance(arg, Lit) else word(arg) for arg in args)
        return _joined(first, _BETWEEN[kind], second)
    own = word(variable[0]) if len(variable) == 1 else None
    if own is None:
        return None
    if kind in _BEHIND:
        return f"{own}_{_BEHIND[kind]}"
    return f"{_BEFORE.get(kind, kind.strip('_'))}_{own}"


def _joined(first: str | None, between: str, second: str | None) -> str | None:
    if first is not None and first.isdecimal():
        first = _DIGITS[int(first)] if int(first) < len(_DIGITS) else None
    return f"{first}_{between}_{second}" if first and second else None


def _power(base: Arg, exponent: Arg, word: Word) -> str | None:
    own = word(base)
    power = _POWERS.get(exponent.value) if isinstance(exponent, Lit) else None
    return f"{own}_{power}" if own and power else None


def _item(owner: Arg, index: Arg, word: Word) -> str | None:
    """``x_0``, ``x_i``; a length, of a shape; a part of ``x``, where the index is more than that."""
    indices = index.items if isinstance(index, Seq) else (index,)
    if isinstance(index, Lit) and isinstance(index.value, tuple):
        indices = tuple(map(Lit, index.value))
    words = [_digit(i) if isinstance(i, Lit) else None if isinstance(i, Slice) else word(i) for i in indices]
    return _named_part(word(owner), *words)


def _named_part(own: str | None, *indices: str | None) -> str | None:
    if own is None or own == "shape":
        return own and "n"
    whole = "_".join([own, *(index or "" for index in indices)])
    if None not in indices and len(whole) <= MAX_LENGTH:
        return whole
    return own if own.endswith("_part") else f"{own}_part"


def _digit(arg: Lit) -> str | None:
    value = arg.value
    whole = type(value) in (int, float) and value == value and 0 <= value <= 99 and value == int(value)
    return str(int(value)) if whole else None


__all__ = ["MAX_LENGTH", "UNKNOWN", "Noun", "Word", "noun", "passed_on"]
