"""How are arguments bound to a class or a function with source, and its body read in place of the call?"""

from __future__ import annotations

import dataclasses
import inspect
import types
from typing import Any

import numpy as np

from ..ir.ops import Lit, Var
from ..ir.types import Opaque
from .boundness import Raised
from .core import Core
from .guards import Guard, Path
from .liveness import local_names
from .values import Arr, Closure, Dct, Frame, Obj, Tup

MAX_DEPTH = 120
RULES = __name__.partition(".")[0] + ".rules."


class Inlining(Core):
    # ----- classes
    def construct(self, cls: type, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if issubclass(cls, BaseException):
            given = [self.runtime_object(a) for a in args]
            return self.builder.opaque(cls, tuple(given), Opaque(cls.__name__))
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            bound = inspect.signature(cls).bind(*args, **kwargs)
            defaults, fields = getattr(cls, "_field_defaults", {}), Path.of_object(cls, cls.__name__)
            items = (
                bound.arguments[f]
                if f in bound.arguments
                else self.outside_constant(defaults[f], fields.attribute("_field_defaults").item(f))
                for f in cls._fields
            )
            return Tup(tuple(items), cls)
        if cls.__module__ in ("builtins", "numpy") or issubclass(cls, np.generic):
            return self.call_opaque(cls, args, kwargs)
        if not isinstance(cls.__init__, types.FunctionType):
            if cls.__init__ is object.__init__ and not args:
                return Obj(cls)
            raise self.unsupported(
                f"an instance of `{cls.__name__}`",
                "its constructor is not Python code",
                "create it outside of the differentiated function",
            )
        if cls.__new__ is not object.__new__:
            raise self.unsupported(
                f"an instance of `{cls.__name__}`", "it defines __new__", "create it outside"
            )
        instance = Obj(cls)
        self.class_member(cls, "__init__")
        if (
            dataclasses.is_dataclass(cls)
            and "__create_fn__" in getattr(cls.__init__, "__qualname__", "")
            or dataclasses.is_dataclass(cls)
            and cls.__init__.__code__.co_filename == "<string>"
        ):
            self.fill_dataclass(instance, args, kwargs)
        else:
            self.call(Lit(cls.__init__), [instance, *args], kwargs)
        return instance

    def fill_dataclass(self, instance: Obj, args: list[Any], kwargs: dict[str, Any]) -> None:
        initialiser: Any = instance.cls.__init__  # type: ignore[misc]
        bound = inspect.signature(initialiser).bind(instance, *args, **kwargs)
        content: dict[str, Any] = {}
        for f in dataclasses.fields(instance.cls):
            if f.name in bound.arguments:
                content[f.name] = bound.arguments[f.name]
            elif f.default is not dataclasses.MISSING:
                content[f.name] = self.outside_constant(
                    f.default, Path.of_object(f, f.name).attribute("default")
                )
            elif f.default_factory is not dataclasses.MISSING:
                content[f.name] = self.call(Lit(f.default_factory), [], {})
        self.state.set(instance, content)
        post = getattr(instance.cls, "__post_init__", None)
        if post is not None:
            self.call(Lit(post), [instance], {})

    # ----- functions with source
    def call_function(self, fn: types.FunctionType, args: list[Any], kwargs: dict[str, Any]) -> Any:
        from .source import find_source

        if fn.__code__.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            raise self.unsupported(
                f"the generator function `{fn.__name__}`", "its state can't be followed", "return a list"
            )
        source = find_source(fn)
        if self.inputs is not None and not str(fn.__module__).startswith(RULES):
            self.inputs.guards.add(Guard.value(Path.of_object(fn, fn.__name__), fn))  # its code, its defaults
        defaults = self.function_defaults(fn)
        frame = Frame(
            source,
            fn.__globals__,
            None,
            self.cells_of(fn),
            set(),
            ("function", fn),
            locals=frozenset(fn.__code__.co_varnames + fn.__code__.co_cellvars),
            depth=self.frame.depth + 1,
        )
        return self.run_body(source.tree, frame, defaults, args, kwargs, fn.__name__)

    def call_closure(self, closure: Closure, args: list[Any], kwargs: dict[str, Any]) -> Any:
        outer = closure.frame
        frame = Frame(
            outer.source,
            outer.globals,
            outer,
            {},
            set(),
            outer.path,
            locals=local_names(closure.node),
            depth=self.frame.depth + 1,
        )
        return self.run_body(closure.node, frame, closure.defaults, args, kwargs, closure.name)

    def run_body(
        self,
        node: Any,
        frame: Frame,
        defaults: dict[str, Any],
        args: list[Any],
        kwargs: dict[str, Any],
        name: str,
    ) -> Any:
        if frame.depth > MAX_DEPTH:
            if self.inputs is not None:  # perhaps lengths decide where the recursion ends
                given = [self.arg(v) for v in (*args, *kwargs.values()) if isinstance(v, (Arr, Var))]
                self.inputs.demand_shapes([v for v in given if isinstance(v, Var)])
            raise self.unsupported(
                f"recursion in `{name}`",
                f"it is more than {MAX_DEPTH} calls deep, or its depth is known at run time only",
                "use a loop, or make the depth a constant",
            )
        span = self.builder.span
        bound = self.bind_arguments(node.args, defaults, args, kwargs, name)
        outer, self.frame = self.frame, frame
        frame.caller = outer
        try:
            for parameter, value in bound.items():
                self.state.set_name(frame, parameter, value)
            if type(node).__name__ == "Lambda":
                return self.eval(node.body)
            self.exec_block(node.body)
            self.fall_off()
            if self.state.dead:
                raise Raised
            value = self.state.get_name(frame, "$value")
            return Lit(None) if value is None else value
        finally:
            self.frame = outer
            self.builder.span = span

    def fall_off(self) -> None:
        """Return None where a function's end is reached without a return."""
        alive = self.alive() if self.inputs is not None else True  # rules return on every path
        if isinstance(alive, Var) and not self.state.dead:
            self.branch(alive, lambda: self.exec_Return(None, []), lambda: None, None)

    def bind_arguments(
        self, spec: Any, defaults: dict[str, Any], args: list[Any], kwargs: dict[str, Any], name: str
    ) -> dict[str, Any]:
        """Python's rules for positional, keyword, default and variadic parameters."""
        positional = [a.id for a in [*spec.posonlyargs, *spec.args]]
        keyword_only = [a.id for a in spec.kwonlyargs]
        bound: dict[str, Any] = dict(zip(positional, args, strict=False))
        if len(args) > len(positional):
            if spec.vararg is None:
                raise self.unsupported(
                    f"the call of `{name}`",
                    f"it takes {len(positional)} positional arguments, {len(args)} given",
                    "check the call",
                )
            bound[spec.vararg.id] = Tup(tuple(args[len(positional) :]))
        elif spec.vararg is not None:
            bound[spec.vararg.id] = Tup(())
        extra: dict[str, Any] = {}
        for key, value in kwargs.items():
            if key in bound or key not in [*positional, *keyword_only]:
                if spec.kwarg is None or key in bound:
                    raise self.unsupported(
                        f"the call of `{name}`", f"argument `{key}` does not fit", "check the call"
                    )
                extra[key] = value
            else:
                bound[key] = value
        if spec.kwarg is not None:
            bound[spec.kwarg.id] = Dct(extra)
        for parameter in [*positional, *keyword_only]:
            if parameter not in bound:
                if parameter not in defaults:
                    raise self.unsupported(
                        f"the call of `{name}`", f"argument `{parameter}` is missing", "check the call"
                    )
                bound[parameter] = defaults[parameter]
        return bound

    def closure_defaults(self, spec: Any) -> dict[str, Any]:
        names = [a.id for a in [*spec.posonlyargs, *spec.args]]
        found = dict(
            zip(names[len(names) - len(spec.defaults) :], map(self.eval, spec.defaults), strict=True)
        )
        for parameter, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
            if default is not None:
                found[parameter.id] = self.eval(default)
        return found

    def function_defaults(self, fn: types.FunctionType) -> dict[str, Any]:
        names = fn.__code__.co_varnames[: fn.__code__.co_argcount]
        values = fn.__defaults__ or ()
        found = dict(zip(names[len(names) - len(values) :], values, strict=True))
        found.update(fn.__kwdefaults__ or {})
        return {name: self.default(fn, name, value) for name, value in found.items()}

    def default(self, fn: types.FunctionType, name: str, value: Any) -> Any:
        return self.outside_constant(value, Path.of_default(fn, name))

    def cells_of(self, fn: types.FunctionType) -> dict[str, Any]:
        return dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
