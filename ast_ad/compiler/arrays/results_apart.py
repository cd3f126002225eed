"""Does each array that a program returns share memory only with those that it shares it with in the function?

``results_apart(function, of, fresh) -> Function``. Before writes are put in place, after all passes that take
equal values for one: to them ``np.zeros(3)`` is the same wherever it stands; who gets two may write to one.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ..analysis.aliasing import READ_ONLY, Aliasing, Decisions, Storage
from ..ir.ops import Arg, Block, Function, Var
from ..ir.types import Array
from .writes import copy_of


def results_apart(function: Function, of: Function, fresh: Collection[int] = ()) -> Function:
    """The same function, with copies of results that have come together.

    Args:
        function, of: pure IR, after the passes and before.
        fresh: positions of results that are copied anyway, where they share memory.
    """
    results = list(function.body.results)
    places = [k for k, result in enumerate(results) if _is_array(result) and k not in fresh]
    if len(places) < 2:
        return function
    ops, (now, before) = list(function.body.ops), (_storages(f) for f in (function, of))
    copied: set[int] = set()
    for k in places:
        for earlier in places[: places.index(k)]:
            if {k, earlier} & copied or _apart(now, k, earlier) or not _apart(before, k, earlier):
                continue
            which = earlier if now[k].form == READ_ONLY else k  # a copy could be written
            results[which] = copy_of(results[which], ops)  # type: ignore[arg-type]
            copied.add(which)
    return replace(function, body=Block(ops, tuple(results)))


def _is_array(result: Arg) -> bool:
    return isinstance(result, Var) and isinstance(result.type, Array)


def _storages(function: Function) -> list[Storage]:
    storage = Aliasing(function, frozenset(function.params), Decisions()).storage
    return [storage[r] if isinstance(r, Var) else Storage() for r in function.body.results]


def _apart(storages: list[Storage], one: int, other: int) -> bool:
    return storages[one].all.isdisjoint(storages[other].all)
