"""What does a derivative mean inside of a function that is being compiled?

``grad(f)(x)`` there is read as code: ``f`` becomes a block of its own with fresh variables for what is
differentiated, the block is made into its adjoint, and that is appended to the program. Nothing in it is
special to the outer derivative, and so derivatives nest to any depth.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from ..compiler.frontend.callables.calls import call
from ..compiler.frontend.constructs.boundness import Raised
from ..compiler.frontend.context import Context
from ..compiler.frontend.conversion import from_arg
from ..compiler.frontend.guards import Path
from ..compiler.frontend.loops.slots import is_unchanged
from ..compiler.frontend.outside_values import outside_value
from ..compiler.frontend.structures import positions, rebuilt, structure_of
from ..compiler.frontend.values import Arr, Bound, Closure, Dct, Frame, Heap, Tup, now
from ..compiler.ir.builtin import assign
from ..compiler.ir.ops import Arg, Block, Function, Lit, Op, Seq, Var
from ..compiler.ir.types import Array, DictOf, ListOf, Scalar, carries_derivative, has_references
from ..compiler.simplify.renaming import Renaming, copy_block, free
from ..errors import ELSEWHERE, TWICE, InputTypeError, InputValueError
from .arguments import require_once
from .inside_later import (
    NestedPullback,
    NestedPushforward,
    alongside,
    leaves_of,
    mapped,
    require_tangents,
    structured,
    type_of_leaf,
)
from .inside_stores import Carried, is_outside
from .pipeline import halved, settled
from .questions import Question
from .request import no_floats


class Nested:
    """What is asked of an abstract function."""

    def __init__(
        self,
        question: Question,
        function: Any,
        names: Sequence[str],
        argnums: Any = None,
        wrt: Any = None,
        every: bool = False,
    ) -> None:
        self.question, self.function, self.names = question, function, list(names)
        self.every = every  # all floats among the arguments are differentiated, and their cotangents a tuple
        asked: Any = argnums
        if wrt is not None:
            found = [self.position(name) for name in ((wrt,) if isinstance(wrt, str) else wrt)]
            asked = found[0] if isinstance(wrt, str) else found
        self.argnums: Any = question.argnums if asked is None else asked

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Nested) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> Any:
        chosen = (
            self.argnums if self.argnums is None or isinstance(self.argnums, int) else tuple(self.argnums)
        )
        inner = getattr(self.function, "value", self.function)
        if isinstance(inner, Nested):
            return self.question, self.every, chosen, inner._identity()
        of = (id(inner.node), id(inner.frame)) if isinstance(inner, Closure) else id(inner)
        return self.question, self.every, chosen, of

    def position(self, name: str) -> int:
        if name not in self.names:
            raise InputValueError(
                f"wrt={name!r}",
                why="the function has no such parameter",
                fix="use one of " + ", ".join(self.names),
            )
        return self.names.index(name)

    def __ast_ad_lower__(self, cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """The abstract result of calling the derivative."""
        region = Region(cx, self, *positional(self.names, args, kwargs))
        if region.dead:
            region.give_up()
        return self.question.inside(region)


def positional(
    names: Sequence[str], args: list[Any], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call: those by name that may go by position behind the others do."""
    args = list(args)
    while kwargs and len(args) < len(names) and names[len(args)] in kwargs:
        name = names[len(args)]
        args.append(kwargs[name])
        kwargs = {k: v for k, v in kwargs.items() if k != name}
    return args, kwargs


class Region:
    """One derivative at one place in the program."""

    def __init__(self, cx: Context, asked: Nested, args: list[Any], kwargs: dict[str, Any]) -> None:
        self.cx, self.asked, self.args = cx, asked, args
        self.born, cx.rounds = now(), True  # a derivative by itself may be another program
        self.single = isinstance(asked.argnums, int)
        self.chosen = self.positions()
        self.outer: list[Arg] = []
        self.leaves: list[Var] = []
        self.copies: list[tuple[Arr, Arr]] = []
        # The lists, dicts and objects that the function gets, each with what it is a copy of.
        self.containers: list[tuple[Any, Any]] = []
        given = [self.argument(arg, i in self.chosen, self.label(i)) for i, arg in enumerate(args)]
        keywords = {name: self.argument(value, False, name) for name, value in kwargs.items()}
        self.run(given, keywords)

    def label(self, i: int) -> str:
        return self.asked.names[i] if i < len(self.asked.names) else f"arg{i}"

    def positions(self) -> tuple[int, ...]:
        argnums = self.asked.argnums
        if self.asked.every:
            return tuple(range(len(self.args)))
        if argnums is None:
            asks = self.asked.question
            return tuple(i for i, arg in enumerate(self.args) if asks.differentiates(self.floats(arg)))
        chosen = (argnums,) if self.single else tuple(argnums)
        for i in chosen:
            if not -len(self.args) <= i < len(self.args):
                raise InputValueError(
                    f"argnums={i}",
                    self.cx.builder.span,
                    f"the call has {len(self.args)} positional arguments",
                    "choose one of them",
                )
        found = tuple(i % len(self.args) for i in chosen)
        require_once(found, chosen, "argnums", self.cx.builder.span)
        return found

    def floats(self, value: Any) -> list[bool]:
        """Which of its leaves carry a derivative."""
        found: list[bool] = []
        self.mapped(value, lambda leaf: found.append(carries_derivative(type_of_leaf(self.cx.arg(leaf)))))
        return found

    # ----- arguments: a copy of each, so that no write of the function reaches the caller's
    def argument(self, value: Any, differentiated: bool, label: str) -> Any:
        before = len(self.leaves)
        mixed = differentiated and any(self.floats(value))
        found = mapped(
            self.cx, value, lambda leaf: self.leaf(leaf, differentiated, label, mixed), self.containers
        )
        if differentiated and len(self.leaves) == before and not self.asked.every:
            raise InputTypeError(
                f"a gradient with respect to `{label}`",
                self.cx.builder.span,
                "it holds no numbers",
                "pass floats or an array of floats",
            )
        return found

    def leaf(self, value: Any, differentiated: bool, label: str, mixed: bool) -> Any:
        """``mixed``: an integer is left alone, as there are floats beside it."""
        if isinstance(value, Dct):
            raise self.cx.unsupported(
                "a dict whose keys are known at run time only, as an argument of a nested derivative",
                "its cotangent has no keys for what is not reached",
                "pass its values as an array or a list",
            )
        outer = self.cx.arg(value)
        if self.asked.every or mixed:
            differentiated = differentiated and carries_derivative(type_of_leaf(outer))
        var = self.variable(outer, label) if differentiated else outer
        copied = self.cx.wrap_var(var) if isinstance(var, Var) else var
        if isinstance(value, Arr):
            assert isinstance(copied, Arr)
            self.copies.append((copied, value))
        return copied

    def variable(self, outer: Arg, label: str) -> Var:
        """A fresh Var for a leaf to differentiate with respect to."""
        found = type_of_leaf(outer)
        if not carries_derivative(found):
            raise InputTypeError(
                f"a gradient with respect to `{label}`, which is of type {found}",
                self.cx.builder.span,
                "grad requires real- or complex-valued inputs, whose dtype is a sub-dtype of np.inexact",
                "pass floats, or choose other argnums",
            )
        var = Var(found, outer.hint if isinstance(outer, Var) and outer.hint else label)
        self.outer.append(outer)
        self.leaves.append(var)
        if self.cx.inputs is not None:
            self.cx.inputs.producers[var.id] = Op(assign, (outer,), (var,))
        return var

    def mapped(self, value: Any, change: Callable[[Any], Any]) -> Any:
        """A new value of the same structure, each number, array and run-time list in it changed."""
        return mapped(self.cx, value, change)

    # ----- the function, as a block of its own
    def run(self, args: list[Any], kwargs: dict[str, Any]) -> None:
        cx = self.cx
        before = cx.state
        cx.state = before.fork()
        block, results = Block(), list[Any]()
        try:
            with cx.builder.nested(block):
                try:
                    value = call(cx, self.asked.function, args, kwargs)
                    self.dead = cx.state.dead
                except Raised:
                    value, self.dead = None, True
                self.structure = None if self.dead else structure_of(cx, value, results)
                self.values = len(results)
                self.carried = None if self.dead else Carried(cx, before, self.born, results)
            self.refuse_outer_writes(before, cx.state)
            self.refuse_overlaps(cx.state)
            self.refuse_other_names(cx.state)
        finally:
            cx.state = before
        block.results = tuple(results)
        self.block: Block = block
        self.count = len(results)

    def refuse_outer_writes(self, before: Any, after: Any) -> None:
        """A write to something older than the call would happen once per pass, or never."""
        for key, content in after.contents.items():
            if is_outside(key) or isinstance(key, Arr) and key.view is not None or key.serial >= self.born:
                continue
            old = before.contents.get(key, key.initial)
            if isinstance(key, Heap) and old == ():  # what it holds since then is gone with the function
                continue
            if is_unchanged(_seen_within(key, old), _seen_within(key, content)):
                continue
            what = "a local variable" if isinstance(key, Frame) else "an object"
            raise self.cx.unsupported(
                f"a write to {what} outside of the differentiated function",
                "it is older than the call of the derivative",
                "return the value instead (has_aux=True)",
            )

    def refuse_overlaps(self, state: Any) -> None:
        """Two arguments that share memory are one array to a function that writes."""
        for copied, original in self.copies:
            if state.get(copied) is copied.initial:
                continue
            whole = _root(original)
            if isinstance(whole, Arr) and whole.argument is not None and self.cx.inputs is not None:
                self.cx.inputs.written.add(whole.argument)  # another argument may share its memory
            if sum(_root(other) is _root(original) for _, other in self.copies) > 1:
                raise self.cx.unsupported(
                    "two arguments that share memory, one of which the function writes to",
                    "the write would change the other one too",
                    "pass a copy of one of them",
                )

    def refuse_other_names(self, state: Any) -> None:
        """A list, dict or object that the function changes is one under all its names; here it is a copy."""
        inputs = self.cx.inputs
        for copied, original in self.containers:
            if state.get(copied) is copied.initial:
                continue
            if inputs is not None and not inputs.containers.isdisjoint((original, *original.alike)):
                inputs.changes = True
            if sum(other is original for _, other in self.containers) > 1:
                raise self.cx.unsupported(TWICE[0], *TWICE[2:])
            if original.serial < 0:  # it may be read by the name that it has outside
                raise self.cx.unsupported(ELSEWHERE[0], *ELSEWHERE[2:])

    # ----- its derivative, appended to the program
    def append(self, block: Block, names: Renaming) -> tuple[Arg, ...]:
        copied = copy_block(block, names)
        for op in copied.ops:
            self.cx.builder.append(op)
        return copied.results

    def joined(self, question: Question) -> tuple[Any, Any, Any]:
        """The value, aux and the derivative, as abstract values.

        What the function reads of the surroundings is a residual as well, where the answer is for later.
        """
        around = tuple(v for v in free(self.block) if v not in self.leaves) if question.later else ()
        primal = self.function(around)
        self.of = of = question.results(self.structure, primal)
        policy = "cheap" if self.cx.errstate else self.cx.residuals
        saving = question.saving(policy, self.leaves, [self.block.results[i] for i in of])
        joint = question.program(primal, tuple(range(len(self.leaves))), of, saving, True)
        results, derivative = self.halves(joint, primal) if question.later else self.whole(joint, question)
        self.stored(results)
        self.results = results
        value = rebuilt(self.cx, self.structure, results)
        return (*question.parts(value.items if question.has_aux else value), derivative)

    def whole(self, joint: Function, question: Question) -> tuple[Sequence[Arg], Any]:
        """The results, and cotangents in the structure of the arguments, or tangents in that of the value."""
        given = (*self.outer, *question.given(self))
        results = self.append(joint.body, dict(zip(joint.params, given, strict=True)))
        found = results[self.count :]
        return results, structured(self, found) if question.forward else self.gradients(found)

    def halves(self, joint: Function, primal: Function) -> tuple[Sequence[Arg], Any]:
        """The results, and the pullback, which holds what the forward half saves."""
        forward, backward = (half.function for half in halved(joint, primal, often=True))  # rows, perhaps
        around = primal.params[len(self.leaves) :]
        results = self.append(forward.body, dict(zip(forward.params, (*self.outer, *around), strict=True)))
        saved = results[-1]
        assert isinstance(saved, Seq)
        residuals = Tup(tuple(map(self.held, saved.items)))
        later = NestedPushforward if self.asked.question.forward else NestedPullback
        return results, Bound(Lit(later(self, backward)), (residuals,))

    def value(self) -> Any:
        """The abstract value that is differentiated, for its structure."""
        places = self.asked.question.parts(self.structure)[0]
        return rebuilt(self.cx, places, self.results)

    def places(self) -> list[int]:
        """The positions of the leaves of what is differentiated among the results."""
        return list(positions(self.asked.question.parts(self.structure)[0]))

    def varied(self, tangents: Sequence[Any]) -> list[Arg]:
        """The tangents of the leaves; None, or what belongs to an integer, is none."""
        names, cx = self.args if self.asked.argnums is None else self.chosen, self.cx
        if len(tangents) != len(names):
            raise InputValueError(
                f"{len(tangents)} tangents",
                cx.builder.span,
                f"there are {len(names)} arguments",
                "give one for each, None for what is not varied",
            )
        if self.asked.argnums is None:
            dropped = [i for i, t in enumerate(tangents) if i not in self.chosen and not _is_none(t)]
            if dropped:
                raise no_floats(self.label(dropped[0]), cx.builder.span)
        found: list[Arg] = []
        for i in sorted(self.chosen):  # as leaves are
            tangent = tangents[i if self.asked.argnums is None else self.chosen.index(i)]
            leaves = alongside(cx, self.args[i], tangent, "tangent") if not _is_none(tangent) else []
            if _is_none(tangent):
                leaves = [cx.builder.op(np.zeros_like, leaf) for leaf in leaves_of(cx, self.args[i])]
            pairs = zip(leaves, self.floats(self.args[i]), strict=True)
            found += [cx.arg(leaf) for leaf, varied in pairs if varied]
        require_tangents(cx, found, self.leaves)
        return found

    def together(self, *parts: Any) -> Any:
        """Several parts of an answer."""
        return Tup(parts)

    def stored(self, results: Sequence[Arg]) -> None:
        """What the function stores outside is stored by the program."""
        if self.carried is not None:
            self.carried.into(self.cx.state, results)

    def held(self, residual: Arg) -> Any:
        """A residual as an abstract value; a list of references is one of positions to the backward half."""
        type = residual.type if isinstance(residual, Var) else None
        plain = isinstance(type, (Scalar, Array, ListOf, DictOf)) and not has_references(type)
        return self.cx.wrap_var(self.cx.variable(residual)) if plain else residual

    def function(self, around: tuple[Var, ...]) -> Function:
        return settled(Function("inner", (*self.leaves, *around), self.block))

    def give_up(self) -> NoReturn:
        """The function raises whatever happens, and so does its derivative.

        Raises
        ------
        Raised
            behind what the function does before that.
        """
        self.append(self.block, dict(zip(self.leaves, self.outer, strict=True)))
        raise Raised

    def gradients(self, cotangents: Sequence[Arg]) -> Any:
        """Cotangents of the leaves in the structure of the arguments."""
        if self.asked.every:
            return Tup(tuple(from_arg(self.cx, part) for part in cotangents))
        left: Iterator[Arg] = iter(cotangents)

        def cotangent(leaf: Any) -> Any:
            carries = carries_derivative(type_of_leaf(self.cx.arg(leaf)))
            return from_arg(self.cx, next(left)) if carries else Lit(0)

        found = {i: self.mapped(self.args[i], cotangent) for i in sorted(self.chosen)}  # as leaves are
        return found[self.chosen[0]] if self.single else Tup(tuple(found[i] for i in self.chosen))


def _is_none(value: Any) -> bool:
    return isinstance(value, Lit) and value.value is None


def _seen_within(key: Any, content: Any) -> Any:
    """The content of a slot; of a frame without the names that no function within refers to: where paths and
    passes meet, these are made anew."""
    if (
        not isinstance(key, Frame)
        or key.enclosing is not None
        or key.comprehension
        or key.class_name is not None
    ):
        return content
    code = key.source.function.__code__
    alone = {*code.co_varnames} - {*code.co_cellvars}
    return {name: value for name, value in content.items() if name not in alone}


def _root(value: Any) -> Any:
    while isinstance(value, Arr) and value.view is not None:
        value = value.view.parent
    return value


def parameter_names(function: Any) -> list[str]:
    """The positional parameters of an abstract function, as far as they are known."""
    if isinstance(function, Closure):
        spec = function.node.args
        return [a.id for a in (*spec.posonlyargs, *spec.args)]
    if isinstance(function, Bound):
        return parameter_names(function.fn)[len(function.args) :]
    value: Any = getattr(function, "value", None)
    if isinstance(value, Nested):
        return value.names
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return []
    return [
        p.name for p in found.parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]


def outside(cx: Context, owner: Any, name: str) -> Any:
    """The abstract value of an attribute of an object that outlives the call."""
    path = Path.of_object(owner, getattr(owner, "__name__", "derivative")).attribute(name)
    return outside_value(cx, getattr(owner, name), path)
