"""What is the least that a call has to do?

A call of plain numbers and arrays that is like the one before needs no search for a program: it is enough
that types and shapes are the same and that the guards hold. The tests, the reads from outside and the call of
the program are written as one function for each program, a method of the derivative. Whatever is not as
expected takes the long way.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from ..compiler.frontend.aspects import aspect_of
from ..compiler.frontend.guards import Argument, access, tests_of
from ..errors import UnsupportedError
from ..interrupts import let_through
from ..trees import LEAF
from .checks.failures import prints

MISS: Any = type("Miss", (), {"__repr__": lambda self: "MISS"})()
Fast = Callable[..., Any]


def long_way(derivative: Any, given: tuple[Any, ...], more: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Any call."""
    return derivative.any_call((*[a for a in given if a is not MISS], *more), named)


class FastCall:
    """The short way to one program

    ``run``: takes the derivative and a call's arguments, as a method; None where there is no short way.
    """

    def __init__(self, program: Any, args: Sequence[Any]) -> None:
        self.program = program
        self._shaped: list[str] = []
        self.space: dict[str, Any] = {}
        self.run: Fast | None = self._built(args) if _may_be_fast(program, args) else None

    def remember(self, args: Sequence[Any]) -> None:
        """Take the shapes of a call that the program fits as those to expect."""
        if self.run is None:
            return
        outside = self.program.fit.captures.read()
        for name, value in zip(self._names(len(args), len(outside)), (*args, *outside), strict=True):
            if name in self._shaped:
                self.space[f"s_{name}"] = value.shape

    def _names(self, args: int, outside: int) -> list[str]:
        return [f"a{i}" for i in range(args)] + [f"c{i}" for i in range(outside)]

    def _built(self, args: Sequence[Any]) -> Fast:
        program = self.program
        tests, self.space = tests_of(program.primal.inputs.guards)
        paths = program.fit.captures.paths
        names = self._names(len(args), len(paths))
        own, outside = names[: len(args)], names[len(args) :]
        reads = [access(path, path.steps, f"o{i}", self.space) for i, path in enumerate(paths)]
        kinds = [self._kind(n, v) for n, v in zip(names, (*args, *program.fit.captures.read()), strict=True)]
        for position, aspect, value in program.fit.constants:
            if aspect != "shape":  # which is tested anyway
                self.space[f"v{position}{aspect}"] = value
                tests.append(f"same_constant(aspect_of(a{position}, {aspect!r}), v{position}{aspect})")
        inputs = [*own, *outside[: program.fit.passed]]
        self.space |= {
            "__name__": __name__,  # a library's: walks through code end here
            "ndarray": np.ndarray,
            "aspect_of": aspect_of,
            "MISS": MISS,
            "failed": self._failed,
            "long_way": long_way,
        }
        long = f"return long_way(derivative, ({''.join(name + ', ' for name in own)}), more, named)"
        lines = [
            f"def fast(derivative, {''.join(f'{name}=MISS, ' for name in own)}/, *more, **named):",
            f"    if not ({' and '.join([*kinds[: len(own)], 'not more', 'not named'])}):",
            f"        {long}",
            "    try:",
            *(f"        {name} = {text}" for name, text in zip(outside, reads, strict=True)),
            f"        fits = {' and '.join([*kinds[len(own) :], *tests]) or 'True'}",
            "    except (AttributeError, LookupError, TypeError, ValueError):",
            "        fits = False",
            "    if not fits:",
            f"        {long}",
            "    try:",
            *("        " + line for line in self._body(inputs, args)),
            "    except Exception as error:",
            f"        results = failed([{', '.join(inputs)}], error)",
            "    if results is MISS:",
            f"        {long}",
            "    return results",
        ]
        exec("\n".join(lines), self.space)
        return self.space["fast"]  # type: ignore[no-any-return]

    def _body(self, inputs: list[str], args: Sequence[Any]) -> list[str]:
        """Run the program, and return what the user gets."""
        program = self.program
        if program.code.backend == "numba":
            values = [*args, *program.fit.captures.read()[: program.fit.passed]]
            floats = [program.count + i for i, kind in enumerate(program.python) if kind is float]
            found = inlined(program.run, program.text, inputs, values, floats, self._shaped)
            if found is not None and not found.space.keys() & self.space.keys():
                self.space |= found.space
                return [*found.lines, f"return {self._answer(found.results, found.floats)}"]
        self.space["run"] = program.run
        results = [f"y{i}" for i in range(program.count + len(program.wrt))]
        targets = f"{', '.join(results)}," if len(results) > 1 else results[0]  # code returns one as it is
        return [f"{targets} = run({', '.join(inputs)})", f"return {self._answer(results)}"]

    def _kind(self, name: str, value: Any) -> str:
        """The test that a value is of the kind of this one."""
        self.space[f"t_{name}"] = type(value)
        if type(value) is not np.ndarray:
            return f"type({name}) is t_{name}"
        self._shaped.append(name)
        self.space |= {f"d_{name}": value.dtype, f"s_{name}": value.shape}
        shape = (
            f"({_shape(name)} := {name}.shape)"  # for the driver: by another call what is expected may change
        )
        return f"type({name}) is ndarray and {name}.dtype is d_{name} and {shape} == s_{name}"

    def _answer(self, results: Sequence[str], floats: Collection[str] = ()) -> str:
        """What the user gets, as an expression of the results; ``floats``: which are Python's."""
        program = self.program
        if not isinstance(program.primal.result, int):
            self.space["answer"] = self._slow_answer
            return f"answer([{', '.join(results)}])"
        bars = [
            g if k is float and g in floats else _converted(g, k)
            for g, k in zip(results[program.count :], program.python, strict=True)
        ]
        several = f"({', '.join(bars)},)" if bars else "()"
        gradient = f"({bars[0]})" if program.owner.single else several
        value = results[program.primal.result]
        return str(program.question.answer(value, None, gradient, lambda *parts: ", ".join(parts)))

    def _slow_answer(self, results: Any) -> Any:
        return self.program.answer(results, ())

    def _failed(self, inputs: list[Any], error: Exception) -> Any:
        """What an error in the program comes to: NumPy's results, where kernels failed."""
        program = self.program
        before = program.run
        try:
            results = program.failed(inputs, error)
        except UnsupportedError:
            return MISS
        except Exception as problem:
            let_through(problem)
            if prints(self.program):
                raise
            return MISS  # the long way finds out whose error it is
        if program.run is not before:  # these kernels are no more
            self.program.owner.forget(self)
        return self._slow_answer(results)


def _shape(name: str) -> str:
    """The name of an array's shape in a call."""
    return f"z_{name}"


def _converted(result: str, kind: Any) -> str:
    """A cotangent of one of Python's own numbers."""
    if kind is None:
        return result
    converted = f"{kind.__name__}({result})"
    return (
        f"{result} if type({result}) is {kind.__name__} else {converted}"
        if result.isidentifier()
        else converted
    )


def _may_be_fast(program: Any, args: Sequence[Any]) -> bool:
    """Whether all that such a call depends on are leaves, and what is read along plain paths."""
    if program.question.later or program.keywords:
        return False
    guards, captures = program.primal.inputs.guards, program.fit.captures
    if (
        program.loud
        or program.draws
        or not program.simple
        or len(args) != len(program.trees)
        or any(t.type is not LEAF for t in program.trees)
    ):
        return False
    if any(isinstance(guard.path.root, Argument) for guard in guards):
        return False
    if any(isinstance(path.root, Argument) for path in captures.paths):
        return False
    return all(type(v) in _KINDS for v in (*args, *captures.read()))


_KINDS = {np.ndarray, float, int, complex, np.float64, np.float32}


# ----- the program's own statements -------------------------------------------------------------------
# The driver of compiled kernels is straight-line Python: calls of kernels, and conversions of their results.
# Written into the function that checks a call, it costs no call of its own, what the caller would undo is
# left out, and a kernel that gets only Python's numbers is entered without the look-up of their types. What
# modules have is looked up before, dtypes are made of types, and shapes are those that were compared: with
# all of that a new array takes half the time.
@dataclass
class Inlined:
    """``lines`` compute the ``results``, expressions; ``space``: what the names in them mean.

    ``floats``: the names of the lines that hold Python's floats for certain.
    """

    lines: list[str]
    results: list[str]
    space: dict[str, Any]
    floats: set[str]


def inlined(
    run: Callable[..., Any],
    text: str,
    names: Sequence[str],
    values: Sequence[Any],
    floats: Sequence[int],
    shaped: Collection[str] = (),
) -> Inlined | None:
    """The body of a driver, for a caller; None if it is not straight-line code.

    Args:
        run: the driver; ``text``: the module that it stands in.
        names: what its arguments are called in the caller, where they are not assigned to.
        values: arguments of the types that it will get.
        floats: the positions of results that the caller converts to Python's floats.
        shaped: those of the names whose shapes the caller has, under the name that ``_shape`` tells.
    """
    tree = ast.parse(text[text.rfind("\ndef ") + 1 :]).body[-1]  # not the kernels, which are long
    if not isinstance(tree, ast.FunctionDef) or tree.name != run.__name__:
        return None
    body = [s for s in tree.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    params = [a.arg for a in tree.args.args]
    last = body.pop() if body else None
    if not isinstance(last, ast.Return) or last.value is None or len(params) != len(names):
        return None
    answer = last.value if isinstance(last.value, ast.Tuple) else ast.Tuple([last.value], ast.Load())
    if not all(isinstance(s, (ast.Assign, ast.Expr, ast.Delete)) for s in body):
        return None
    body = _without_conversions(body, answer, floats)
    stores = Counter(n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and _is_store(n))
    if stores.keys() & set(params):
        return None
    space: dict[str, Any] = {}
    kinds = dict(zip(params, map(type, values), strict=True))
    renaming = {**{n: f"u_{n}" for n in stores}, **dict(zip(params, names, strict=True))}
    change = _Rename(renaming, run.__globals__, kinds, space, shaped)
    lines = [ast.unparse(change.visit(s)) for s in body]
    results = [ast.unparse(change.visit(e)) for e in answer.elts]
    return Inlined(lines, results, space, {renaming[n] for n in change.floats if stores[n] == 1})


def _is_store(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _without_conversions(body: list[ast.stmt], results: ast.Tuple, floats: Sequence[int]) -> list[ast.stmt]:
    """Without ``x = np.float64(x)`` where ``x`` is only a result that becomes a float anyway."""
    names = [e.id if isinstance(e, ast.Name) else "" for e in results.elts]
    wanted = {names[i] for i in floats if names.count(names[i]) == 1}
    for name in wanted - {""}:
        uses = [s for s in body if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(s))]
        if len(uses) == 2 and ast.unparse(uses[1]) == f"{name} = np.float64({name})":
            body = [s for s in body if s is not uses[1]]
    return body


class _Rename(ast.NodeTransformer):
    """Locals get the caller's names, and what else is read goes into ``space``.

    ``floats``: the locals to which Python's floats are assigned.
    """

    def __init__(
        self,
        renaming: dict[str, str],
        around: dict[str, Any],
        kinds: dict[str, type],
        space: dict[str, Any],
        shaped: Collection[str],
    ) -> None:
        self.renaming, self.around, self.kinds, self.space = renaming, around, kinds, space
        self.shaped, self.floats = shaped, set[str]()

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        entry, (target, *_) = self.entry(node.value), node.targets
        if entry is not None:
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            types = getattr(entry[1], "types", [entry[1]])  # of a tuple, or of one number
            pairs = zip(names, map(str, types), strict=True)
            self.floats |= {n.id for n, type in pairs if isinstance(n, ast.Name) and type == "float64"}
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        entry = self.entry(node)
        if entry is not None:
            return ast.Call(self.named(f"x_{len(self.space)}", entry[0]), [*map(self.visit, node.args)], [])
        made = self.of_module(node.func) in (np.empty, np.zeros) and len(node.args) == 2
        dtype = self.of_module(node.args[1]) if made else None
        if isinstance(dtype, type) and issubclass(dtype, np.generic):
            shape, dtype = self.visit(node.args[0]), np.dtype(dtype)
            return ast.Call(self.visit(node.func), [shape, self.named(f"dtype_{dtype}", dtype)], [])
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        value = self.of_module(node)
        if value is not None:
            return self.named("m_" + ast.unparse(node).replace(".", "_"), value)
        if isinstance(node.value, ast.Name) and node.attr == "shape":
            name = self.renaming.get(node.value.id, "")
            if name in self.shaped:
                return ast.Name(_shape(name), ast.Load())
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.renaming:
            return ast.Name(self.renaming[node.id], node.ctx)
        if node.id not in self.around:  # a builtin
            return node
        return self.named(f"u_{node.id}", self.around[node.id])

    def named(self, name: str, value: Any) -> ast.Name:
        self.space[name] = value
        return ast.Name(name, ast.Load())

    def of_module(self, node: ast.expr) -> Any:
        """What a module that the driver imports has under a name."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return None
        module = None if node.value.id in self.renaming else self.around.get(node.value.id)
        return getattr(module, node.attr) if isinstance(module, ModuleType) else None

    def entry(self, node: ast.expr) -> tuple[Any, Any] | None:
        """The machine code of a kernel, and the type of its result.

        If all that it gets are numbers of the types it was compiled for.
        """
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.keywords:
            return None
        overloads = getattr(self.around.get(node.func.id), "overloads", None)
        kinds = [self.kinds.get(a.id) if isinstance(a, ast.Name) else None for a in node.args]
        if not isinstance(overloads, dict) or len(overloads) != 1:
            return None
        ((signature, found),) = overloads.items()
        names = {float: "float64", int: "int64", complex: "complex128"}
        if [names.get(k) if k is not None else None for k in kinds] != [str(t) for t in signature]:
            return None
        point = getattr(found, "entry_point", None)
        return None if point is None else (point, getattr(found.signature, "return_type", None))
