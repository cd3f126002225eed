"""What is a value without a name of the user's called, from the formula that makes it?

The words come from ``nouns``; here is found what makes a value, through branches, loops, writes in place and
the lists that loops run through, and what its operands are called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .builtin import MUTATORS
from .nouns import UNKNOWN, Noun, noun, passed_on
from .ops import Arg, Block, For, If, Op, Seq, Var, While, blocks

INDICES = "i", "j", "k"
_UNKNOWN = Noun(UNKNOWN)
_APPEND = "append_", "list_append"
_DEEPEST = 20  # operands of operands that are looked at for one name
_LONGEST = 12  # the longest name that is a part of another one


class Temporaries:
    """``name(var)`` says what a Var is called, apart from a number; ``named``: the name that it has anyway.

    >>> import math
    >>> from . import types
    >>> x, y = Var(types.Scalar("float"), "x"), Var(types.Scalar("float"))
    >>> Temporaries(Block([Op(math.sin, (x,), (y,))], (y,))).name(y)
    'sin_x'
    """

    def __init__(self, body: Block, named: Callable[[Var], str | None] = lambda var: var.hint) -> None:
        self.named = named
        self.makers: dict[Var, tuple[Op, int]] = {}
        self.sources: dict[Var, list[Arg]] = {}  # what a Var that no operation makes continues
        self.items: dict[Var, tuple[Arg, int, bool]] = {}  # the list of which it is an item, or part of one
        self.depths: dict[Var, int] = {}  # of loops, by their indices
        self._nouns: dict[Var, Noun] = {}
        self._depth = 0
        self._block(body, 0)

    def _block(self, block: Block, depth: int) -> None:
        for op in block.ops:
            if isinstance(op, Op):
                for position, out in enumerate(op.outs):
                    self.makers[out] = op, position
                continue
            if isinstance(op, If):
                self._continue(op.outs, op.then.results, op.orelse.results)
            else:
                self._loop(op, depth)
            for inner in blocks(op):
                self._block(inner, depth + (not isinstance(op, If)))

    def _loop(self, op: For | While, depth: int) -> None:
        yields = op.body.results[1:] if op.stops else op.body.results
        self._continue(op.params, op.inits, yields)
        self._continue(op.outs, op.params)
        if isinstance(op, For):
            self.depths[op.index] = depth
            for source, items in op.items:
                self.items.update((item, (source, i, len(items) > 1)) for i, item in enumerate(items))

    def _continue(self, outs: Iterable[Var], *several: Iterable[Arg]) -> None:
        for out, *args in zip(outs, *several, strict=True):
            self.sources[out] = args

    # ----- words -----

    def name(self, var: Var) -> str:
        """What the value is called."""
        return self._noun(var).text

    def _noun(self, var: Var) -> Noun:
        found = self._nouns.get(var)
        if found is None:
            if self._depth == _DEEPEST:
                return _UNKNOWN
            self._nouns[var] = _UNKNOWN  # of what comes round in a loop
            self._depth += 1
            hint = self.named(var)
            found = Noun(hint, True) if hint else Noun(var.noun, True) if var.noun else self._found(var)
            self._nouns[var] = found
            self._depth -= 1
        return found

    def _found(self, var: Var) -> Noun:
        if var in self.makers:
            op, position = self.makers[var]
            if op.fn in MUTATORS and position == 0 and isinstance(op.args[0], Var):
                return self._noun(op.args[0])
            if (operand := passed_on(op)) is not None:
                return self._noun(operand)
            return noun(op, self._word, position)
        if var in self.depths:
            return Noun(INDICES[min(self.depths[var], len(INDICES) - 1)], True)
        if var in self.items:
            item = self._item(var)
            return self._noun(item) if isinstance(item, Var) else Noun("item")
        several = (self._noun(arg) for arg in self.sources.get(var, ()) if isinstance(arg, Var))
        return next((found for found in several if found.text != UNKNOWN), _UNKNOWN)

    def _item(self, var: Var) -> Arg | None:
        """What was put into the list of which this is an item, or a part of one."""
        source: Arg | None
        source, position, unpacked = self.items[var]
        if isinstance(source, Var) and source in self.items:
            source = self._item(source)
        item = self._put_in(source, set()) if isinstance(source, Var) else None
        if unpacked and isinstance(item, Var) and item in self.makers:
            item = Seq(self.makers[item][0].args)
        if unpacked:
            return item.items[position] if isinstance(item, Seq) and position < len(item.items) else None
        return item

    def _put_in(self, items: Var, seen: set[Var]) -> Arg | None:
        """What is appended to a list where it is made, by a loop or through branches."""
        if items in seen:
            return None
        seen.add(items)
        if items in self.makers:
            op = self.makers[items][0]
            if getattr(op.fn, "__name__", "") in _APPEND:
                return op.args[1]
            return None
        several = (self._put_in(arg, seen) for arg in self.sources.get(items, ()) if isinstance(arg, Var))
        return next((found for found in several if found is not None), None)

    def _word(self, arg: Arg) -> str | None:
        """The name of an operand, where it is short and tells something."""
        found = self._noun(arg) if isinstance(arg, Var) else _UNKNOWN
        return found.text if found.specific and len(found.text) <= _LONGEST else None
