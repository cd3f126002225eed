"""How is a Python object spelled in generated source, and what must be imported for it?

A callable is found again by identity, so what is printed is what would have run. What has no importable
spelling is bound into the module's namespace under a name of its own ("injected").
"""

from __future__ import annotations

import ast
import builtins
import keyword
import math
import re
import sys
from typing import Any

import numpy as np

_PREFERRED = {"absolute": "abs", "conjugate": "conj"}
_NUMPY_MODULES = "", "linalg", "fft", "random", "lib.stride_tricks", "polynomial.polynomial"


LOAD, STORE = ast.Load(), ast.Store()
"""One of each serves all nodes."""


def name(text: str) -> ast.expr:
    return ast.Name(text, LOAD)


def dotted(path: str) -> ast.expr:
    """The expression ``a.b.c``."""
    first, *rest = path.split(".")
    node = name(first)
    for part in rest:
        node = ast.Attribute(node, part, LOAD)
    return node


def identifier(text: str, default: str = "value") -> str:
    """``text`` as a valid name that is no keyword."""
    text = re.sub(r"\W", "_", text, flags=re.ASCII).lstrip("_" if not text.startswith("_") else "")
    if not text or text[0].isdigit():
        text = f"{default}_{text}" if text else default
    return text + "_" if keyword.iskeyword(text) else text


class References:
    """The imports and injected objects of one generated module, gathered while its functions are printed."""

    def __init__(self) -> None:
        self.injected: dict[str, Any] = {}
        self.names: set[str] = set()  # every global name that the module uses
        self._modules: set[str] = set()  # of "np", "math"
        self._imported: dict[str, tuple[str, str]] = {}  # name -> (module, name there)
        self._known: dict[int, tuple[Any, str]] = {}  # spelled before: id -> (object, path)

    def callable(self, fn: Any) -> ast.expr:
        """The expression that evaluates to ``fn`` itself."""
        found = self._known.get(id(fn))
        path = found[1] if found and found[0] is fn else self._spell(fn)
        self._known[id(fn)] = fn, path
        self.names.add(path.partition(".")[0])
        return dotted(path)

    def know(self, fn: Any, text: str) -> None:
        """``fn`` is what the module itself defines under this name."""
        self._known[id(fn)] = fn, text
        self.names.add(text)

    def module(self, path: str) -> ast.expr:
        """A name below ``np`` or ``math`` that the emitter itself needs."""
        root = path.partition(".")[0]
        self._modules.add(root)
        self.names.add(root)
        return dotted(path)

    def builtin(self, text: str) -> ast.expr:
        self.names.add(text)
        return name(text)

    def inject(self, value: Any, hint: str) -> ast.expr:
        """A name for an object that has no spelling."""
        for known, bound in self.injected.items():
            if bound is value:
                return name(known)
        text = self._free(identifier(hint, "constant"))
        self.injected[text] = value
        self.names.add(text)
        return name(text)

    def imports(self) -> list[ast.stmt]:
        """The import statements, in the conventional order."""
        plain: list[ast.stmt] = []
        if "math" in self._modules:
            plain.append(ast.Import([ast.alias("math", None)]))
        if "np" in self._modules:
            plain.append(ast.Import([ast.alias("numpy", "np")]))
        groups: dict[str, list[ast.alias]] = {}
        for text, (module, inner) in sorted(self._imported.items()):
            groups.setdefault(module, []).append(ast.alias(inner, None if inner == text else text))
        return plain + [ast.ImportFrom(module, groups[module], 0) for module in sorted(groups)]

    def _free(self, text: str) -> str:
        taken = self.names | set(self._imported) | {"np", "math"} | set(dir(builtins))
        while text in taken:
            text += "_"
        return text

    def _spell(self, fn: Any) -> str:
        text = getattr(fn, "__name__", None) or ""
        if text and getattr(builtins, text, None) is fn:
            return str(text)
        if text and getattr(math, text, None) is fn:
            self._modules.add("math")
            return f"math.{text}"
        if path := numpy_path(fn):
            self._modules.add("np")
            return path
        return self._import(fn, text) or ast.unparse(self.inject(fn, text or type(fn).__name__))

    def _import(self, fn: Any, text: str) -> str | None:
        """Import a module-level function by name, if that gives this very object."""
        module = getattr(fn, "__module__", None) or _ufunc_module(fn, text)
        if not module or not text.isidentifier() or module == "__main__":
            return None
        offered = getattr(sys.modules.get(module), text, None)
        if getattr(fn, "__qualname__", text) != text or offered is not fn:
            return None
        public = _public_module(module, text, fn)
        for alias, target in self._imported.items():
            if target == (public, text):
                return alias
        alias = self._free(text)
        self._imported[alias] = public, text
        return alias


def numpy_path(fn: Any) -> str | None:
    """``np.linalg.solve`` for that function; None for what is not NumPy's public own."""
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, np.ufunc):  # np.add.at, np.maximum.reduce
        path = numpy_path(owner)
        return f"{path}.{fn.__name__}" if path else None
    text = getattr(fn, "__name__", None)
    if not isinstance(text, str):
        return None
    for module in _NUMPY_MODULES:
        place: Any = np
        for part in filter(None, module.split(".")):
            place = getattr(place, part, None)
        for spelling in (_PREFERRED.get(text), text):
            if spelling and getattr(place, spelling, None) is fn:
                return ".".join(filter(None, ["np", module, spelling]))
    return None


def _ufunc_module(fn: Any, text: str) -> str | None:
    """Where a ufunc of SciPy lives (ufuncs carry no module)."""
    special = sys.modules.get("scipy.special")
    return "scipy.special" if special is not None and text and getattr(special, text, None) is fn else None


def _public_module(module: str, text: str, fn: Any) -> str:
    """The outermost package without private parts that offers the same object under the same name."""
    parts = module.removeprefix("_").split(".")  # `_operator` is the part of `operator` that is written in C
    private = next((i for i, part in enumerate(parts) if part.startswith("_")), len(parts))
    for length in range(private, 0, -1):
        public = ".".join(parts[:length])
        if getattr(sys.modules.get(public), text, None) is fn:
            return public
    return module
