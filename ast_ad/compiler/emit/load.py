"""How does generated text become a module that tracebacks, pdb, inspect and pickle treat like any other?

``load_module(text, injected, name_hint, source_map) -> types.ModuleType``. The last stage of a compilation.

The text is written to a file whose name holds its hash, and imported as ``ast_ad.generated.NAME``. Another
process finds the same module by name. What is executed is always the text whose hash was checked.
"""

from __future__ import annotations

import bisect
import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import itertools
import json
import keyword
import linecache
import re
import sys
import traceback
import types
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...deep import InheritedLock, run_deep
from ...errors import AdError
from ..ir.ops import Span
from . import storage
from .python import refuse_nesting

PACKAGE = "ast_ad.generated"
build_lock = InheritedLock()
"""Held while code is generated or loaded; look-ups of finished functions don't need it."""

_MOST_BOUND = 1000
_bound: OrderedDict[str, types.ModuleType] = OrderedDict()  # modules with objects bound: not importable again


def load_module(
    text: str,
    injected: Mapping[str, object] | None = None,
    name_hint: str = "generated",
    source_map: Mapping[int, Span] | None = None,
) -> types.ModuleType:
    """Import generated source as a module.

    Args:
        text: the module's source.
        injected: objects that the text refers to and cannot import, bound as globals before it runs. Such a
            module belongs to this process: its functions can't be unpickled in another one.
        name_hint: what the module's name begins with.
        source_map: for lines of ``text``, the place in the user's source that they come from; kept with the
            module as ``__source_map__``.

    Returns:
        The module. The same text gives the same module, unless other objects are bound or it comes from
        another place of the user's source.

    >>> module = load_module("def double(x):\\n    return 2 * x\\n", name_hint="example")
    >>> module.double(4), module.__name__.startswith("ast_ad.generated.example_")
    (8, True)
    """
    injected, source_map = dict(injected or {}), dict(source_map or {})
    with build_lock:
        name = module_name(name_hint, text, injected)
        importlib.import_module(PACKAGE)  # for pickle, which imports parents first
        known = sys.modules.get(f"{PACKAGE}.{name}")
        if injected or (known is not None and known.__source_map__ != source_map):
            return _load_bound(name, text, injected, source_map)
        if known is not None:
            return known
        path = _keep(name, text, injected, source_map)
        return _execute(f"{PACKAGE}.{name}", text, path, {}, source_map)


def module_name(hint: str, text: str, injected: Mapping[str, object] | None = None) -> str:
    """``hint_HASH``: a valid module name that the text (and the names bound to it) decides."""
    clean = re.sub(r"[^A-Za-z0-9_]", "_", hint)[:40].strip("_") or "generated"
    if clean[0].isdigit() or keyword.iskeyword(clean):
        clean = f"f_{clean}"
    return f"{clean}_{_digest(text, injected or {})}"


def add_user_note(
    error: BaseException, source_map: Mapping[int, Span] | None = None, what: str = "computing the gradient"
) -> None:
    """Note on an error that passed through generated code, which line of the user's it comes from.

    Args:
        error: an exception being handled.
        source_map: the map of the generated code; by default that of the module in which the error arose.
        what: what was being done.
    """
    span = _user_place(error, source_map)
    if span is None:
        return
    if isinstance(error, AdError):  # a refusal at run time says its line as others do
        error.at(span)
        return
    inside = f" in {span.function}" if span.function else ""
    note = f"while {what}: line {span.line} of {span.filename}{inside}: {span.text}".rstrip(" :")
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)


def register_finder() -> None:
    """Let ``import ast_ad.generated.NAME`` find modules in the cache directory."""
    if not any(isinstance(finder, GeneratedFinder) for finder in sys.meta_path):
        sys.meta_path.append(GeneratedFinder())


class GeneratedFinder(importlib.abc.MetaPathFinder):
    """Finds generated modules of earlier processes, and refuses what is not as it was written."""

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        package, _, name = fullname.rpartition(".")
        if package != PACKAGE:
            return None
        directory = storage.cache_directory()
        file = directory / f"{name}.py" if directory else None
        data = storage.read(file) if file else None
        text = (data or b"").decode("utf-8", "replace")
        if re.fullmatch(r".*_[0-9a-f]{16}_\d{1,9}", name):
            why = "it belongs to the process that generated it"
        elif file is None:
            why = "nothing is kept (AST_AD_CACHE=0)"
        elif data is None:
            why = f"it is not in the cache {directory}"
        elif not name.endswith(f"_{_digest(text, {})}"):
            why = "the file is damaged"
        else:
            return _spec(fullname, text, str(file))
        raise ModuleNotFoundError(f"{fullname}: {why}; compile the function again", name=fullname)


class _Loader(importlib.abc.InspectLoader):
    """Runs the text that it was given, whatever stands in the file by now."""

    def __init__(self, text: str, filename: str, bound: Mapping[str, object]) -> None:
        self.text, self.filename, self.bound = text, filename, bound

    def get_source(self, fullname: str) -> str:
        return self.text

    def is_package(self, fullname: str) -> bool:
        return False

    def exec_module(self, module: types.ModuleType) -> None:
        module.__dict__.update(self.bound)
        if "__source_map__" not in module.__dict__:
            module.__dict__["__source_map__"] = _stored_source_map(Path(self.filename))
        try:
            code = run_deep(compile, self.text, self.filename, "exec", dont_inherit=True)
        except SyntaxError as problem:
            refuse_nesting(problem)
            raise
        exec(code, module.__dict__)


def _load_bound(
    name: str, text: str, injected: dict[str, object], source_map: Mapping[int, Span]
) -> types.ModuleType:
    """A module of its own for each set of bound objects; the oldest ones leave ``sys.modules``."""
    full = ""
    for number in itertools.count():
        full = f"{PACKAGE}.{name}_{number}"
        module = _bound.get(full)
        if module is None:
            break
        same = all(module.__injected__[key] is value for key, value in injected.items())
        if same and module.__source_map__ == source_map:
            _bound.move_to_end(full)
            return module
    path = _keep(name, text, injected, source_map)
    module = _execute(full, text, path, {**injected, "__injected__": injected}, source_map)
    _bound[full] = module
    while len(_bound) > _MOST_BOUND:
        sys.modules.pop(_bound.popitem(last=False)[0], None)
    return module


def _keep(name: str, text: str, injected: Mapping[str, object], source_map: Mapping[int, Span]) -> str:
    """Make sure that the text stands in its file; the file's name, or a made-up one where caching is off."""
    directory = storage.cache_directory()
    if directory is not None:
        path = directory / f"{name}.py"
        data = text.encode()
        if storage.read(path) == data or storage.write(path, data):
            details = {
                **versions(),
                "injected": sorted(injected),
                "source_map": {str(line): _span_fields(span) for line, span in sorted(source_map.items())},
            }
            data = json.dumps(details).encode()
            if storage.read(path.with_suffix(".json")) != data:
                storage.write(path.with_suffix(".json"), data)
            return str(path)
    return f"<ast_ad>/{name}.py"


def _execute(
    full: str, text: str, filename: str, bound: Mapping[str, object], source_map: Mapping[int, Span]
) -> types.ModuleType:
    spec = _spec(full, text, filename, {**bound, "__source_map__": dict(source_map)})
    module = importlib.util.module_from_spec(spec)
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    sys.modules[full] = module
    try:
        assert spec.loader is not None
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[full]
        raise
    return module


def _spec(
    full: str, text: str, filename: str, bound: Mapping[str, object] | None = None
) -> importlib.machinery.ModuleSpec:
    loader = _Loader(text, filename, bound or {})
    spec = importlib.machinery.ModuleSpec(full, loader, origin=filename)
    spec.has_location = True  # sets __file__, which pdb, inspect and Numba's cache look at
    return spec


def _digest(text: str, injected: Mapping[str, object]) -> str:
    return hashlib.sha256("\0".join([text, *sorted(injected)]).encode()).hexdigest()[:16]


def versions() -> dict[str, Any]:
    """What generated code depends on beside its text."""
    from ... import __version__

    return {
        "format": storage.FORMAT,
        "ast_ad": __version__,
        "numpy": np.__version__,
        "python": ".".join(map(str, sys.version_info[:3])),
    }


def _user_place(error: BaseException, source_map: Mapping[int, Span] | None) -> Span | None:
    """The user's place of the innermost generated frame that the error passed through."""
    place = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        own = frame.f_globals.get("__source_map__")
        if own is None or not str(frame.f_globals.get("__name__", "")).startswith(PACKAGE):
            continue
        place = nearest(source_map if source_map is not None else own, line) or place
    return place


def nearest(source_map: Mapping[int, Span], line: int) -> Span | None:
    """The span of the statement that the line belongs to: statements may run over several lines."""
    lines = sorted(source_map)
    position = bisect.bisect_right(lines, line)
    return source_map[lines[position - 1]] if position else None


def _span_fields(span: Span) -> list[Any]:
    return [span.filename, span.line, span.column, span.end_column, span.text, span.function]


def _stored_source_map(path: Path) -> dict[int, Span]:
    """The source map of a module found by import; it serves messages only, so damage is no error."""
    try:
        stored = _read_json(path.with_suffix(".json")).get("source_map", {})
        return {int(line): Span(*fields) for line, fields in stored.items()}
    except (TypeError, ValueError, AttributeError):
        return {}


def _read_json(path: Path) -> dict[str, Any]:
    data = storage.read(path)
    try:
        value = json.loads(data or b"{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
