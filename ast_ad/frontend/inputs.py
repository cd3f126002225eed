"""What does a compiled function depend on? Its arguments, the data that it reads from outside, and the code that it calls.

Data outside (globals, closure variables, attributes of objects) is read again at every call and passed as a
further input; code and structure are guarded: if a function that was inlined is replaced, or a list
changes its length, the program is compiled anew. A changed constant is never stale.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..ir.ops import Lit, Op, Var
from ..ir.types import Array, Dim, ListOf, Scalar, type_of
from .attributes import Live
from .values import Arr, Dct, Lst, Tup

MAX_CAPTURED_ITEMS = 32


@dataclass(frozen=True)
class Path:
    """How a value is reached: from a namespace or cell, by items and attributes. Hashable by identity of the root."""

    kind: str
    root: Any = field(compare=False)
    root_id: int
    steps: tuple[tuple[str, Any], ...] = ()
    name: str = "value"

    def then(self, step: str, key: Any, name: str) -> Path:
        return Path(self.kind, self.root, self.root_id, (*self.steps, (step, key)), name)

    def reader(self) -> Callable[[], Any]:
        """A function that reads the value now."""
        if self.kind == "cell":
            cell = self.root
            return self._follow(lambda: cell.cell_contents)
        if self.kind == "value":
            value = self.root
            return self._follow(lambda: value)
        (step, key), *_ = self.steps
        root = self.root
        first = (lambda: root[key]) if step == "item" else (lambda: getattr(root, key))
        return Path(self.kind, root, self.root_id, self.steps[1:])._follow(first)

    def _follow(self, read: Callable[[], Any]) -> Callable[[], Any]:
        for step, key in self.steps:
            read = _step(read, step, key)
        return read


def _step(read: Callable[[], Any], step: str, key: Any) -> Callable[[], Any]:
    if step == "item":
        return lambda: read()[key]
    if step == "len":
        return lambda: len(read())
    return (lambda: list(read())) if step == "keys" else (lambda: getattr(read(), key))


class Restart(Exception):
    """Build again, with these inputs as constants."""

    def __init__(self, keys: set[Any]) -> None:
        super().__init__(keys)
        self.keys = keys


def leaf_type(value: Any, key: Any, constant_shape: bool = False) -> Any:
    """The type that a number or array has in the signature: ones among its lengths are part of it."""
    if isinstance(value, np.ndarray):
        if constant_shape:
            return Array(value.dtype, value.shape)
        return Array(
            value.dtype,
            tuple(
                1 if n == 1 else Dim.symbol((*key, axis), not_one=True) for axis, n in enumerate(value.shape)
            ),
        )
    found = type_of(value)
    return (
        Scalar("int", found.dtype, Dim.symbol(key))
        if isinstance(found, Scalar) and found.kind == "int"
        else found
    )


def signature(value: Any) -> Any:
    """What of a number or array a compiled program depends on."""
    if isinstance(value, np.ndarray):
        shape = value.shape
        return value.dtype, tuple([n == 1 for n in shape]) if 1 in shape else len(shape)
    if isinstance(value, list):
        return list, signature(value[0]) if value else None
    return type(value)


class Inputs:
    """Collects what one build reads from outside. ``constants``: keys of inputs whose value is compiled in."""

    def __init__(self, constants: frozenset[Any] = frozenset()) -> None:
        self.constants = constants
        self.params: list[Var] = []
        self.captured: dict[Path, Any] = {}
        self.captures: list[tuple[Path, Var, Any]] = []
        self.guards: dict[Path, Any] = {}
        self.written: set[int] = set()
        self.keys: dict[int, Any] = {}
        self.producers: dict[int, Op] = {}
        self.static_values: dict[Any, Any] = {}

    # ----- arguments
    def argument(self, value: Any, position: int, name: str) -> Any:
        """The abstract value of one leaf of the arguments."""
        key = ("arg", position)
        constant = key in self.constants
        var = Var(leaf_type(value, key, (*key, "shape") in self.constants), name)
        if constant:
            var.known = value
            self.static_values[key] = value
        if (*key, "shape") in self.constants and isinstance(value, np.ndarray):
            self.static_values[(*key, "shape")] = value.shape
        self.params.append(var)
        self.keys[var.id] = key
        return Arr(var, None, None, position) if isinstance(var.type, Array) else var

    def demand(self, variables: list[Var]) -> None:
        """Ask for a build in which these values are static, if only arguments stand behind them."""
        keys: set[Any] = set()
        if all(self._leaves(var, keys, False) for var in variables) and keys - self.constants:
            raise Restart(keys)

    def demand_shapes(self, variables: list[Var]) -> None:
        """Ask for a build in which the lengths of these arrays are static."""
        keys: set[Any] = set()
        arrays = [
            v
            for v in variables
            if isinstance(v.type, Array) and not all(isinstance(d, int) for d in v.type.shape or ())
        ]
        if arrays and all(self._leaves(v, keys, True) for v in arrays) and keys - self.constants:
            raise Restart(keys)

    def _leaves(self, var: Var, keys: set[Any], shape: bool) -> bool:
        """Collect the inputs behind a value; False if something else is among them."""
        from ..ir.ops import UNKNOWN, operands, variables

        if var.known is not UNKNOWN:
            return True
        key = self.keys.get(var.id)
        if key is not None:
            if isinstance(var.type, Array) and not shape:
                return False
            keys.add((*key, "shape") if isinstance(var.type, Array) else key)
            return True
        if isinstance(var.type, Scalar) and isinstance(var.type.size, Dim):
            return self._dim_leaves(var.type.size, keys)
        if isinstance(var.type, Array):
            return (
                shape
                and var.type.shape is not None
                and all(isinstance(d, int) or self._dim_leaves(d, keys) for d in var.type.shape)
            )
        op = self.producers.get(var.id)
        if op is None:
            return False
        only_shape = shape or op.fn in (np.shape, np.size, len, np.ndim)
        return all(self._leaves(v, keys, only_shape) for v in variables(*operands(op)))

    def _dim_leaves(self, dim: Dim, keys: set[Any]) -> bool:
        for atom, _ in dim.terms:
            if not (isinstance(atom, tuple) and atom[0] in ("arg", "outside")):
                return self._derived_dim(atom, keys)
            keys.add((*atom[:2], "shape") if len(atom) == 3 else atom)
        return True

    def _derived_dim(self, atom: Any, keys: set[Any]) -> bool:
        parts = [p for p in atom if isinstance(p, Dim)] if isinstance(atom, tuple) else []
        return (
            bool(parts)
            and all(self._dim_leaves(p, keys) for p in parts)
            and not any(isinstance(p, tuple) and p and p[0] == "var" for p in atom)
        )

    # ----- outside
    def global_path(self, namespace: dict[str, Any], name: str) -> Path:
        return Path("globals", namespace, id(namespace), (("item", name),), name)

    def module_path(self, module: types.ModuleType, name: str) -> Path:
        return (
            Path("globals", vars(module), id(vars(module)), (("item", name),), name)
            if name in vars(module)
            else Path("module", module, id(module), (("attr", name),), name)
        )

    def cell_path(self, cell: Any, name: str) -> Path:
        return Path("cell", cell, id(cell), (), name)

    def object_path(self, value: Any, name: str) -> Path:
        return Path("value", value, id(value), (), name)

    def attribute_path(self, path: Path, name: str) -> Path:
        return path.then("attr", name, f"{path.name}_{name}")

    def item_path(self, path: Path, key: Any) -> Path:
        return path.then("item", key, f"{path.name}_{key}")

    def load(self, interpreter: Any, value: Any, path: Any, deep: bool = False) -> Any:
        """An abstract value for something outside."""
        if not isinstance(path, Path):
            path = Path("value", value, id(value), (), path[-1])
        if isinstance(value, (bool, np.bool_)) or value is None or isinstance(value, (str, bytes)):
            self.guards[path] = ("equal", value)
            return Lit(value)
        if isinstance(value, (int, float, complex, np.generic)) or isinstance(value, np.ndarray):
            return self.capture(value, path)
        if (
            isinstance(value, (tuple, list, dict))
            and type(value).__module__ == "builtins"
            or hasattr(value, "_fields")
        ):
            return self.container(interpreter, value, path)
        self.guards[path] = ("is", value)
        if (
            isinstance(
                value,
                (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type, np.ufunc, np.dtype),
            )
            or callable(value)
            and not hasattr(value, "__dict__")
            or hasattr(value, "py_func")
            or type(value).__module__.startswith(("numpy", "functools"))
        ):
            return Lit(value)
        if isinstance(value, types.MethodType):
            return interpreter.load_attribute(
                Live(value.__self__, path.then("attr", "__self__", path.name)), value.__name__
            )
        return Live(value, path)

    def container(self, interpreter: Any, value: Any, path: Path) -> Any:
        if (
            isinstance(value, list)
            and len(value) > MAX_CAPTURED_ITEMS
            and all(type(v) is type(value[0]) for v in value)
            and isinstance(value[0], (int, float))
        ):
            return self.capture_list(value, path)
        if isinstance(value, dict):
            self.guards[path.then("keys", None, path.name)] = ("equal", list(value))
            return Dct({k: interpreter.outside_value(v, self.item_path(path, k)) for k, v in value.items()})
        self.guards[path.then("len", None, path.name)] = ("equal", len(value))
        items = tuple(interpreter.outside_value(v, self.item_path(path, i)) for i, v in enumerate(value))
        if isinstance(value, list):
            return Lst(items)
        return Tup(items, type(value) if hasattr(value, "_fields") else None)

    def capture(self, value: Any, path: Path) -> Any:
        """A number or array, read again at every call."""
        if path in self.captured:
            return self.captured[path]
        key = ("outside", path)
        name = path.name if path.name.isidentifier() else "constant"
        var = Var(leaf_type(value, key, (*key, "shape") in self.constants), name)
        if key in self.constants:
            self.guards[path] = ("equal", value)
            self.captured[path] = Lit(value)
            return self.captured[path]
        if (*key, "shape") in self.constants:
            self.guards[path.then("attr", "shape", path.name)] = ("equal", value.shape)
        self.keys[var.id] = key
        self.captures.append((path, var, signature(value)))
        found = Arr(var, None, f"`{name}`, which outlives the call") if isinstance(var.type, Array) else var
        self.captured[path] = found
        return found

    def capture_list(self, value: list[Any], path: Path) -> Lst:
        if path not in self.captured:
            var = Var(ListOf(leaf_type(value[0], ("outside", path))), path.name)
            self.captures.append((path, var, signature(value)))
            self.captured[path] = var
        return Lst(self.captured[path])
