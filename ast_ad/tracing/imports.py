"""What has code of the user's, and what may code find that it imports when it runs?"""

from __future__ import annotations

import contextlib
import dis
import functools
import importlib.util
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..homes import home_of
from ..rules.of_numba import made_of
from ..rules.standing import PACKAGE
from .replacements import Cached

LIBRARIES = {
    "numpy",
    "scipy",
    "math",
    "cmath",
    "ast_ad",
    "builtins",
    "numba",
    "gast",
    "astor",
    "torch",
    "jax",
    "_pytest",  # whose objects lead to all tests that there are
    "pytest",
    "pluggy",
}


# Libraries whose functions without a rule may be Python code, to be followed.
FOLLOWED = "scipy.", "numpy.polynomial", PACKAGE, "statistics", "colorsys"


_WITHOUT = LIBRARIES | sys.stdlib_module_names  # objects of their classes have no code of the user's


def is_library(module: str) -> bool:
    root = module.partition(".")[0]
    return root in LIBRARIES or root in sys.stdlib_module_names and root != "__main__"


# Most of what is asked about is data, in tables that may be long: what was told of a library's class is kept.
_codeless: set[type] = set()
_MOST_CODELESS = 4096


def has_code(value: Any) -> bool:
    """Whether a value has, or is an object with, code that may be run by name."""
    return type(value) not in _codeless and _has_code(value)


def _has_code(value: Any) -> bool:
    if isinstance(value, (types.FunctionType, types.MethodType, types.ModuleType, type, functools.partial)):
        return True
    if type(value) in (np.vectorize, Cached, types.SimpleNamespace):
        return True
    module = home_of(type(value))
    if made_of(value) is not None or module.startswith(FOLLOWED):
        return True
    if (root := module.partition(".")[0]) not in _WITHOUT:
        return True
    if root != "numba" and len(_codeless) < _MOST_CODELESS:  # of Numba's, some are made of functions
        _codeless.add(type(value))
    return False


def package_of(namespace: dict[str, Any]) -> str:
    return str(namespace.get("__package__") or str(namespace.get("__name__", "")).rpartition(".")[0])


def imported(code: types.CodeType, package: str) -> Iterator[Any]:
    """What the import statements of a function find, as far as it is loaded."""
    for module, names in _import_statements(code, package):
        found = sys.modules.get(module)
        if found is not None:
            yield found
        for name in names:
            value = sys.modules.get(f"{module}.{name}") or getattr(found, "__dict__", {}).get(name)
            if value is not None and has_code(value):
                yield value


def imports(code: types.CodeType) -> bool:
    return dis.opmap["IMPORT_NAME"] in code.co_code[::2]


@functools.lru_cache(4096)
def _import_statements(code: types.CodeType, package: str) -> list[tuple[str, tuple[str, ...]]]:
    """The full names of the modules, and what is taken from each."""
    if not imports(code):
        return []
    found = []
    steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
    for i, step in enumerate(steps):
        if step.opname == "IMPORT_NAME":
            level, names = steps[i - 2].argval, steps[i - 1].argval
            with contextlib.suppress(ImportError):  # beyond the package: the statement says so
                found.append((importlib.util.resolve_name("." * level + step.argval, package), names or ()))
    return found


class Handed:
    """Modules that functions import may be handed on: whatever code asks one of them for is followed."""

    def __init__(self) -> None:
        self.modules, self.names, self.done = dict[int, Any](), set[str](), set[tuple[int, str]]()

    def add(self, code: types.CodeType, namespace: dict[str, Any]) -> None:
        self.names.update(code.co_names)
        self._keep(imported(code, package_of(namespace)))
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self.add(constant, namespace)

    def _keep(self, values: Iterable[Any]) -> None:
        modules = [v for v in values if type(v) is types.ModuleType and not is_library(v.__name__)]
        self.modules.update((id(module), module) for module in modules)

    def asked(self) -> list[Any]:
        new = [(at, n) for at, m in self.modules.items() for n in self.names & vars(m).keys()]
        new = [pair for pair in new if pair not in self.done]
        found = [vars(self.modules[at])[name] for at, name in new]
        self.done.update(new)
        self._keep(found)
        return [value for value in found if has_code(value)]
