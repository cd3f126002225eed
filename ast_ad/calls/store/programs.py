"""Has an earlier process compiled this function for arguments like these, and is it still the same function?

What decided a program is written down with it: guards, captures and constants, each by the way to it and a
fingerprint. A program is taken from the disk if every one of them, read anew, has its fingerprint; then the
guards of this process are the objects just read. What can't be written down is not stored.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sys
import types
from collections.abc import Callable, Sequence
from importlib import import_module
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...compiler.frontend.aspects import aspect_of
from ...compiler.frontend.guards import Guard, Guards, Path
from ...compiler.frontend.length_patterns import Known, pattern, shapes_of
from ...compiler.frontend.signatures import signature
from ...compiler.frontend.told_values import content
from ...compiler.ir.ops import Op, Span, walk
from ...compiler.report import Note, Report
from ...rules.registry import changes, rules_of_users
from ...trees import LEAF, STATIC, TreeDef
from ..code import Code, Run
from ..fitting.assumptions import Assumption, failed
from ..program import Program
from ..request import Described
from .compilations import CompileCache, Entry
from .fingerprints import fingerprint, package

GENERATED = "ast_ad.generated"


class NotStored(Exception):
    """A program depends on something that can't be told again in another process."""


UNTOLD = NotStored, LookupError, AttributeError, TypeError, ValueError, ImportError


def find(owner: Any, described: Described, backend: str, known: Known) -> Restored | None:
    """The stored program for such arguments, if there is one and nothing that it depends on has changed."""
    try:
        entry = CompileCache().get(_key(owner, described, backend, known))
        return None if entry is None else Restored(owner, described, backend, known, entry)
    except UNTOLD:
        return None


def kept_later(program: Any, described: Described, known: Known, since: int) -> Callable[[], None]:
    """``keep`` for later, when the arguments' own arrays are gone: of them types and lengths count."""
    names, trees, leaves, keywords = described
    hollow = [
        np.broadcast_to(np.zeros((), leaf.dtype), leaf.shape) if isinstance(leaf, np.ndarray) else leaf
        for leaf in leaves
    ]
    return functools.partial(keep, program, (names, trees, hollow, keywords), known, since)


def keep(program: Any, described: Described, known: Known, since: int) -> None:
    """Store a program, if all that it depends on can be told again.

    ``since``: how many rules were registered when it was begun: of others it may have been read without.
    """
    if changes() != since:
        return
    try:
        key = _key(program.owner, described, program.wanted, known)
        CompileCache().put(key, program.text, _described(program, described[2]))
    except UNTOLD:
        return


# ----- the key ------------------------------------------------------------------------------------------
def _key(owner: Any, described: Described, backend: str, known: Known) -> str:
    names, trees, leaves, keywords = described
    function = owner.function
    if type(function) is not types.FunctionType or any(not _is_plain(tree) for tree in trees):
        raise NotStored
    kinds = [leaf.dtype.str if isinstance(leaf, np.ndarray) else _told(type(leaf)) for leaf in leaves]
    chosen = owner.arguments.argnums, owner.arguments.wrt, owner.single
    asked = (
        owner.question.name,
        chosen,
        owner.question.has_aux,
        owner.every_leaf,
        owner.options,
        backend,
        known,
    )
    lengths = pattern(shapes_of(leaves), known)
    compiler = import_module("numba").__version__ if backend == "numba" else ""
    ruled = sorted(fingerprint(fn) or str(getattr(fn, "__qualname__", fn)) for fn in rules_of_users())
    parts = _told(function), asked, names, trees, keywords, kinds, lengths, compiler, ruled, package()
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _is_plain(tree: TreeDef) -> bool:
    if tree.type is STATIC:
        return tree.static is None or type(tree.static) in (bool, str, int)
    return tree.type is LEAF or (tree.type in (tuple, list, dict) and all(map(_is_plain, tree.children)))


def _told(value: Any) -> str:
    found = fingerprint(value)
    if found is None:
        raise NotStored
    return found


# ----- writing ------------------------------------------------------------------------------------------
def _described(program: Any, leaves: Sequence[Any]) -> dict[str, Any]:
    """All that decided a program, and how its results are read, as JSON values."""
    primal, code = program.primal, program.code
    run = code.run
    module = sys.modules.get(run.__module__)
    generated = run.__module__.startswith(GENERATED) and getattr(module, run.__name__, None) is run
    if primal.storing or primal.stores or primal.inputs.changes:  # what it leaves outside
        raise NotStored
    if primal.errstate or primal.tried or primal.calls or primal.own_rules:
        raise NotStored
    if program.draws or primal.depths or primal.untaken:  # an earlier call's
        raise NotStored
    if primal.inputs.by_hash:
        raise NotStored
    if not generated or hasattr(module, "__injected__"):
        raise NotStored
    if code.unexplained:  # a time limit that ran out while they were compiled, perhaps
        raise NotStored
    if not all(_is_ours(op) for op in walk(primal.function.body)):
        raise NotStored
    ways = _Ways(program.owner.function)
    guards = [ways.guard(guard) for guard in primal.inputs.guards]
    arrays = [v for v in (*leaves, *program.fit.captures.read()) if isinstance(v, np.ndarray)]
    return {
        "module": run.__module__,
        "run": run.__name__,
        "backend": code.backend,
        "why": code.why,
        "left": code.left,
        "notes": [[n.stage, n.text, n.span.filename, n.span.line] for n in code.report],
        "count": program.count,
        "zeros": program.zeros,
        "result": _structure(primal.result),
        "written": sorted(primal.written),
        "rounds": primal.rounds,
        "pattern": pattern(shapes_of(arrays), primal.inputs.lengths.known),
        "guards": guards,
        "captures": [[ways.path(p), p.label, _signature(s)] for p, _, s in primal.inputs.captures],
        "observed": [[ways.path(p), p.label, _signature(s)] for p, _, s in primal.inputs.observed],
        "constants": [[p, aspect, _told(value)] for p, aspect, value in program.fit.constants],
    }


def _is_ours(op: Any) -> bool:
    """Whether the rule of an operation is one of this package's."""
    from ...rules.registry import lookup

    rule = getattr(lookup(op.fn), "rule", None) if isinstance(op, Op) else None
    return rule is None or str(rule.__module__).startswith("ast_ad.rules.")


class _Ways:
    """How the roots of paths are found from a function, and from the objects that earlier guards hold."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function
        self.known: list[Any] = [function]

    def guard(self, guard: Guard) -> list[Any]:
        told: Any = "" if guard.kind in ("missing", "present") else _told(guard.expected)
        if guard.kind == "subclass":
            kind, _ = guard.expected
            told = [kind.__module__, kind.__qualname__, told]
        found = [self.path(guard.path), guard.path.label, guard.kind, told]
        self.known.append(guard.expected)
        return found

    def path(self, path: Path) -> list[Any]:
        if any(type(key) not in (str, int) for _, key in path.steps):
            raise NotStored
        return [self.root(path.root), list(map(list, path.steps))]

    def root(self, root: Any) -> list[Any]:
        for i, known in enumerate(self.known):
            if known is root:
                return ["known", i]
            if isinstance(known, types.FunctionType):
                if known.__globals__ is root:
                    return ["globals", i]
                for j, cell in enumerate(known.__closure__ or ()):
                    if cell is root:
                        return ["cell", i, j]
        if (
            isinstance(root, dict)
            and vars(sys.modules.get(str(root.get("__name__")), SimpleNamespace())) is root
        ):
            return ["module", root["__name__"], _version(root["__name__"])]
        raise NotStored


def _version(module: str) -> str:
    """The version of the library that a module belongs to."""
    return str(getattr(sys.modules.get(module.partition(".")[0]), "__version__", ""))


def _signature(found: Any) -> str:
    if isinstance(found, type):
        return _told(found)
    dtype, lengths = found
    if not isinstance(dtype, np.dtype):
        raise NotStored
    return f"{_told(dtype)} {lengths!r}"


def _structure(found: Any) -> Any:
    """A structure (see ``frontend.structures``) as JSON."""
    if isinstance(found, int):
        return found
    if isinstance(found, list):
        return ["list", *map(_structure, found)]
    if isinstance(found, tuple) and found and isinstance(found[0], str):
        word, what, *_ = found
        if word == "static" and (what is None or type(what) in (bool, str)):
            return ["static", what]
        if word == "dict" and what is dict and all(type(k) is str for k in found[2]):
            return ["dict", {k: _structure(v) for k, v in found[2].items()}]
        raise NotStored
    return ["tuple", *map(_structure, found)]


# ----- reading ------------------------------------------------------------------------------------------
def _read_structure(found: Any) -> Any:
    if isinstance(found, int):
        return found
    word, *rest = found
    if word == "static":
        return "static", rest[0]
    if word == "dict":
        return "dict", dict, {k: _read_structure(v) for k, v in rest[0].items()}
    items = map(_read_structure, rest)
    return list(items) if word == "list" else tuple(items)


SEEN: dict[str, Any] = {
    "content": content,
    "type": type,
    "length": len,
    "keys": tuple,
    "several": lambda value: aspect_of(value, "several"),
}
"""What guards compare, if not the value itself."""


class _Places:
    """Paths of this process, from what ``_Ways`` wrote."""

    def __init__(self, function: types.FunctionType) -> None:
        self.known: list[Any] = [function]

    def path(self, found: list[Any], label: str) -> Path:
        (word, *rest), steps = found
        if word == "module":
            if _version(rest[0]) != rest[1]:
                raise NotStored
            root: Any = vars(sys.modules[rest[0]])
        else:
            root = self.known[rest[0]]
            root = (
                root.__globals__
                if word == "globals"
                else root.__closure__[rest[1]]
                if word == "cell"
                else root
            )
        return Path(root, tuple((kind, key) for kind, key in steps), label)

    def guard(self, found: list[Any]) -> Guard:
        """The guard that holds now; NotStored where it does not."""
        way, label, kind, told = found
        path = self.path(way, label)
        if kind in ("missing", "present"):
            guard = Guard.missing(path) if kind == "missing" else Guard.present(path)
            if not guard.holds():
                raise NotStored
        elif kind == "subclass":
            module, name, told = told
            guard = Guard.subclass(path.read(), attrgetter(name)(sys.modules[module]))
            if fingerprint(guard.expected) != told:
                raise NotStored
        else:
            seen = SEEN.get(kind, lambda value: value)(path.read())
            if fingerprint(seen) != told:
                raise NotStored
            guard = Guard(path, kind, seen)
        self.known.append(guard.expected)
        return guard

    def capture(self, found: list[Any]) -> tuple[Path, None, Any]:
        way, label, told = found
        path = self.path(way, label)
        seen = signature(path.read())
        if _signature(seen) != told:
            raise NotStored
        return path, None, seen


class Restored(Program):
    """A program from the disk. The compiler runs only if somebody wants to look inside, or kernels fail."""

    stored = True

    def __init__(self, owner: Any, described: Described, backend: str, known: Known, entry: Entry) -> None:
        names, trees, leaves, keywords = described
        told = entry.metadata
        super().__init__(owner, described, _stored_primal(owner.function, leaves, told, known), backend)
        arrays = [v for v in (*leaves, *self.fit.captures.read()) if isinstance(v, np.ndarray)]
        if _lists(pattern(shapes_of(arrays), known)) != told["pattern"]:
            raise NotStored
        self._described = names, trees, list(map(_hollow, leaves)), keywords
        self._known = known
        self._made: Program | None = None
        self.zeros = told["zeros"]
        # What is stored was checked, or is not to be: that is part of the key.
        unchecked = owner.options.check is False
        self.checked = "check=False or AST_AD_CHECK=0" if unchecked else ["by an earlier process"]
        self.with_code([StoredCode(entry, self.whole)])

    def whole(self) -> Program:
        """The same, as the compiler makes it, with NumPy code."""
        if self._made is None:
            self._made = self.owner.compiled(self._described, "numpy", self._known)
        assert self._made is not None
        return self._made


def _stored_primal(
    function: types.FunctionType, leaves: Sequence[Any], told: dict[str, Any], known: Known
) -> Any:
    """What a call asks of a primal; its function is told by ``Restored.whole`` alone."""
    places = _Places(function)
    guards = Guards(places.guard(guard) for guard in told["guards"])
    captures = [places.capture(c) for c in told["captures"]]
    observed = [places.capture(c) for c in told["observed"]]
    constants: dict[Any, Any] = {}
    for position, aspect, expected in told["constants"]:
        value = aspect_of(leaves[position], aspect)
        if fingerprint(value) != expected:
            raise NotStored
        constants[("arg", position, aspect) if aspect else ("arg", position)] = value
    inputs = SimpleNamespace(
        captures=captures, observed=observed, guards=guards, lengths=SimpleNamespace(known=known)
    )
    plain = {"errstate": {}, "heeds_errors": False, "tried": (), "stores": (), "storing": False}
    plain |= {
        "calls": {},
        "depths": {},
        "untaken": (),
        "own_rules": False,
        "rounds": told["rounds"],
        "draws": (False, False),
    }
    return SimpleNamespace(
        inputs=inputs,
        constants=constants,
        count=told["count"],
        result=_read_structure(told["result"]),
        written=frozenset(told["written"]),
        **plain,
    )


class StoredCode(Code):
    """Code from the disk."""

    def __init__(self, entry: Entry, whole: Callable[[], Program]) -> None:
        told = entry.metadata
        self._whole = whole
        self.dropped: list[Assumption] = []
        self.report = Report(Note(stage, text, Span(file, line)) for stage, text, file, line in told["notes"])
        module = import_module(told["module"])
        self.run, self.text = getattr(module, told["run"]), entry.text
        if told["backend"] == "numba":
            from ...compiler.kernels.machine_code import load_at_once

            load_at_once(module)
        self.backend, self.why, self.left = told["backend"], told["why"], told["left"]

    def in_numpy(self) -> Run:
        """The NumPy code; where the stored one are kernels it is compiled now."""
        return self._whole().code.in_numpy() if self.backend == "numba" else self.run

    def drop_kernels(self, problem: BaseException) -> None:
        """The kernels failed where NumPy succeeds: others are compiled now, or it runs."""
        code = self._whole().code
        code.do_without(failed(problem, self.run, self.text), f"{type(problem).__name__}: {problem}")
        self.dropped, self.why, self.left, self.report = code.dropped, code.why, code.left, code.report
        self.run, self.text, self.backend = code.run, code.text, code.backend


def _lists(shapes: Any) -> Any:
    return json.loads(json.dumps(shapes))


def _hollow(leaf: Any) -> Any:
    """A stand-in for an array, with its shape, dtype and strides, and memory that nobody touches."""
    if not isinstance(leaf, np.ndarray):
        return leaf
    if leaf.dtype.hasobject:
        return np.broadcast_to(np.zeros((), leaf.dtype), leaf.shape)
    first, end = np.lib.array_utils.byte_bounds(leaf)
    memory, start = np.zeros(end - first, np.uint8), leaf.__array_interface__["data"][0] - first
    return np.ndarray(leaf.shape, leaf.dtype, memory, start, leaf.strides)
