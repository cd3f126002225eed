"""How do names that a kernel uses again and again get one meaning each, before Numba asks for it?

Numba walks through the whole function twice for each name that is assigned more than once, which takes a
kernel of many small vectors as long as LLVM. But nearly all such names have parts that have nothing to do
with each other: a counter of one loop, and one of the next. Which assignments a read can see is found for
all names at once, in sets of bits; what shares no read gets a name of its own. For what is left Numba's steps
walk through those blocks only in which a name is.

These are the *webs* of S. S. Muchnick, Advanced Compiler Design and Implementation, 1997, section 16.3.3.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from numba.core import ir, ir_utils, ssa
from numba.core.compiler_machinery import register_pass
from numba.core.untyped_passes import ReconstructSSA

from .lifetimes import in_order

_KNOWN = (
    ir.Assign,
    ir.SetItem,
    ir.StaticSetItem,
    ir.Jump,
    ir.Branch,
    ir.Return,
    ir.StaticRaise,
    ir.PopBlock,
)
"""Statements whose names are all found, and all replaced, by Numba's own tools."""


@register_pass(mutates_CFG=False, analysis_only=False)
class NamesApart(ReconstructSSA):  # type: ignore[misc]
    """In place of ``ReconstructSSA``."""

    _name = "ast_ad_names_apart"

    def run_pass(self, state: Any) -> bool:
        blocks = state.func_ir.blocks
        if all(isinstance(s, _KNOWN) for block in blocks.values() for s in block.body):
            _Webs(blocks, set(state.func_ir.arg_names)).rename()
        state.func_ir.blocks = _assigned_once(blocks)
        self._patch_locals(state)
        state.func_ir._definitions = ir_utils.build_definitions(state.func_ir.blocks)
        in_order(state.func_ir)
        return True


def _assigned_once(blocks: dict[int, Any]) -> dict[int, Any]:
    """The blocks of a function in which each name has one assignment, joined where paths meet."""
    graph = ssa.compute_cfg_from_blocks(blocks)
    frontiers = ssa._iterated_domfronts(graph)
    names = ssa._find_defs_violators(blocks, graph)
    places: dict[str, set[int]] = defaultdict(set)  # the blocks that read or make a name, or join its values
    for label, block in blocks.items():
        for statement in block.body:
            for variable in statement.list_vars():
                places[variable.name].add(label)
            if isinstance(statement, ir.Assign):
                places[statement.target.name] |= frontiers[label]
    blocks, variables = dict(blocks), ssa._CacheListVars()
    for name in names:
        part, made = ssa._fresh_vars({k: blocks[k] for k in blocks if k in places[name]}, name)
        blocks.update(ssa._fix_ssa_vars(part, name, made, graph, frontiers, variables))
    return blocks


class _Webs:
    """The assignments to names that have several, one bit each, and which of them are read together."""

    def __init__(self, blocks: dict[int, Any], arguments: set[str]) -> None:
        self._blocks = blocks
        made = [s for block in blocks.values() for s in block.body if isinstance(s, ir.Assign)]
        times = Counter(s.target.name for s in made)
        self._made = [s for s in made if times[s.target.name] > 1 and s.target.name not in arguments]
        self._place = {id(s): k for k, s in enumerate(self._made)}
        self._of: dict[str, int] = {}  # the bits of all assignments to a name
        for k, statement in enumerate(self._made):
            name = statement.target.name
            self._of[name] = self._of.get(name, 0) | 1 << k
        self._group = list(range(len(self._made)))  # one assignment that is read together with this one

    def rename(self) -> None:
        """Give each group of assignments that no others are read with a name of its own."""
        reads = list(self._reads(self._at_start()))
        for _statement, seen in reads:
            for bits in seen.values():
                first, *others = _places(bits)
                for other in others:
                    self._group[self._representative(other)] = self._representative(first)
        variables: dict[int, Any] = {}
        taken: set[str] = set()
        for k, statement in enumerate(self._made):
            group, name = self._representative(k), statement.target.name
            if group not in variables:
                again = name in taken
                variables[group] = (
                    statement.target.scope.redefine(name, statement.loc) if again else statement.target
                )
                taken.add(name)
        for statement, seen in reads:
            new = {name: variables[self._representative(_places(bits)[0])] for name, bits in seen.items()}
            _replace(statement, {name: v for name, v in new.items() if v.name != name})
        for k, statement in enumerate(self._made):
            statement.target = variables[self._representative(k)]

    def _representative(self, k: int) -> int:
        while self._group[k] != k:
            self._group[k] = k = self._group[self._group[k]]
        return k

    def _reads(self, at_start: dict[int, int]) -> Iterator[tuple[Any, dict[str, int]]]:
        """Each statement with the names that it reads, and the assignments which it may read them from."""
        for label, block in self._blocks.items():
            bits = at_start[label]
            for statement in block.body:
                seen = {v.name: bits & self._of[v.name] for v in _variables(statement) if v.name in self._of}
                if seen := {name: at for name, at in seen.items() if at}:
                    yield statement, seen
                bits = self._after(statement, bits)

    def _after(self, statement: Any, bits: int) -> int:
        """The assignments that may be seen after a statement."""
        place = self._place.get(id(statement))
        return bits if place is None else bits & ~self._of[statement.target.name] | 1 << place

    def _at_start(self) -> dict[int, int]:
        """The assignments that may be seen where a block begins, for each block."""
        at_start = dict.fromkeys(self._blocks, 0)
        waiting = list(reversed(self._blocks))
        begun: set[int] = set()
        while waiting:
            label = waiting.pop()
            begun.add(label)
            bits = at_start[label]
            for statement in self._blocks[label].body:
                bits = self._after(statement, bits)
            for target in self._blocks[label].terminator.get_targets():
                if at_start[target] | bits != at_start[target] or target not in begun:
                    at_start[target] |= bits
                    if target not in waiting:
                        waiting.append(target)
        return at_start


def _places(bits: int) -> list[int]:
    places = []
    while bits:
        places.append((bits & -bits).bit_length() - 1)
        bits &= bits - 1
    return places


def _variables(statement: Any) -> list[Any]:
    """What a statement reads."""
    if not isinstance(statement, ir.Assign):
        return list(statement.list_vars())
    value = statement.value
    return [value] if isinstance(value, ir.Var) else list(getattr(value, "list_vars", list)())


def _replace(statement: Any, new: dict[str, Any]) -> None:
    """Put other variables in the place of what a statement reads."""
    if isinstance(statement, ir.Assign):
        statement.value = ir_utils.replace_vars_inner(statement.value, new)
    else:
        ir_utils.replace_vars_stmt(statement, new)
