"""What if two arguments share memory? To the function that is traced they are two arrays.

``Sharing(leaves, wrt, writes)`` and ``Twice(arguments, given)``: made before the function runs, and asked to
``check`` behind it.

That is right as long as it writes to neither of them, and whose derivative is whose stays clear. An array
that is passed twice, and is no differentiated argument, is one array to the function too. So is any, where it
is known beforehand that the function writes: then the derivative is that by the one array. An argument that
the function writes to may not be an array that it reads by another name, as a global variable, either; nor
may one that it writes to by such a name be an argument, whose copy would not see it.
"""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..eager.tensor import Tensor
from ..errors import ELSEWHERE, TWICE, SharedMemoryError
from ..registered import instance_attributes
from ..rules.of_numba import made_of
from ..trees import changed, containers
from .purity import read_outside


class Sharing:
    """The pairs of ``leaves`` that share memory; those at ``wrt`` are differentiated.

    ``writes``: whether it is known that the function writes to one of a pair.
    """

    def __init__(self, leaves: Sequence[Any], wrt: Sequence[int], writes: bool = False) -> None:
        found = [(i, _array(leaf)) for i, leaf in enumerate(leaves)]
        arrays = [(i, array) for i, array in found if array is not None]
        self.arrays = dict(arrays)
        pairs = [(i, a, j, b) for n, (j, b) in enumerate(arrays) for i, a in arrays[:n]]
        shared = [(i, a, j, b) for i, a, j, b in pairs if np.may_share_memory(a, b)]
        most = 1 if writes else 0
        self.same: dict[int, int] = {}
        for i, a, j, b in reversed(shared):
            if _is_one(a, b) and len({i, j} & set(wrt)) <= most:
                self.same.update({i: j} if j in wrt else {j: i})
        self.watched = sorted({k for i, _, j, _ in shared if not self.one(i, j) for k in (i, j)})
        self.before: list[tuple[Any, Any]] = []
        self.own = [(array, array.copy()) for _, array in arrays if array.dtype.kind in "biufc"]

    def one(self, i: int, j: int) -> bool:
        """Whether the function gets one array for the two."""
        return self.same.get(i, i) == self.same.get(j, j)

    def enter(self, given: list[Any]) -> None:
        """Note what the function is given, in the place of ``leaves``; what is one array becomes one."""
        for j, i in self.same.items():
            given[j] = given[i]
        self.before = [(given[i], _state(given[i])) for i in self.watched]
        self.versions = [(i, given[i], _state(given[i])) for i in self.arrays]

    def check(self, function: Any = None, objects: Sequence[Any] = (), within: Sequence[Any] = ()) -> None:
        """The function has run.

        Args:
            function: what was called.
            objects: those arguments that hold no leaves.
            within: what derivatives that it called changed in copies of their own.

        Raises:
            SharedMemoryError: it wrote to one of two that share memory.
        """
        copied = [part for part in within if isinstance(part, np.ndarray)]
        if any(_changed(array, content) for array, content in self.own):  # the function got a copy of it
            raise SharedMemoryError(
                "an array outside that the function writes to, and that shares memory with an argument",
                why="the write would change the argument too",
                fix="pass a copy of the argument",
            )
        for value, state in self.before:
            if _changed(value, state) or _shares(value, copied):
                raise SharedMemoryError(
                    "two arguments that share memory, one of which the function writes to",
                    why="the write would change the other one too",
                    fix="pass a copy of one of them",
                )
        written = [
            self.arrays[i]
            for i, value, state in self.versions
            if _changed(value, state) or _shares(value, copied)
        ]
        changed.note(written)
        if written and any(np.may_share_memory(a, b) for a in _seen(function, objects) for b in written):
            raise SharedMemoryError(
                "an argument that the function writes to, and that it reads by another name",
                why="it shares memory with a global variable, a closure's, a default or an attribute",
                fix="pass a copy of it",
            )


def _seen(function: Any, objects: Sequence[Any]) -> list[np.ndarray]:
    """The arrays outside; those that were arguments for the time of the call are none (``calls.lifted``)."""
    with getattr(function, "hiding", contextlib.nullcontext)():
        return list(outside(function, objects))


class Twice:
    """The lists, dicts and objects of the arguments, of which the function gets copies.

    Those that the arguments hold twice: it gets two for each. Those that it finds by another name, too, are
    one to it by that name, and another one as an argument.
    """

    def __init__(self, arguments: Any, given: Any) -> None:
        first: dict[int, Any] = {}
        self.before: list[tuple[Any, list[Any]]] = []
        self.own: list[tuple[Any, list[Any]]] = []
        self.copies: list[tuple[Any, Any, list[Any]]] = []
        for part, copy in zip(containers(arguments), containers(given), strict=True):
            if id(part) in first:
                self.before += [(copy, _held(copy)), (first[id(part)], _held(first[id(part)]))]
            first.setdefault(id(part), copy)
            self.own.append((part, _held(part)))
            self.copies.append((part, copy, _held(copy)))

    def check(self, function: Any = None, objects: Sequence[Any] = (), within: Sequence[Any] = ()) -> None:
        """The function has run; the arguments are those of ``Sharing.check``.

        Raises:
            SharedMemoryError: it changed one of two that are one.
        """
        copied = set(map(id, within))
        if any(id(part) in copied or _differs(part, held) for part, held in self.before):
            raise SharedMemoryError(*TWICE)
        if any(_differs(part, held) for part, held in self.own):
            raise SharedMemoryError(*ELSEWHERE)
        parts = [part for part, copy, held in self.copies if id(copy) in copied or _differs(copy, held)]
        changed.note(parts)
        own = set(map(id, parts))
        if own and any(id(value) in own for value in reached(function, objects)):
            raise SharedMemoryError(*ELSEWHERE)


def _differs(part: Any, held: list[Any]) -> bool:
    now = _held(part)
    return len(now) != len(held) or any(a is not b for a, b in zip(now, held, strict=True))


def _held(part: Any) -> list[Any]:
    if isinstance(part, list):
        return list(part)
    content = part if isinstance(part, dict) else instance_attributes(part)
    return [*content, *content.values()]


def outside(function: Any, objects: Sequence[Any]) -> Iterator[np.ndarray]:
    """The arrays that a function, and what it calls, finds by names other than its parameters'."""
    for value in reached(function, objects):
        if isinstance(value, np.ndarray) and not isinstance(value, Tensor):
            yield value


def reached(function: Any, objects: Sequence[Any]) -> Iterator[Any]:
    """What a function, and what it calls, finds by names other than its parameters', each once."""
    pending, seen, objects = [function, *objects], set[int](), list(objects)
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        yield value
        value = made_of(value) or value
        if isinstance(value, types.MethodType):
            objects.append(value.__self__)
            pending.append(value.__func__)
        elif isinstance(value, functools.partial):
            pending += [*value.args, *value.keywords.values(), value.func]
        elif isinstance(value, types.FunctionType):
            pending += read_outside(value, objects)
        elif type(value) in (list, tuple, dict):
            pending += value.values() if type(value) is dict else value
        elif hasattr(type(value), "__ast_ad_lower__"):  # a derivative
            pending.append(getattr(value, "function", None))


def of_caller(parts: Sequence[Any], leaves: Sequence[Any], given: Any) -> list[Any]:
    """What a derivative may have changed of ``given``, if it changed ``parts`` of the copies that it made."""
    arrays = [array for array in map(_array, leaves) if array is not None]
    written = any(isinstance(part, np.ndarray) for part in parts)
    others = any(not isinstance(part, np.ndarray) for part in parts)
    return [*(arrays if written else ()), *(containers(given) if others else ())]


def _array(leaf: Any) -> np.ndarray | None:
    if isinstance(leaf, Tensor):  # asked first: a traced array passes for an ndarray
        return None if getattr(leaf, "_scalar", False) else leaf._array
    return leaf if isinstance(leaf, np.ndarray) else None


def _shares(value: Any, others: Sequence[np.ndarray]) -> bool:
    """Whether an argument may share its memory with one of the others."""
    array = _array(value) if others else None
    return array is not None and any(np.may_share_memory(array, other) for other in others)


def _changed(value: Any, state: Any) -> bool:
    return not np.array_equal(_state(value), state, equal_nan=_has_nan(state))


def _has_nan(state: Any) -> bool:
    return isinstance(state, np.ndarray) and state.dtype.kind in "fc"


def _is_one(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays show the same elements in the same order."""
    facts = [(x.__array_interface__["data"], x.strides, x.shape, x.dtype) for x in (a, b)]
    return bool(facts[0] == facts[1])


def _state(value: Any) -> Any:
    """What changes when it is written to: the number of writes to a tensor, the contents of an array."""
    return value._version if isinstance(value, Tensor) else value.copy()
