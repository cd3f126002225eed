"""Is a gradient zero because nothing leads from an argument to the result?

``tell`` says so, once for each argument: in one that is not read the question is a mistake, in an ``int(x)``
the derivative got lost, and a bisection has none along the path that it takes.
"""

from __future__ import annotations

import dis
import linecache
import types
import warnings
from collections.abc import Collection
from typing import Any

from ..compiler.analysis.activity import Varied, analyse
from ..compiler.analysis.lost import lost
from ..compiler.analysis.recalled import recalled
from ..compiler.analysis.searched import Searches
from ..compiler.frontend.structures import positions
from ..errors import ZeroGradientWarning


def zeros(program: Any, of: tuple[int, ...], unused: bool = True) -> list[str]:
    """What is to be told of the cotangents that are zero whatever the values are.

    ``unused``: whether arguments were chosen, so that one that is not read is a mistake.
    """
    function = program.primal.function
    inputs = {i: function.params[i] for i in program.wrt}
    results = [function.body.results[i] for i in of]
    active = analyse(function.body, inputs.values(), results).active
    texts, searches = list[str](), Searches(function, results)
    for i in program.chosen:
        passive = [p for p in _labels(program, i) if inputs[p] not in active]
        found = {p: lost(function, inputs[p], searches) for p in passive}
        texts += [
            _ended(_labels(program, i)[p], how, place.filename, place.line, place.text)
            for p, (how, place) in found.items()
            if how == "integer" or how == "search" and unused
        ]
        if unused and len(found) == len(_labels(program, i)):
            if all(how == "unused" for how, _ in found.values()):
                texts.append(_unused(program, i))
    return [*texts, *_recalled(program, of)]


def _recalled(program: Any, of: tuple[int, ...]) -> list[str]:
    """The same of arguments that are compared with what an earlier call had, and stored with an answer."""
    primal, texts = program.primal, list[str]()
    function = primal.function
    for i in program.chosen if primal.stores else ():
        inputs = [function.params[p] for p in _labels(program, i)]
        varied = Varied(inputs)
        varied.block(function.body)
        stored = [store for store in primal.stores if varied.has(*(_results(function, store)))]
        kept = [var for path, var, _ in primal.inputs.captures if any(store.holds(path) for store in stored)]
        op = recalled(function, inputs, kept, [function.body.results[r] for r in of])
        if op is not None and op.span is not None:
            texts.append(_ended(program.names[i], "equal", op.span.filename, op.span.line, op.span.text))
    return texts


def _results(function: Any, store: Any) -> list[Any]:
    """The results of a program that are stored."""
    return [function.body.results[at] for at in positions(store.value)]


def zeros_of_trace(program: Any, pullback: Any, unreached: Collection[int], unused: bool = True) -> list[str]:
    """The same of a traced call; ``unreached``: the positions, in ``wrt``, of leaves without a cotangent."""
    leaves = {p: at for at, p in enumerate(program.wrt)}
    texts: list[str] = []
    for i in program.chosen:
        found = [(label, leaves[p]) for p, label in _labels(program, i).items()]
        for label, at in found:
            places = [place for place in pullback.ends_at(at) if place[0] == "equal" or at in unreached]
            texts += [_ended(label, *places[0])] if places else []
        if unused and any(at in unreached for _, at in found):
            if not _is_read(program.owner.function, program.names[i]):
                texts.append(_unused(program, i))
    return texts


def _labels(program: Any, i: int) -> dict[int, str]:
    """The leaves of an argument that are differentiated, with the names that messages give them."""
    labels = zip(range(*program.ranges[i]), program.trees[i].paths(program.names[i]), strict=True)
    return {p: label for p, label in labels if p in program.wrt}


def _is_read(function: Any, name: str) -> bool:
    """Whether anything in a function's code may read a parameter."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType) or name not in code.co_varnames:
        return True  # or it can't be told
    return any(i.argval == name or _mentions(i.argval, name) for i in dis.get_instructions(code))


def _mentions(value: Any, name: str) -> bool:
    return isinstance(value, tuple) and name in value  # instructions of two names


HOW = {
    "integer": "is zero: it becomes an integer",
    "search": "is zero: it only decides how a search goes on (a step of Newton's method after it has the "
    "derivative, and scipy.optimize.brentq)",
    "equal": "leaves out what an earlier call has stored: it is compared with what that had",
}


def _ended(label: str, how: str, filename: str, line: int, text: str | None = None) -> str:
    if not line:
        return f"by `{label}` {HOW[how]}"
    shown = linecache.getline(filename, line) if text is None else text
    return f"by `{label}` {HOW[how]} at {filename}:{line}: {shown.strip()}"


def _unused(program: Any, i: int) -> str:
    code = getattr(program.owner.function, "__code__", None)
    where = f" ({code.co_filename}:{code.co_firstlineno})" if code else ""
    return f"by `{program.names[i]}` is zero: the result does not depend on it{where}"


def tell(owner: Any, texts: Collection[str]) -> None:
    """Warn of a gradient that is zero, once for each reason."""
    from .reasons import level

    for text in texts:
        if text not in owner.told:
            owner.told.add(text)
            name = getattr(owner.function, "__name__", "function")
            warnings.warn(f"the gradient of `{name}` {text}", ZeroGradientWarning, stacklevel=level())
