"""Has an earlier process compiled this function for arguments like these, and is it still the same function?

What decided a program is written down with it: guards, captures and constants, each by the way to it and a
fingerprint. A program is taken from the disk if every one of them, read anew, has its fingerprint; then the
guards of this process are the objects just read. What can't be written down is not stored.
"""

from __future__ import annotations

import hashlib
import json
import sys
import types
from collections.abc import Callable, Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...compiler.frontend.guards import Captures, Guard, Guards, Path, aspect_of
from ...compiler.frontend.length_patterns import Known, pattern, shapes_of
from ...compiler.frontend.signatures import signature
from ...compiler.ir.ops import Op, walk
from ...trees import LEAF, STATIC, TreeDef
from ..fitting.assumptions import Assumption, assumptions, failed
from ..program import Compiled
from ..request import Compilation
from .compilations import CompileCache, Entry
from .fingerprints import fingerprint, package

GENERATED = "ast_ad.generated"


class NotStored(Exception):
    """A program depends on something that can't be told again in another process."""


UNTOLD = NotStored, LookupError, AttributeError, TypeError, ValueError, ImportError


def find(owner: Any, described: tuple[Any, ...], backend: str, known: Known) -> Restored | None:
    """The stored program for such arguments, if there is one and nothing that it depends on has changed."""
    try:
        entry = CompileCache().get(_key(owner, described, backend, known))
        return None if entry is None else Restored(owner, described, backend, known, entry)
    except UNTOLD:
        return None


def keep(variant: Any, described: tuple[Any, ...], known: Known) -> None:
    """Store a program, if all that it depends on can be told again."""
    try:
        key = _key(variant.owner, described, variant.wanted, known)
        CompileCache().put(key, variant.text, _described(variant, described[2]))
    except UNTOLD:
        return


# ----- the key ------------------------------------------------------------------------------------------
def _key(owner: Any, described: tuple[Any, ...], backend: str, known: Known) -> str:
    names, trees, leaves, keywords = described
    function = owner.function
    if type(function) is not types.FunctionType or any(not _is_plain(tree) for tree in trees):
        raise NotStored
    kinds = [leaf.dtype.str if isinstance(leaf, np.ndarray) else _told(type(leaf)) for leaf in leaves]
    chosen = owner.arguments.argnums, owner.arguments.wrt, owner.single
    asked = owner.kind, chosen, owner.has_aux, owner.every_leaf, owner.options, backend, known
    lengths = pattern(shapes_of(leaves), known)
    compiler = import_module("numba").__version__ if backend == "numba" else ""
    parts = _told(function), asked, names, trees, keywords, kinds, lengths, compiler, package()
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
def _described(variant: Any, leaves: Sequence[Any]) -> dict[str, Any]:
    """All that decided a program, and how its results are read, as JSON values."""
    lowered, code = variant.lowered, variant.program.code
    run = code.run
    module = sys.modules.get(run.__module__)
    generated = run.__module__.startswith(GENERATED) and getattr(module, run.__name__, None) is run
    if lowered.storing or lowered.stores or lowered.inputs.changes:  # what it leaves outside
        raise NotStored
    if lowered.errstate or lowered.tried or lowered.calls:
        raise NotStored
    if lowered.depths:  # an earlier call's
        raise NotStored
    if not generated or hasattr(module, "__injected__"):
        raise NotStored
    if not all(_is_ours(op) for op in walk(lowered.function.body)):
        raise NotStored
    ways = _Ways(variant.owner.function)
    guards = [ways.guard(guard) for guard in lowered.inputs.guards]
    arrays = [v for v in (*leaves, *variant.program.captures.read()) if isinstance(v, np.ndarray)]
    return {
        "module": run.__module__,
        "run": run.__name__,
        "backend": code.backend,
        "why": code.why,
        "left": code.left,
        "count": variant.count,
        "zeros": variant.zeros,
        "result": _structure(lowered.result),
        "written": sorted(lowered.written),
        "pattern": pattern(shapes_of(arrays), lowered.inputs.lengths.known),
        "guards": guards,
        "captures": [[ways.path(p), p.label, _signature(s)] for p, _, s in lowered.inputs.captures],
        "observed": [[ways.path(p), p.label, _signature(s)] for p, _, s in lowered.inputs.observed],
        "constants": [[p, aspect, _told(value)] for p, aspect, value in variant.program.constants],
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
        told = "" if guard.kind in ("missing", "present") else _told(guard.expected)
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
        else:
            value = path.read()
            seen: Any = value
            if kind in ("type", "length", "keys"):
                seen = type(value) if kind == "type" else len(value) if kind == "length" else tuple(value)
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


class Restored(Compilation):
    """A program from the disk. The compiler runs only if somebody wants to look inside, or kernels fail."""

    def __init__(
        self, owner: Any, described: tuple[Any, ...], backend: str, known: Known, entry: Entry
    ) -> None:
        super().__init__(owner, *described)
        names, trees, leaves, keywords = described
        found = entry.metadata
        places = _Places(owner.function)
        guards = Guards(places.guard(guard) for guard in found["guards"])
        captures = [places.capture(c) for c in found["captures"]]
        observed = [places.capture(c) for c in found["observed"]]
        constants: dict[Any, Any] = {}
        for position, aspect, told in found["constants"]:
            value = aspect_of(leaves[position], aspect)
            if fingerprint(value) != told:
                raise NotStored
            constants[("arg", position, aspect) if aspect else ("arg", position)] = value
        inputs = SimpleNamespace(
            captures=captures, observed=observed, guards=guards, lengths=SimpleNamespace(known=known)
        )
        outside = Captures()
        for path, _, _ in (*captures, *observed):
            outside.add(path)
        if _lists(pattern(shapes_of([*leaves, *outside.read()]), known)) != found["pattern"]:
            raise NotStored
        self._described = names, trees, list(map(_hollow, leaves)), keywords
        self._known = known
        self._made: Any = None
        self.wanted, self.count, self.zeros = backend, found["count"], found["zeros"]
        # What is stored was checked, or is not to be: that is part of the key.
        unchecked = owner.options.check is False
        self.checked = "check=False or AST_AD_CHECK=0" if unchecked else ["by an earlier process"]
        self.lowered = _Lowered(
            self.whole, inputs, _read_structure(found["result"]), frozenset(found["written"]), constants
        )
        self.program = Compiled(self.lowered, StoredCode(entry, self.whole))  # type: ignore[arg-type]
        self.plain = self.is_plain()

    def whole(self) -> Any:
        """The same, as the compiler makes it, with NumPy code."""
        if self._made is None:
            self._made = self.owner.compiled(self._described, "numpy", self._known)
        return self._made

    def explain(self) -> str:
        """As that of the compiler's, with what runs."""
        whole = self.whole()
        whole.running, whole.checked = self.codes, self.checked
        return str(whole.explain())

    def __getattr__(self, name: str) -> Any:
        if name in ("adjoint", "halves", "of", "split"):
            return getattr(self.whole(), name)
        raise AttributeError(name)


class _Lowered:
    """What ``Compiled`` reads of a lowered program; the rest is there when asked for."""

    errstate: dict[str, str] = {}
    tried: tuple[Any, ...] = ()
    stores: tuple[Any, ...] = ()
    storing = False
    calls: dict[Any, Any] = {}
    depths: dict[Any, int] = {}

    def __init__(
        self,
        whole: Callable[[], Any],
        inputs: Any,
        result: Any,
        written: frozenset[int],
        constants: dict[Any, Any],
    ) -> None:
        self._whole = whole
        self.inputs, self.result, self.written, self.constants = inputs, result, written, constants

    @property
    def function(self) -> Any:
        return self._whole().lowered.function


class StoredCode:
    """The interface of ``programs.Program``, on code from the disk."""

    def __init__(self, entry: Entry, whole: Callable[[], Any]) -> None:
        found = entry.metadata
        self._whole = whole
        self.dropped: list[Assumption] = []
        module = import_module(found["module"])
        self._run = getattr(module, found["run"])
        if found["backend"] == "numba":
            from ...compiler.kernels.machine_code import load_at_once

            load_at_once(module)
        self.backend, self.why, self.left, self.text = (
            found["backend"],
            found["why"],
            found["left"],
            entry.text,
        )

    @property
    def function(self) -> Any:
        """The pure program."""
        return self._whole().program.code.function

    @property
    def numpy(self) -> Any:
        return self._whole().program.code.numpy if self.backend == "numba" else self._run

    @property
    def run(self) -> Any:
        return self._run

    @property
    def assumed(self) -> Any:
        """What the kernels take for granted."""
        return assumptions(self._run, self.text) if self.backend == "numba" else []

    def drop_kernels(self, problem: BaseException) -> None:
        self.dropped = failed(problem, self._run, self.text)
        told = " and ".join(map(str, self.dropped))
        why = f"it was assumed that there is {told}"
        self.why = why if told else f"{type(problem).__name__}: {problem}"
        self._run, self.text, self.backend = self.numpy, self._whole().program.text, "numpy"


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
