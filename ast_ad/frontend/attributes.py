"""What is an attribute of an array, of an object built inside the function, of a thing that lives outside?"""

from __future__ import annotations

import math
import operator
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ir.ops import Lit, Seq, Var
from ..ir.types import Array, Optional, Scalar, dtype_of, rank_of
from ..rules.registry import lookup
from .core import Core, TensorOutside
from .guards import Guard, Path, is_constant
from .values import (
    Arr,
    ArrayMethod,
    Bound,
    Dct,
    Flat,
    Frame,
    Lst,
    Maybe,
    Obj,
    Range,
    Super,
    Tup,
    Unbound,
    is_tensor,
)


@dataclass(eq=False)
class Live:
    """An object that outlives the call; what it holds is read through ``path`` at every call."""

    value: Any
    path: Path
    embed: Callable[[], None] | None = None

    def python_value(self) -> Any:
        """The object itself, as a constant of the program: from now on it must stay this very one."""
        if self.embed is not None:
            self.embed()
        return self.value


CONTAINER_METHODS = {
    "append",
    "extend",
    "insert",
    "pop",
    "index",
    "count",
    "copy",
    "reverse",
    "sort",
    "clear",
    "get",
    "items",
    "keys",
    "values",
    "update",
    "setdefault",
    "_asdict",
    "_replace",
    "remove",
}


class Attributes(Core):
    def load_attribute(self, base: Any, name: str) -> Any:
        if isinstance(base, (Arr, Var)) and not (
            isinstance(base, Var) and not isinstance(base.type, (Scalar, Array, Optional))
        ):
            return self.value_attribute(base, name)
        if isinstance(base, Obj):
            return self.object_attribute(base, name)
        if isinstance(base, Tup) and base.cls is not None and name in base.cls._fields:  # type: ignore[attr-defined]
            return base.items[base.cls._fields.index(name)]  # type: ignore[attr-defined]
        if isinstance(base, (Lst, Dct, Tup)) and name in CONTAINER_METHODS:
            return Bound(
                Lit(getattr(self, f"{'list' if not isinstance(base, Dct) else 'dict'}_{name}", None)), (base,)
            )
        if isinstance(base, Range) and name in ("start", "stop", "step"):
            return getattr(base, name)
        if isinstance(base, Live):
            return self.live_attribute(base, name)
        if isinstance(base, Super):
            return self.super_attribute(base, name)
        if isinstance(base, Lit):
            return self.constant_attribute(base, name)
        raise self.unsupported(
            f"attribute `{name}`",
            f"the compiler does not know it on this {type(base).__name__}",
            "read it outside of the differentiated function",
        )

    def value_attribute(self, base: Any, name: str) -> Any:
        """An attribute of an array or number, which has it on every path."""
        if not self.asked(lambda v: hasattr(v, name), self.present(base)):
            raise self.unsupported(
                f"attribute `{name}`",
                f"numbers and arrays of type {self.variable(base).type} have none",
                "check the name",
                AttributeError,
            )
        return self.array_attribute(base, name)

    def array_attribute(self, base: Any, name: str) -> Any:
        var = self.variable(base)
        type = var.type.value if isinstance(var.type, Optional) else var.type
        if name == "shape":
            return self.shape_of(var)
        if name == "ndim":
            rank = rank_of(type)
            return self.builder.opaque(np.ndim, (var,), Scalar("int")) if rank is None else Lit(rank)
        if name == "dtype":
            return Lit(dtype_of(self.exact(type, "the dtype")))
        if name == "size":
            lengths = type.shape if isinstance(type, Array) and type.shape is not None else (None,)
            if all(isinstance(n, int) for n in lengths):
                return Lit(math.prod(n for n in lengths if isinstance(n, int)))
            return self.size_of(var, type)
        if name in ("T", "mT"):
            return (
                self.call_primitive(np.transpose if name == "T" else np.matrix_transpose, [base], {})
                if isinstance(base, Arr)
                else base
            )
        if name in ("real", "imag"):
            return self.call_primitive(np.real if name == "real" else np.imag, [base], {})
        if name == "flat":
            return Flat(base)
        if name == "flags":
            raise self.unsupported(
                "the memory layout of an array", "it is not part of the signature", "leave it out"
            )
        if name == "__class__":
            return Lit(self.asked(lambda v: v.__class__, base))
        if name in ("itemsize", "nbytes"):
            dtype: Any = dtype_of(self.exact(type, "the dtype"))
            return self.emit(operator.mul, self.array_attribute(base, "size"), Lit(dtype.itemsize))
        if not self.asked(lambda v: callable(getattr(v, name)), self.present(base)):
            raise self.unsupported(f"attribute `{name}`", "it is not followed", "leave it out")
        return ArrayMethod(base, name)

    def size_of(self, var: Var, type: Any) -> Any:
        size = (
            type.shape[0]
            if isinstance(type, Array) and type.shape is not None and len(type.shape) == 1
            else None
        )
        return self.builder.opaque(np.size, (var,), Scalar("int", None, size))

    def shape_of(self, var: Var) -> Any:
        from ..ir.builtin import tuple_get
        from .views import shape_type

        type = var.type
        if isinstance(type, Scalar):
            return Tup(())
        self.known_rank(var)
        assert isinstance(type, Array) and type.shape is not None
        if all(isinstance(d, int) for d in type.shape):
            return Tup(tuple(map(Lit, type.shape)))
        shape = self.builder.opaque(np.shape, (var,), shape_type(type))
        return Tup(
            tuple(
                Lit(d)
                if isinstance(d, int)
                else self.builder.opaque(tuple_get, (shape, Lit(i)), Scalar("int", None, d))
                for i, d in enumerate(type.shape)
            )
        )

    def object_attribute(self, base: Obj, name: str) -> Any:
        content = self.state.get(base)
        descriptor = getattr(base.cls, name, None)
        self.require_plain(base.cls, name, "__getattribute__")
        if isinstance(descriptor, property):
            self.class_member(base.cls, name)
            return self.call(Lit(descriptor.fget), [base], {})
        if not isinstance(content.get(name, Unbound()), (Unbound, Maybe)):
            return self.read_once(content[name], base)
        self.unbound_reads.add((base, name))
        if isinstance(content.get(name), Maybe):
            return self.held_attribute(base, name, content[name])
        if name == "__class__":
            return Lit(base.cls)
        if name == "__dict__":
            return self.one_of(Dct(dict(content)), base)
        raw: Any = next((k.__dict__[name] for k in base.cls.__mro__ if name in k.__dict__), None)
        if raw is None and hasattr(base.cls, "__getattr__"):
            return self.call(Lit(base.cls.__getattr__), [base, Lit(name)], {})
        if raw is None:
            raise self.unsupported(
                f"attribute `{name}`", f"this {base.cls.__name__} has none", "set it first", AttributeError
            )
        if hasattr(type(raw), "__get__") or hasattr(raw, "as_method") or hasattr(raw, "py_func"):
            self.class_member(base.cls, name)
        if isinstance(raw, staticmethod):
            return Lit(raw.__func__)
        if hasattr(raw, "as_method"):
            return Bound(Lit(raw.as_method()), (base,))
        if isinstance(raw, classmethod):
            return Bound(Lit(raw.__func__), (Lit(base.cls),))
        if isinstance(raw, types.FunctionType) or hasattr(raw, "py_func") or hasattr(raw, "cache_info"):
            return Bound(Lit(raw), (base,))
        return self.outside_constant(raw, Path.of_object(base.cls, base.cls.__name__).attribute(name))

    def held_attribute(self, base: Obj, name: str, state: Any) -> Any:
        """What an attribute of an instance holds; on some path it may not have been set."""
        if isinstance(state, Maybe) and hasattr(base.cls, name):
            raise self.unsupported(
                f"attribute `{name}`, which the instance has on some paths and its class on the others",
                "the compiler does not follow it",
                "set it on every path",
            )
        text = f"'{base.cls.__name__}' object has no attribute '{name}'"
        value = self.checked(state, AttributeError, text)
        if value is not state:
            self.state.set(base, {**self.state.get(base), name: value})
        return value

    def super_attribute(self, base: Super, name: str) -> Any:
        owner = base.instance.cls if isinstance(base.instance, Obj) else type(base.instance.value)
        order = owner.__mro__[owner.__mro__.index(base.cls) + 1 :]
        raw: Any = next((k.__dict__[name] for k in order if name in k.__dict__), None)
        if isinstance(raw, (property, types.FunctionType)):
            self.class_member(next(k for k in order if name in k.__dict__), name)
        if isinstance(raw, property):
            return self.call(Lit(raw.fget), [base.instance], {})
        if isinstance(raw, types.FunctionType):
            return Bound(Lit(raw), (base.instance,))
        if name == "__init__":  # object's
            return Bound(Lit(self.no_operation), ())
        raise self.unsupported(f"super().{name}", "it is not Python code", "name the base class")

    def no_operation(self, *args: Any, **kwargs: Any) -> Any:
        return Lit(None)

    def constant_attribute(self, base: Lit, name: str) -> Any:
        value = base.value
        if isinstance(value, types.ModuleType) and self.inputs is not None and hasattr(value, name):
            return self.outside_value(getattr(value, name), Path.of_module(value, name))
        if isinstance(value, np.ufunc) and name in ("reduce", "accumulate", "outer", "at", "reduceat"):
            return Lit(getattr(value, name))
        if isinstance(value, (int, float, complex, np.generic)) and name in ("real", "imag"):
            return Lit(getattr(value, name))
        if isinstance(value, (int, float, complex)) and not hasattr(value, name):
            return ArrayMethod(base, name)
        try:
            found = getattr(value, name)
        except AttributeError as problem:
            raise self.unsupported(
                f"attribute `{name}`", str(problem), "check the name", AttributeError
            ) from None
        if isinstance(value, type) and isinstance(value.__dict__.get(name), classmethod):
            return Bound(Lit(found.__func__), (base,))
        owner = value if isinstance(value, type) else type(value)
        if owner.__module__ not in ("builtins", "numpy") or isinstance(value, types.FunctionType):
            label = getattr(value, "__name__", owner.__name__)
            return self.outside_value(found, Path.of_object(value, label).attribute(name))
        return self.from_python(found)

    def store_attribute(self, base: Any, name: str, value: Any) -> None:
        if isinstance(base, Obj):
            setter = getattr(base.cls, name, None)
            if isinstance(setter, property):
                if setter.fset is None:
                    raise self.unsupported(
                        f"assignment to the property `{name}`", "it has no setter", "use another name"
                    )
                self.call(Lit(setter.fset), [base, value], {})
                return
            self.require_plain(base.cls, name, "__setattr__")
            self.set_attribute(base, name, value)
            return
        if isinstance(base, Arr) and name == "shape":
            raise self.unsupported("assignment to .shape", "it changes the array in place", "use reshape")
        raise self.unsupported(
            f"assignment to attribute `{name}`",
            "the object outlives the call",
            "return the value instead, or create the object inside the function",
        )

    # ----- things that live outside of the function
    def outside(self, frame: Frame, kind: str, name: str) -> Any:
        """A global or a variable of an enclosing function that has returned."""
        if kind == "cell":
            try:
                value = frame.cells[name].cell_contents
            except ValueError:
                raise self.unsupported(
                    f"name `{name}`", "it has no value yet", "define it before the call"
                ) from None
            path = Path.of_cell(frame.cells[name], name)
        else:
            value = frame.globals[name]
            path = Path.of_global(frame.globals, name)
        return self.outside_value(value, path)

    def class_member(self, cls: type, name: str) -> None:
        """What a class defines under a name decides the program: it must stay there."""
        if self.inputs is not None:
            self.inputs.class_member(cls, name)

    def outside_constant(self, value: Any, path: Any) -> Any:
        """What is rarely changed: a number is a constant of the program, anything else is read at every call.

        Defaults, arguments of a ``functools.partial`` and attributes of a class that objects are made of.
        """
        if self.inputs is not None and is_constant(value):
            self.inputs.guards.add(Guard.value(path, value))
            return self.from_python(value)
        return self.outside_value(value, path)

    def outside_value(self, value: Any, path: Any) -> Any:
        """What is read from outside: code is guarded by identity, data is read again at every call."""
        if self.inputs is None or path is None:
            return self.from_python(value)
        return self.inputs.load(self, value, path)

    def capture_live(self, base: Live) -> Any:
        """An outside container as abstract value."""
        return self.inputs.load(self, base.value, base.path, deep=True)

    def live_attribute(self, base: Live, name: str) -> Any:
        cls = type(base.value)
        raw: Any = next((k.__dict__[name] for k in cls.__mro__ if name in k.__dict__), None)
        if isinstance(raw, property):
            self.inputs.class_attribute(base, name)
            return self.call(Lit(raw.fget), [base], {})
        own = getattr(base.value, "__dict__", {})
        if (
            isinstance(raw, (types.FunctionType, classmethod, staticmethod))
            and name not in own
            or hasattr(raw, "py_func")
            or hasattr(raw, "as_method")
        ):
            self.inputs.class_attribute(base, name)
        if name not in own and hasattr(raw, "as_method"):
            return Bound(Lit(raw.as_method()), (base,))
        if name not in own and isinstance(raw, types.FunctionType) and self.has_rule(raw, base):
            return Lit(types.MethodType(raw, base.python_value()))
        if name not in own and (isinstance(raw, types.FunctionType) or hasattr(raw, "py_func")):
            return Bound(Lit(raw), (base,))
        if name not in own and isinstance(raw, classmethod):
            return Bound(Lit(raw.__func__), (Lit(cls),))
        if name not in own and isinstance(raw, staticmethod):
            return Lit(raw.__func__)
        if name == "__class__":
            return Lit(cls)
        try:
            value = getattr(base.value, name)
        except AttributeError as problem:
            raise self.unsupported(
                f"attribute `{name}`", str(problem), "check the name", AttributeError
            ) from None
        return self.outside_value(value, base.path.attribute(name))

    def has_rule(self, raw: Any, base: Live) -> bool:
        """Whether the method of this very object is an operation (a distribution of SciPy's)."""
        return lookup(types.MethodType(raw, base.value)) is not None

    def load_live_item(self, base: Live, index: Any) -> Any:
        key = self.demand(index, "an index into an outside object")
        try:
            found = base.value[key]
        except (KeyError, IndexError, TypeError) as problem:
            raise self.unsupported(
                "an item of an outside object",
                f"{type(problem).__name__}: {problem}",
                "check the index",
                type(problem),
            ) from None
        return self.outside_value(found, base.path.item(key))

    # ----- Python objects as abstract values, and back
    def from_python(self, value: Any) -> Any:
        """A constant."""
        if is_tensor(value):
            raise TensorOutside("a constant that is a tensor", self.builder.span)
        if isinstance(value, tuple) and (type(value) is tuple or hasattr(value, "_fields")):
            return Tup(
                tuple(map(self.from_python, value)), type(value) if hasattr(value, "_fields") else None
            )
        if type(value) is list:
            return Lst(tuple(map(self.from_python, value)))
        if type(value) is dict:
            return Dct({k: self.from_python(v) for k, v in value.items()})
        if isinstance(value, slice):
            return slice(Lit(value.start), Lit(value.stop), Lit(value.step))
        if isinstance(value, range):
            return Range(Lit(value.start), Lit(value.stop), Lit(value.step))
        if isinstance(value, np.ndarray):
            from ..ir.builtin import assign
            from ..ir.types import type_of

            if value.dtype.kind not in "biufc":
                raise self.unsupported(
                    f"an array of dtype {value.dtype}", "it holds no numbers", "use a numeric dtype"
                )
            return Arr(self.builder.opaque(assign, (Lit(value),), type_of(value)), None, "a constant array")
        if isinstance(value, types.MethodType) and isinstance(value.__func__, types.FunctionType):
            return Bound(Lit(value.__func__), (self.from_python(value.__self__),))
        return Lit(value)

    def from_arg(self, arg: Any) -> Any:
        """An IR argument as abstract value."""
        if isinstance(arg, Var):
            return self.wrap_var(arg)
        if isinstance(arg, Seq):
            items = tuple(map(self.from_arg, arg.items))
            return Lst(items) if arg.kind is list else Tup(items)
        if isinstance(arg, (tuple, list)):
            items = tuple(map(self.from_arg, arg))
            return (
                Lst(items)
                if isinstance(arg, list)
                else Tup(items, type(arg) if hasattr(arg, "_fields") else None)
            )
        if hasattr(arg, "start") and hasattr(arg, "step") and not isinstance(arg, (Lit, range)):
            return slice(self.from_arg(arg.start), self.from_arg(arg.stop), self.from_arg(arg.step))
        return arg if isinstance(arg, Lit) else self.from_python(arg)

    def to_args(self, value: Any) -> Any:
        """An abstract result as nested tuples and lists of arguments; None stays None."""
        if isinstance(value, Tup):
            return tuple(map(self.to_args, value.items))
        if isinstance(value, Lst) and isinstance(self.state.get(value), tuple):
            return [self.to_args(v) for v in self.state.get(value)]
        if isinstance(value, Lit) and value.value is None:
            return None
        return self.arg(value)
