"""How does code that Numba compiles call a derivative? As a function, compiled for the types that it passes.

Numba asks an object for its type: that of a derivative is the type of a compiled function. Which one, is
decided when a call is compiled; as with all that Numba's functions read from outside, globals have the values
that they have then.
"""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.np.numpy_support import as_dtype

from ..compiler.frontend.captures import Captures
from ..compiler.frontend.guards import Spot
from ..compiler.frontend.length_patterns import Known
from ..compiler.report import Report
from ..errors import AdError, UnsupportedError
from ..trees import LEAF, TreeDef
from .code import Pure
from .pipeline import answered, kernel_code
from .program import Program

FAILED = """\
what the gradient takes for granted does not hold: lengths that do not agree, an index out of bounds, a \
division of Python's numbers by zero, or an integer overflow; call it from Python for NumPy's own error"""
SHARED = "two arguments that share memory, one of which the function writes to; pass a copy of one of them"
ONE = """\
an array with a length of 1 in a gradient called from compiled code; it may broadcast: call it from Python"""


class Caller:
    """What Numba sees of a derivative: a dispatcher that compiles it for the types of a call's arguments."""

    is_compiling = False

    def __init__(self, derivative: Any) -> None:
        self.derivative = derivative
        self.signature = inspect.signature(derivative.function)
        self._made: dict[Any, Any] = {}  # by the types of what calls pass
        self._typed: dict[Any, Any] = {}  # by the types of all parameters

    def get_call_template(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Numba's protocol: the typing of a call."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypingError(f"{self.derivative.function.__name__}: {error}") from None
        unliteral: Any = types.unliteral
        given = {name: unliteral(kind) for name, kind in bound.arguments.items()}
        made = self._for(given)
        template, signature, args, kwargs = made.get_call_template(args, kwargs)
        self._typed[tuple(args)] = made
        return template, signature, args, kwargs

    def get_overload(self, args: tuple[Any, ...]) -> Any:
        """Numba's protocol: the compiled function for arguments of these types."""
        return self._typed[tuple(args)].get_overload(args)

    def _for(self, given: dict[str, Any]) -> Any:
        given = {n: kind for n, kind in given.items() if not isinstance(kind, types.Omitted)}
        key = tuple(given.items())
        if key not in self._made:
            try:
                self._made[key] = called(self.derivative, given)
            except AdError as error:
                raise TypingError(str(error)) from None
        return self._made[key]


def called(derivative: Any, given: dict[str, Any]) -> Any:
    """The derivative as a compiled function of all parameters, for arguments of Numba's types ``given``."""
    if derivative.question.later:
        raise UnsupportedError(
            f"`{derivative.question.name}` called from compiled code",
            why="it returns a function",
            fix="use value_and_grad",
        )
    parameters = inspect.signature(derivative.function).parameters
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters.values()):
        if hasattr(derivative, "operator"):
            raise UnsupportedError(
                f"`{derivative.operator}` called from compiled code",
                why="it takes what its function does by number, and Numba's calls bind parameters by name",
                fix="call it from Python, or write the loop in the compiled code",
            )
        raise UnsupportedError(
            "*args or **kwargs in a gradient called from compiled code",
            why="Numba's calls bind parameters by name",
            fix="name the parameters",
        )
    dummies = {name: dummy(kind, name) for name, kind in given.items()}
    args, kwargs = derivative.arguments.arrange((), dummies)
    program = answered(derivative, derivative._described(args, kwargs), "numba", Known.ONES)
    refuse_choices(program.primal)
    pure = Pure(program.joint, program.primal.written, program.fresh)
    # nothing answers a call in the place of kernels that stop: they assume the least
    run = kernel_code(pure, Report(), derivative.options.parallel, dropped=[None], whole=True).run
    source, space = caller_text(program, run, parameters)
    filename = (
        f"<{derivative.question.name} of {derivative.function.__name__} for compiled callers {id(space)}>"
    )
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    exec(compile(source, filename, "exec"), space)
    return numba.njit(error_model="numpy")(space["gradient"])


def refuse_choices(primal: Any) -> None:
    """Arguments and settings that decided what the program is can't vary with the call.

    A value that is read from outside is what it is now, as all that Numba's functions read from there.
    """
    for key in primal.constants:
        if len(key) == 2 and isinstance(key[1], Spot):
            continue
        name = primal.function.params[key[1]].hint if key[0] == "arg" else str(key[1])
        what = {"shape": "shape", "order": "order in memory"}.get(key[-1], "value")
        raise UnsupportedError(
            f"a gradient called from compiled code, which depends on the {what} of `{name}` as a whole",
            why=f"it is another program for each {what}",
            fix="make it a constant of the function",
        )
    if primal.stores:
        raise UnsupportedError(
            f"a store to `{primal.stores[0]}` in a gradient called from compiled code",
            why="it can't reach what outlives the call",
        )
    if primal.errstate or primal.tried:
        raise UnsupportedError(
            "np.errstate or `try` in a gradient called from compiled code", why="kernels don't heed it"
        )


# ----- the text -----------------------------------------------------------------------------------------
def caller_text(program: Program, run: Any, parameters: Any) -> tuple[str, dict[str, Any]]:
    """The source of a function that takes the derivative's arguments, and what its names mean."""
    captures = Captures()
    for path, _, _ in program.primal.inputs.captures:
        captures.add(path)
    outside = {f"outside_{i}": value for i, value in enumerate(captures.read())}
    space: dict[str, Any] = {"run": run, "own": own, "overlap": overlap, "is_one": is_one, **outside}
    signature = []
    for name, parameter in parameters.items():
        if parameter.default is not parameter.empty:
            space[f"default_{name}"] = parameter.default
            name = f"{name}=default_{name}"
        signature.append(name)
    trees = zip(program.names, program.trees, strict=True)
    leaves = [path for name, tree in trees for path in paths(tree, name)]
    params = program.primal.function.params
    arrays = [p for p, var in zip(leaves, params, strict=False) if is_array(var.type)]
    inputs = list(leaves)
    lines = [f"    if is_one({name}): raise ValueError({ONE!r})" for name in arrays]
    for position in sorted(program.primal.written):
        others = [name for name in arrays if name != leaves[position]]
        lines += [f"    if overlap({leaves[position]}, {o}): raise ValueError({SHARED!r})" for o in others]
        inputs[position] = f"own({leaves[position]})"
    text = [
        f"def gradient({', '.join(signature)}):",
        *lines,
        "    fits = True",
        "    try:",
        f"        results = {run_as_tuple(program, [*inputs, *outside])}",
        "    except Exception:",
        "        fits = False",
        "    if not fits:",
        f"        raise ValueError({FAILED!r})",
        f"    return {answer(program)}",
    ]
    return "\n".join(text) + "\n", space


def run_as_tuple(program: Program, given: list[str]) -> str:
    """The call of the kernels, as a tuple where they have one result only."""
    call = f"run({', '.join(given)})"
    return call if len(program.joint.body.results) > 1 else f"({call},)"


def answer(program: Program) -> str:
    """What the user gets, as an expression of the program's ``results``."""
    given = iter(range(program.count, program.count + len(program.wrt)))
    parts = [structured(program.trees[i], given) for i in program.chosen]
    gradients = parts[0] if program.owner.single else display(parts)
    value, aux = program.question.parts(program.primal.result)
    return text(
        program.question.answer(value, aux, gradients, lambda *parts: display(list(map(text, parts))))
    )


def text(part: Any) -> str:
    """A part of an answer: an expression, or the structure of what the function returned."""
    return part if isinstance(part, str) else value_text(part)


def structured(tree: TreeDef, given: Iterator[int]) -> str:
    if tree.type is LEAF:
        return f"results[{next(given)}]"
    return display([structured(child, given) for child in tree.children])


def value_text(structure: Any) -> str:
    if isinstance(structure, int):
        return f"results[{structure}]"
    if isinstance(structure, tuple) and not (structure and isinstance(structure[0], str)):
        return display([value_text(s) for s in structure])
    if isinstance(structure, tuple) and structure[0] == "static":
        if type(structure[1]) in (bool, str, type(None)):
            return repr(structure[1])
    raise UnsupportedError(
        "a result that is no number, array or tuple, in a gradient called from compiled code",
        why="compiled code has no such containers",
        fix="return a tuple",
    )


def display(items: list[str]) -> str:
    return f"({''.join(item + ', ' for item in items)})"


def paths(tree: TreeDef, name: str) -> Iterator[str]:
    """Expressions for the leaves of an argument."""
    if tree.type is LEAF:
        yield name
    for i, child in enumerate(tree.children):
        yield from paths(child, f"{name}[{i}]")


def is_array(type: Any) -> bool:
    return bool(getattr(type, "shape", ()))


# ----- stand-ins for values ------------------------------------------------------------------------------
def dummy(kind: Any, name: str) -> Any:
    """A value of one of Numba's types."""
    if kind in (types.float64, types.int64, types.complex128):
        return {types.float64: 1.5, types.int64: 1, types.complex128: 1.5j}[kind]
    if isinstance(kind, (types.Float, types.Integer, types.Complex)):
        return as_dtype(kind).type(1)
    if isinstance(kind, types.NoneType):
        return None
    if isinstance(kind, (types.UniTuple, types.Tuple)):
        return tuple(dummy(item, name) for item in kind)
    if isinstance(kind, types.Array) and isinstance(kind.dtype, (types.Number, types.Boolean)):
        return np.ones((11,) * kind.ndim, as_dtype(kind.dtype), order="F" if kind.layout == "F" else "C")
    raise UnsupportedError(
        f"`{name}` of Numba's type {kind}, in a gradient called from compiled code",
        why="it is no number, array of numbers, or tuple of them",
        fix="pass its parts, or make it a constant of the function",
    )


@numba.njit
def own(array: Any) -> Any:
    """A copy: the program writes to it."""
    return array.copy()


@numba.njit
def is_one(array: Any) -> bool:
    """Whether one of the lengths is 1."""
    for n in array.shape:
        if n == 1:
            return True
    return False


@numba.njit
def span(array: Any) -> tuple[int, int]:
    """The first address of an array, and the one behind its last."""
    low = high = array.ctypes.data
    for n, stride in zip(array.shape, array.strides):  # noqa: B905 - Numba has no `strict`
        if stride < 0:
            low += (n - 1) * stride
        else:
            high += (n - 1) * stride
    return low, high + array.itemsize


@numba.njit
def overlap(a: Any, b: Any) -> bool:
    """Whether two arrays may share memory."""
    if a.size == 0 or b.size == 0:
        return False
    one, two = span(a), span(b)
    return bool(one[0] < two[1] and two[0] < one[1])
