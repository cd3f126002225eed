"""What does every part of the front end stand on? The store, the builder, and the way between them."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import AdError, UnsupportedError
from ..ir.builtin import tuple_get
from ..ir.ops import UNKNOWN, Arg, Block, Lit, Seq, Slice, Var, variables
from ..ir.types import (
    STANDING,
    Array,
    DictOf,
    Dim,
    ListOf,
    Optional,
    TupleOf,
    has_references,
    is_none,
    kind_of,
)
from . import doors
from .builder import Builder, as_arg
from .constructs.certain_exceptions import raised_for_certain, raising
from .spelling import ITERATED, STRUCTURAL, describe, is_free, name_of, parameter_names, with_article
from .types.dummies import InferenceError
from .types.several import of_several, open_variables
from .values import (
    Arr,
    Callee,
    Choice,
    Dct,
    Flat,
    Frame,
    Heap,
    Iterable,
    Lost,
    Lst,
    Maybe,
    Range,
    State,
    Tup,
    Unbound,
    Value,
    View,
    is_outside,
)

if TYPE_CHECKING:
    from .callables.call_sites import CallSites
    from .callables.recursion import Bounds
    from .guards import Path
    from .inputs import Inputs
    from .loops.passes import Passes
    from .store.elements import Location, Place
    from .store.heaps import Region


class TensorOutside(UnsupportedError):
    """A tensor that is none of the arguments is read: compiled code would lose its history."""


class Context:
    """What the reading of a program stands on: its store, its block, its frame, what comes from outside."""

    def __init__(
        self, builder: Builder, inputs: Inputs | None = None, sites: CallSites | None = None
    ) -> None:
        self.builder = builder
        self.inputs = inputs
        self.sites = sites
        self.root: Any = None
        self.state = State()
        self.state.refuse = self.lost
        self.state.again = functools.partial(doors.read_inner, self)
        self.frame: Frame = Frame(None, {})
        self.iterated: list[Any] = []  # what the loops under way run over
        self.fixed: list[set[Lst]] = []  # those of the lists whose items were taken when the loop began
        self.short: list[Passes] = []  # the loops under way that are short enough to be written out
        self.active: dict[int, list[Block]] = {}  # of functions that are being read: where each call stands
        self.conditions: list[tuple[Block, Value]] = []  # of branches that are being read: where each stands
        self.bounds: Bounds | None = None  # of functions that call themselves
        self.bodies: Counter[int] = Counter()  # how often one of these was read
        self.errstate, self.filters = dict[str, str](), list[Any]()  # filters: of warnings, in each block
        # While templates are made: the roots with another reference, the time at which the loop began, and
        # which array stands after the loop for one that its last pass made.
        self.shared: Collection[Any] = frozenset()
        self.lasting: Collection[Any] = frozenset()
        self.held: Collection[Any] = frozenset()  # as ``shared``, with names that no pass reads
        self.twice: Collection[Any] = frozenset()  # the containers with another reference
        self.apart, self.looked = False, list[Any]()  # whether it lies in one; whose items are looked at
        self.unrolled = self.outer_iterated = self.since = self.branch_start = 0
        self.holders: dict[Any, Any] = {}
        self.unbound_reads: set[tuple[Any, Any]] = set()  # names of frames, read where they are unbound
        self.tried: list[tuple[str, int, int]] = []
        self.catching: list[Any] = []  # the `try` statements under way, and None for what may swallow
        self.kinds, self.tied = list[type](), dict[Any, Any]()  # of exceptions; booleans by a condition
        self.splitting: Any = None  # the simple statement within `try` that is being read
        self.suspended: dict[Frame, Callable[[Value], None]] = {}  # run where a generator yields
        self.asked_apart: list[int] = []  # the variables for each of whose types something is being read
        self.own_dims: set[Dim] = set()
        self.flag_cond: Var | None = None
        self.heaps: dict[Any, Heap] = {}
        self.places: list[Place] = []  # what references can refer to, by their numbers
        self.located: dict[Arr, Location] = {}  # arrays that are one of several, by a reference
        self.regions: list[Region] = []  # the branches and loops under way
        self.partial: set[Any] = set()  # arrays that are there on some path only
        self.moved: list[tuple[Any, Any]] = []  # what lies in a heap by now, and what it held first
        self.residuals = "cheap"  # what loops of derivatives that are called in the program save
        self.own_rules, self.has_own_rules = 0, False  # functions with own rules, and rules, being read
        self.jitted, self.rounds = 0, False  # functions of Numba's being read; if one was, or a derivative
        self.cached: list[Path] | None = None  # what a function reads whose results a cache outside holds
        self.asked: Frame | None = None  # whose code called the library's function that is being read

    # ----- from abstract values to IR arguments and back
    def arg(self, value: object) -> Arg:
        """The IR argument that holds an abstract value."""
        if isinstance(value, (Var, Lit, Seq, Slice)):
            return value
        if isinstance(value, Arr):
            return self.read(value)
        if isinstance(value, Tup):
            return Seq(tuple(map(self.arg, value.items)), tuple)
        if isinstance(value, Lst):
            content = self.state.get(value)
            if isinstance(content, Var):
                return doors.values_of(self, content) if has_references(content.type) else content
            return Seq(tuple(map(self.arg, content)), list)
        if isinstance(value, slice):
            return Slice(self.arg(value.start), self.arg(value.stop), self.arg(value.step))
        if isinstance(value, (Range, Iterable)):
            return Seq(tuple(map(self.arg, doors.items_of(self, value))), list)
        if isinstance(value, Flat):
            return doors.read_flat(self, value)
        if isinstance(value, (Unbound, Maybe, Lost)):  # an element; names are checked where they are read
            raise self.unsupported(
                "a part of a structure that has no value on some path",
                "what Python raises there is not followed",
                "give it a value on every path",
            )
        live = getattr(value, "python_value", None)
        if live is not None:
            return Lit(live())
        raise self.no_operand(value)

    def no_operand(self, value: object) -> AdError:
        """The error for what operations and arrays are not made of."""
        what = f"{with_article(describe(value))} as an operand"
        return self.unsupported(what, "it has no run-time form in compiled code", "pass its parts")

    def parts(self, value: Value) -> tuple[Value, ...]:
        """The items of a tuple."""
        assert isinstance(value, Tup), f"{value} is no tuple"
        return value.items

    @property
    def by_reference(self) -> bool:
        """Whether names that hold one of several arrays carry references."""
        return self.inputs is not None and self.inputs.references

    @property
    def handles(self) -> bool:
        """Whether lists, and names that loops carry, hold references to arrays."""
        return self.inputs is not None and self.inputs.handles

    def outside(self) -> Inputs:
        """Where values from outside come from; what is read of itself, without inputs, has none."""
        assert self.inputs is not None
        return self.inputs

    def variable(self, value: object) -> Var:
        """The IR variable that holds a value known at run time only."""
        arg = self.arg(value)
        assert isinstance(arg, Var), f"{arg} is static"
        return arg

    def wrap(self, result: object) -> Any:
        """The abstract value of what ``builder.op`` returned."""
        if isinstance(result, Var):
            return self.wrap_var(result)
        if isinstance(result, tuple):
            return Tup(tuple(map(self.wrap, result)), type(result) if hasattr(result, "_fields") else None)
        if isinstance(result, list):
            return Lst(tuple(map(self.wrap, result)))
        return result

    def wrap_var(self, var: Var) -> Any:
        if is_none(var.type):
            return Lit(None)
        kind = var.type.value if isinstance(var.type, Optional) else var.type
        if isinstance(kind, Array):
            return Arr(var)
        if isinstance(var.type, (ListOf, DictOf)):
            return Lst(var) if isinstance(var.type, ListOf) else Dct(var)
        if isinstance(var.type, STANDING):
            return doors.referred_to(self, var)
        if isinstance(var.type, TupleOf):
            items = [self.builder.opaque(tuple_get, (var, Lit(i)), t) for i, t in enumerate(var.type.items)]
            return Tup(tuple(map(self.wrap_var, items)))
        return var

    def emit(self, fn: Callee, *args: Value, **kwargs: Value) -> Any:
        """Append an operation on abstract values; its result, wrapped. Inference errors name the line."""
        if self.splitting is not None and not kwargs:
            doors.before_operation(self, fn, args)
        arguments = [self.arg(a) for a in args]
        keywords = {k: self.arg(v) for k, v in kwargs.items()}
        self.settle_structure(fn, arguments, keywords)
        try:
            result = self.wrap(self.builder.op(fn, *arguments, **keywords))
        except InferenceError as problem:
            given = [*arguments, *keywords.values()]
            if self.inputs is not None and not open_variables(*given):  # perhaps it works for these shapes
                self.inputs.demand_shapes(list(variables(*given)))
            raised = raised_for_certain(fn, arguments, keywords, problem)
            error = self.unsupported(
                f"`{name_of(fn)}` with these arguments",
                str(problem),
                "check the call on the plain function; if it works there, rewrite this line",
                exception=raised,
            )
            if raised is not None:
                error.call = raising(fn, arguments, keywords, self.builder)  # type: ignore[attr-defined]
            raise (of_several(error, *given) if raised is None else error) from None
        for made in [result] if isinstance(result, Arr) else doors.arrays_made(self, fn, result):
            made.orders = doors.orders_made(self, fn, args, kwargs, made)
        return result

    def settle_structure(self, fn: Callee, args: list[Arg], kwargs: dict[str, Arg]) -> None:
        """Arguments on which the rank of the result depends (an axis) have to be static."""
        named = [*zip(parameter_names(fn), args, strict=False), *kwargs.items()]
        for position, (name, arg) in enumerate(named):
            if (name in STRUCTURAL or name == "n" and fn in ITERATED) and any(
                v.known is UNKNOWN for v in variables(arg)
            ):
                try:
                    value = self.demand(doors.from_arg(self, arg), f"`{name}` of {name_of(fn)}")
                except AdError:
                    if is_free(fn, name, isinstance(arg, Seq)):
                        continue
                    raise
                if position < len(args):
                    args[position] = as_arg(value)
                else:
                    kwargs[name] = as_arg(value)

    # ----- the store
    def read(self, arr: Arr) -> Var:
        """The array's value now; a view is taken anew where its parent was written since."""
        if any(self.state.get(source) is not content for source, content in arr.sources):
            raise self.aliased(
                "a read of an array that may be one of several, of which one was written since",
                "the compiler can't tell whether the write changed it",
            )
        if arr.view is None:
            content = self.state.get(arr)
            if isinstance(arr, Heap) and content == ():
                return doors.dynamic_list(self, (), arr.element)
            return self.builder.narrowed.get(content.id, content) if self.builder.narrowed else content
        if isinstance(arr.view.parent, Choice):
            content = doors.read_choice(self, arr, arr.view.parent)
            return self.builder.narrowed.get(content.id, content)
        if not isinstance(arr.view.parent, Arr):
            return doors.read_element(self, arr)
        parent = self.read(arr.view.parent)
        cached = self.state.contents.get(arr)
        narrowed = self.builder.narrowed  # of the base, only its rank may be known better
        better = arr.view.get is None and cached is not None and narrowed.get(cached[0].id) is parent
        if cached is not None and (better or cached[0] is parent):
            return narrowed.get(cached[1].id, cached[1])
        if arr.view.get is None:
            self.demand_layout(arr.view)
            raise self.unsupported(
                "a view read after its base was written",
                "whether NumPy returned a view or a copy here depends on the memory layout",
                "take an explicit .copy() before the write",
            )
        var = arr.view.get(parent)
        self.state.set(arr, (parent, var))
        return var

    def demand_orders(self) -> None:
        """Before a refusal of what depends on how arrays lie in memory: perhaps the arguments tell."""
        if self.inputs is not None:
            self.inputs.demand_orders()

    def demand_layout(self, view: View) -> None:
        """Before a refusal of what may be a view or a copy."""
        self.demand_orders()
        if self.inputs is not None and view.by_lengths:
            self.inputs.demand_shapes([self.read(view.parent)])

    def write(self, arr: Arr, var: Var) -> None:
        """The array holds ``var`` from now on, and so do the arrays of which it is a view."""
        if isinstance(arr, Heap):
            self.state.set(arr, var)
            return
        if arr.foreign and is_outside(arr):
            self.outside().hold_arrays()
        elif arr.foreign:
            raise self.aliased(
                "a write to " + arr.foreign, "the compiler can't tell what else the write changes"
            )
        content = self.state.get(arr) if arr.view is None else self.read(arr)
        self.require_kind(self.builder.narrowed.get(content.id, content))
        if arr.argument is not None and self.inputs is not None:
            self.inputs.written.add(arr.argument)
        if arr.view is None:
            if doors.pools_with(self, arr, self.state):
                raise self.element(
                    "a write to an array that is also an element of a list",
                    "that list's length is known at run time only, and its elements can't be followed",
                    "put a copy into the list: `list.append(a.copy())`",
                )
            self.state.set(arr, var)
            return
        if isinstance(arr.view.parent, Choice):
            doors.write_choice(self, arr.view.parent, var)
            return
        if not isinstance(arr.view.parent, Arr):
            doors.write_element(self, arr, arr.view.parent, var)
            return
        if arr.view.put is None:
            self.demand_layout(arr.view)
            raise self.unsupported(
                "a write through what may be a view or a copy",
                "NumPy decides by the memory layout",
                "index the base array instead",
            )
        parent = arr.view.parent
        after = arr.view.put(self.read(parent), var)
        self.write(parent, after)
        self.state.set(arr, (after, var))

    def require_kind(self, var: Var) -> None:
        """What is written to converts the same way on every path: integers cut off fractions."""
        type = var.type
        dtypes = [t for t in type.among if isinstance(t, np.dtype)] if isinstance(type, Array) else []
        if len({dtype.kind for dtype in dtypes}) > 1:
            error = self.unsupported(
                f"a write to an array of {' or '.join(sorted(map(str, dtypes)))}",
                "which it is depends on the path taken",
                "give the array one dtype on every path",
            )
            raise of_several(error, var)

    def heap(self, arr: Arr) -> Heap:
        assert isinstance(arr, Heap)
        return arr

    # ----- errors
    def lost(self, state: Lost) -> AdError:
        """The error for a read of something of which the compiler can't tell what it holds."""
        what = state.name if " " in state.name else f"`{state.name}`"
        return self.aliased(f"a read of {what}", state.why, state.fix)

    def write_outside(self, path: Path) -> AdError:
        """The error for a write to a list or dict that outlives the call, where it can't be followed."""
        return self.unsupported(
            f"a write to `{path}`",
            "the object outlives the call",
            "return the value instead, or create the object inside the function",
        )

    def aliased(self, construct: str, why: str, fix: str = "copy the array first: `a = a.copy()`") -> AdError:
        """The error for what references could tell, or the orders of arrays in memory."""
        error = self.unsupported(construct, why, fix)
        error.aliased = True  # type: ignore[attr-defined]
        error.orders = frozenset() if self.inputs is None else self.inputs.unknown_orders()  # type: ignore[attr-defined]
        return error

    def element(self, construct: str, why: str, fix: str) -> AdError:
        """The error for what references to elements could tell, unless the program is read with them."""
        error = self.aliased(construct, why, fix)
        error.elements = True  # type: ignore[attr-defined]
        return error

    def unsupported(
        self,
        construct: str,
        why: str,
        fix: str,
        raises: type[Exception] | None = None,
        exception: Exception | None = None,
    ) -> AdError:
        """An error at the current line.

        ``raises``: the class of what the plain program raises there for certain; ``exception``: the very one.
        The error's ``call``: what raises it.
        """
        raises = raises if exception is None else type(exception)
        error = UnsupportedError(construct, self.builder.span, why, fix)
        if raises is not None:
            error.raises = raises  # type: ignore[attr-defined]
            error.exception = exception  # type: ignore[attr-defined]
            error.block, error.state = self.builder.block, self.state  # type: ignore[attr-defined]
        return error

    def is_static(self, value: object) -> bool:
        """Whether the value's Python form is known completely."""
        return self.static_value(value) is not NOT_STATIC

    def static_value(self, value: object, demanded: bool = False) -> Any:
        """The Python object that an abstract value is, or NOT_STATIC.

        ``demanded``: also a float among the arguments: what is computed from it has a derivative.
        """
        if isinstance(value, Lit):
            return value.value
        if isinstance(value, Var):
            known = value.known is not UNKNOWN and (
                demanded or kind_of(value.type) not in ("float", "complex")
            )
            return value.known if known else NOT_STATIC
        if isinstance(value, Tup):
            items = [self.static_value(v, demanded) for v in value.items]
            if any(i is NOT_STATIC for i in items):
                return NOT_STATIC
            return tuple(items) if value.cls is None else value.cls(*items)
        if isinstance(value, Lst) and isinstance(self.state.get(value), tuple):
            items = [self.static_value(v, demanded) for v in self.state.get(value)]
            return NOT_STATIC if any(i is NOT_STATIC for i in items) else items
        if isinstance(value, (Range, slice)):
            parts = [self.static_value(v) for v in (value.start, value.stop, value.step)]
            made: Any = range if isinstance(value, Range) else slice
            return NOT_STATIC if any(p is NOT_STATIC for p in parts) else made(*parts)
        return NOT_STATIC

    def demand(self, value: Value, what: str) -> Any:
        """The static form of a value; if an argument stands behind it, ask for a build with that constant."""
        found = self.static_value(value, demanded=True)
        if found is not NOT_STATIC:
            return found
        if self.inputs is not None:
            self.inputs.demand(list(variables(self.arg(value))))
        error = self.unsupported(
            what + " that is known at run time only",
            "the structure of the program depends on it",
            "make it a constant or an argument",
        )
        error.items_asked = isinstance(value, Lst)
        raise error


NOT_STATIC: Any = type("NotStatic", (), {"__repr__": lambda self: "NOT_STATIC"})()
