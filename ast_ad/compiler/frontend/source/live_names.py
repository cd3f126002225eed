"""Which names may still be read: at the start of a loop's pass, or behind the loop, or from a statement on?

``live_at_loops(tree)``, ``live_before(tree)`` and ``live_after(tree)`` tell it for every loop and statement
of a function, the functions within included, from the text alone: the usual analysis backwards over
statements. It errs towards "may be read". What a nested function or a generator reads is live everywhere,
since it may run at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakKeyDictionary

import gast

Names = frozenset[str]
NONE: Names = frozenset()
_LATER = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.GeneratorExp, gast.ClassDef)
_found: WeakKeyDictionary[Any, Live] = WeakKeyDictionary()
_generators: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()
_outliving: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()
_READERS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef, gast.GeneratorExp)


@dataclass
class Live:
    """The live names of loops, before and after statements of one tree, by the ``id`` of their nodes.

    ``thrown``: those that may be read once an exception has left a statement.
    """

    at_loops: dict[int, Names] = field(default_factory=dict)
    before: dict[int, Names] = field(default_factory=dict)
    after: dict[int, Names] = field(default_factory=dict)
    thrown: dict[int, Names] = field(default_factory=dict)


def live_at_loops(tree: object) -> dict[int, Names]:
    """The live names of every loop in a function's tree, by the loop's ``id``.

    >>> body = "for i in range(n):\\n  a = i\\n  b = a + c\\n  c = 1\\nreturn b"
    >>> tree = gast.parse("def f(n, c):\\n  " + body.replace("\\n", "\\n  ")).body[0]
    >>> sorted(live_at_loops(tree)[id(tree.body[0])])
    ['b', 'c']
    """
    return _live(tree).at_loops


def live_before(tree: object) -> dict[int, Names]:
    """The names that may be read in a statement or after it, by the statement's ``id``.

    >>> tree = gast.parse("def f(x, n):\\n  y = x * n\\n  if n:\\n    y = n\\n  return y").body[0]
    >>> sorted(live_before(tree)[id(tree.body[1])])
    ['n', 'y']
    """
    return _live(tree).before


def live_after(tree: object) -> dict[int, Names]:
    """The names that may be read after a statement, by the statement's ``id``.

    >>> tree = gast.parse("def f(x, n):\\n  y = x * n\\n  if n:\\n    y = n\\n  return y").body[0]
    >>> sorted(live_after(tree)[id(tree.body[0])]), sorted(live_after(tree)[id(tree.body[2])])
    (['n', 'y'], [])
    """
    return _live(tree).after


def live_if_thrown(tree: object) -> dict[int, Names]:
    """The names that may be read once an exception has left a statement, by the statement's ``id``.

    >>> body = "try:\\n    y = 1 / x\\n  except ZeroDivisionError:\\n    y = z\\n  return y"
    >>> tree = gast.parse("def f(x, y, z):\\n  " + body).body[0]
    >>> sorted(live_if_thrown(tree)[id(tree.body[0].body[0])])
    ['ZeroDivisionError', 'z']
    """
    return _live(tree).thrown


def _live(tree: object) -> Live:
    if tree not in _found:
        found = Live()
        for node in gast.walk(tree):
            if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef)):
                _Function(node, found).block(node.body, _Exits(NONE))
        _found[tree] = found
    return _found[tree]


@dataclass(frozen=True)
class _Exits:
    """What is live where a block ends, and where ``break`` and ``continue`` lead; ``always``: in any case."""

    after: Names
    at_break: Names = NONE
    at_continue: Names = NONE
    always: Names = NONE


class _Function:
    """The analysis of one function."""

    def __init__(self, node: gast.AST, found: Live) -> None:
        self.found = found
        self.captured: Names = NONE
        for inner in _own(node.body):
            if isinstance(inner, _LATER):
                self.captured |= _loaded(gast.walk(inner))
            elif isinstance(inner, (gast.Global, gast.Nonlocal)):
                self.captured |= frozenset(inner.names)

    def block(self, statements: list[gast.AST], exits: _Exits) -> Names:
        """The names that are live before the statements."""
        live = exits.after
        for node in reversed(statements):
            left = exits.always | exits.at_break | exits.at_continue
            self.found.after[id(node)] = live | left | self.captured
            live = self.statement(node, replace(exits, after=live)) | exits.always
            self.found.before[id(node)] = live | self.captured
            self.found.thrown[id(node)] = exits.always | self.captured
        return live

    def statement(self, node: gast.AST, exits: _Exits) -> Names:
        if isinstance(node, (gast.For, gast.AsyncFor, gast.While)):
            return self.loop(node, exits)
        if isinstance(node, gast.If):
            return self.block(node.body, exits) | self.block(node.orelse, exits) | reads(node.test)
        if isinstance(node, (gast.With, gast.AsyncWith)):
            kept = exits.always | exits.after  # an exception may come up anywhere, and be swallowed
            live = self.block(node.body, replace(exits, always=kept)) | exits.after
            entered = node.items[0].optional_vars  # what the others give may be missing
            return (live - _stored(entered) if isinstance(entered, gast.Name) else live) | reads(*node.items)
        if isinstance(node, gast.Match):
            inside = [reads(case.pattern, case.guard) | self.block(case.body, exits) for case in node.cases]
            return exits.after.union(reads(node.subject), *inside)
        if isinstance(node, (gast.Try, getattr(gast, "TryStar", gast.Try))):
            return self.tried(node, exits)
        if isinstance(node, (gast.Break, gast.Continue)):
            return exits.at_break if isinstance(node, gast.Break) else exits.at_continue
        if isinstance(node, (gast.Return, gast.Raise)):
            return reads(node)
        return (exits.after - _stored(node)) | reads(node)

    def loop(self, node: gast.AST, exits: _Exits) -> Names:
        after = self.block(node.orelse, exits)
        target, source = (node.test, None) if isinstance(node, gast.While) else (node.target, node.iter)
        head, before = after, None
        while head != before:
            before = head
            inner = _Exits(head, exits.after, head, exits.always)
            head = after | (self.block(node.body, inner) - _stored(target)) | reads(target)
        self.found.at_loops[id(node)] = head | exits.after | self.captured
        return head | reads(source)

    def tried(self, node: gast.AST, exits: _Exits) -> Names:
        """An exception may come up anywhere in the body, and what leaves it passes through ``finally``."""
        always = exits.always | self.block(node.finalbody, replace(exits, after=NONE))
        inner = replace(exits, after=self.block(node.finalbody, exits), always=always)
        caught = NONE.union(*(self.block(h.body, inner) | reads(h.type) for h in node.handlers))
        after = self.block(node.orelse, inner)
        return self.block(node.body, replace(inner, after=after, always=always | caught)) | caught


def targets(node: gast.AST) -> Names:
    """The names that a comprehension binds for itself."""
    return NONE.union(*(_stored(generator.target) for generator in node.generators))


def local_names(node: gast.AST) -> Names:
    """The names that are local to a function, by its tree: its parameters and what it binds."""
    spec = node.args
    given = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *filter(None, (spec.vararg, spec.kwarg))]
    parameters = frozenset(arg.id for arg in given)
    return parameters | bound_names(node.body if isinstance(node.body, list) else [node.body])


def is_generator(node: gast.AST) -> bool:
    """Whether a function's tree is that of a generator function."""
    if node not in _generators:  # asked at each call that is read, of few functions
        body = node.body if isinstance(node.body, list) else [node.body]
        _generators[node] = any(isinstance(inner, (gast.Yield, gast.YieldFrom)) for inner in _own(body))
    return _generators[node]


def outlives_its_call(node: gast.AST) -> bool:
    """Whether something may read a function's names after it has returned: what is defined within it."""
    if node not in _outliving:
        _outliving[node] = any(isinstance(n, _READERS) for n in gast.walk(node) if n is not node)
    return _outliving[node]


def bound_names(body: list[gast.AST]) -> Names:
    """The names that the body of a function or a class binds in its own frame."""
    found: set[str | None] = set()
    outer: set[str] = set()
    inside: set[int] = set()  # the targets of comprehensions, which are their own
    for inner in _own(body):
        if isinstance(inner, (gast.Global, gast.Nonlocal)):
            outer.update(inner.names)
        elif isinstance(inner, gast.comprehension):
            inside.update(map(id, gast.walk(inner.target)))
        elif isinstance(inner, gast.Name) and isinstance(inner.ctx, gast.Store) and id(inner) not in inside:
            found.add(inner.id)
        elif isinstance(inner, (gast.MatchAs, gast.MatchStar, gast.MatchMapping)):
            found.add(inner.rest if isinstance(inner, gast.MatchMapping) else inner.name)
        elif isinstance(inner, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            found.add(inner.name)
        elif isinstance(inner, (gast.Import, gast.ImportFrom)):
            found |= _stored(inner)
    return frozenset(name for name in found - outer if name is not None)


def _own(nodes: list[gast.AST]) -> Iterator[Any]:
    """What stands in a function's body, but not inside of what is run later."""
    stack = list(nodes)
    for node in stack:
        yield node
        if not isinstance(node, _LATER):
            stack += gast.iter_child_nodes(node)  # outer before inner


def reads(*nodes: object) -> Names:
    """The names that expressions or simple statements read; what ``del`` and ``+=`` name is read, too."""
    found = NONE
    for node in nodes:
        if node is not None:
            found |= _loaded(gast.walk(node))
    return found


def _loaded(nodes: Iterable[Any]) -> Names:
    found = set()
    for node in nodes:
        if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
            found.add(node.target.id)
        elif isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Store):
            found.add(node.id)
    return frozenset(found)


def _stored(node: gast.AST) -> Names:
    """The names to which a simple statement, or a loop's target, gives values for certain."""
    if isinstance(node, (gast.FunctionDef, gast.ClassDef)):
        return frozenset({node.name})
    if isinstance(node, (gast.Import, gast.ImportFrom)):
        return frozenset((a.asname or a.name.split(".")[0]) for a in node.names)
    targets = [node]
    if isinstance(node, gast.Assign):
        targets = node.targets
    elif isinstance(node, (gast.AnnAssign, gast.AugAssign)):
        targets = [node.target] if node.value is not None else []
    elif isinstance(node, gast.Delete):
        targets = node.targets
    elif not isinstance(node, (gast.Name, gast.Tuple, gast.List, gast.Starred)):
        return NONE
    return frozenset(
        n.id for t in targets for n in gast.walk(t) if isinstance(n, gast.Name) and not _is_load(n)
    )


def _is_load(node: gast.AST) -> bool:
    return isinstance(node.ctx, gast.Load)
