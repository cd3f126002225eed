"""Random programs that store in what outlives the call, and a judge of what their derivatives leave behind.

``python -m tests.programs.outer_stores 0 500`` prints what goes wrong. A program is a function of an array
and an int. It reads and changes objects, lists, dicts, a global and a variable of its maker, in branches,
loops, handlers and context managers. It is called three times, each time beside the plain function: value,
exception and all that is left have to be the same, and the gradient that of differences.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import random
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import ast_ad

HEAD = """
import contextlib

import numpy as np

G = 0


class Box:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Model(Box):
    sets = 0

    @property
    def p(self):
        return self._p

    @p.setter
    def p(self, value):
        self._p = value * 0.5
        self.sets += 1


class Slots:
    __slots__ = "z", "m"


class Noted:
    def __init__(self, box):
        self.box = box

    def __enter__(self):
        self.box.n += 1
        return self.box

    def __exit__(self, kind, value, trace):
        self.box.n += 10
        return kind is ValueError


def make():
    global G
    G = 0
    count, last = 0, 0.5
    box = Model(n=0, w=0.3, v=np.array([0.1, 0.2, 0.3]), log=[0.5], inner=Box(t=0.7, log=[]), _p=0.1)
    same, manager, slots = box, Noted(box), Slots()
    slots.z = 0.2
    log, table = box.log, {"a": 0.4, "n": 1}

    @contextlib.contextmanager
    def deeper(by):
        before, box.w = box.w, by
        try:
            yield before
        finally:
            box.w = before

    def note(value):
        nonlocal count, last
        count += 1
        last = value * 0.5
        box.inner.log.append(count)
        return last + box.inner.t

    def state():
        held = slots.z, getattr(slots, "m", None)
        return box, log is box.log, table, held, G, count, last

    def f(x, k):
        global G
        nonlocal count, last
        s, y = 0.5 * x[0], x * 1.0
"""

NUMBERS = (
    "s x[0] x[1] x[2] y[0] box.w same.w box.inner.t table['a'] last box.p slots.z G count box.n len(log)"
    " log[-1] box.v[1] np.sum(box.v) getattr(slots,'m',0.5) table.get('b',0.25) note(s) 0.5 k"
).split()
ARRAYS = "y x box.v".split()
SIMPLE = (
    "s = {e}",
    "s = s + {e}",
    "y = y * {e}",
    "y = np.sin(y) + {a}",
    "y[{i}] = {e}",
    "box.n += 1",
    "same.n += k",
    "box.w = {e}",
    "same.w += {e}",
    "box.inner.t = {e}",
    "box.inner.t *= 0.5",
    "box.v = y + {e}",
    "box.v[{i}] = {e}",
    "box.v *= 0.5",
    "log.append({e})",
    "box.log.append(float({e}))",
    "log[0] = {e}",
    "log.pop()",
    "log.extend([0.5, {e}])",
    "log.insert(0, 0.25)",
    "box.log = [{e}]",
    "table['a'] = {e}",
    "table['n'] += 1",
    "table['b'] = {e}",
    "table.pop('b', None)",
    "table.update(a={e})",
    "s = s + table.setdefault('c', {e})",
    "box.p = {e}",
    "box.p += {e}",
    "slots.z = {e}",
    "slots.m = {e}",
    "G += 1",
    "G = G * 2 - k",
    "count += 1",
    "last = {e}",
    "setattr(box, 'new', {e})",
    "box.__dict__['w'] = {e}",
    "s = s + note({e})",
    "note(s)",
    "box.best = max(getattr(box, 'best', 0.0), float({e}))",
    "box.pair = ({e}, 'text', k)",
    "box.inner.log.append((k, float({e})))",
)
CONDITIONS = (
    "x[{i}] > {c}",
    "s > {c}",
    "k > 1",
    "box.n % 2 == 0",
    "'b' in table",
    "hasattr(box, 'new')",
    "box.w > {c}",
    "G > 3",
)


class Author:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def expression(self) -> str:
        a, b = self.rng.choice(NUMBERS), self.rng.choice(NUMBERS)
        form = self.rng.choice(("{a} * {b}", "{a} + 0.5", "np.tanh({a} - {b})", "0.5 * {a}", "np.sin({a})"))
        return form.format(a=a, b=b)

    def fill(self, text: str) -> str:
        values = {"i": self.rng.randrange(3), "c": round(self.rng.uniform(-1, 1), 2)}
        return text.format(e=self.expression(), a=self.rng.choice(ARRAYS), **values)

    def block(self, depth: int, length: int) -> str:
        return "\n".join(self.statement(depth) for _ in range(length))

    def statement(self, depth: int) -> str:
        if depth == 0 or self.rng.random() < 0.7:
            return self.fill(self.rng.choice(SIMPLE))
        inner = [textwrap.indent(self.block(depth - 1, self.rng.randrange(1, 4)), "    ") for _ in range(3)]
        condition = self.fill(self.rng.choice(CONDITIONS))
        forms = (
            f"if {condition}:\n{inner[0]}",
            f"if {condition}:\n{inner[0]}\nelse:\n{inner[1]}",
            f"for i in range(k):\n{inner[0]}",
            f"for v in x:\n    s = s + v * v\n{inner[0]}",
            f"for i in range(3):\n{inner[0]}\n    if {condition}:\n        break\n{inner[1]}",
            f"with deeper({self.expression()}) as before:\n    s = s + before\n{inner[0]}",
            f"with manager:\n{inner[0]}",
            f"with Noted(box):\n{inner[0]}\n    if {condition}:\n        raise ValueError\n{inner[1]}",
            f"try:\n{inner[0]}\n    s = s * x[k + 1]\n{inner[1]}\nexcept IndexError:\n{inner[2]}",
            f"try:\n{inner[0]}\nfinally:\n{inner[1]}",
            f"if {condition}:\n{inner[0]}\n    return s * x[1]",
            f"if {condition}:\n    raise KeyError('told')",
        )
        return self.rng.choice(forms)

    def text(self) -> str:
        body = self.block(2, self.rng.randrange(3, 9)) + "\nreturn s * x[2] + np.sum(y * x)"
        return HEAD + textwrap.indent(body, " " * 8) + "\n\n    return f, state\n"


Maker = Callable[[], tuple[Callable[..., Any], Callable[[], Any]]]
OPERATORS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "value_and_grad": ast_ad.value_and_grad,
    "numba": lambda f: ast_ad.value_and_grad(f, backend="numba"),
    "jvp": lambda f: lambda x, k: along(ast_ad.jvp(f, (x, k), (np.ones(3), None))),
    "jacrev": lambda f: lambda x, k: (None, ast_ad.jacrev(f)(x, k)),
    "vjp": lambda f: lambda x, k: pulled(*ast_ad.vjp(lambda x: f(x, k), x)),
}


def along(found: tuple[Any, Any]) -> tuple[Any, Any]:
    """The value, and the derivative along a direction of ones."""
    return found


def pulled(value: Any, pullback: Any) -> tuple[Any, Any]:
    """The value and the gradient, by a pullback that is asked twice."""
    pullback(0.5)
    return value, pullback(1.0)[0]


def picture(value: Any) -> Any:
    """What a value is, to be compared."""
    if isinstance(value, (list, tuple)):
        return type(value), [picture(item) for item in value]
    if isinstance(value, dict):
        return [(key, picture(item)) for key, item in value.items()]
    if hasattr(value, "__dict__"):
        return picture(vars(value))
    return value.copy() if isinstance(value, np.ndarray) else value


def alike(one: Any, other: Any) -> bool:
    """Whether two pictures show the same, up to rounding."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, (float, np.ndarray)) and type(one) is type(other):
        return np.shape(one) == np.shape(other) and np.allclose(one, other, 1e-9, 1e-9, equal_nan=True)
    return type(one) is type(other) and bool(one == other)


def attempt(function: Callable[..., Any], *args: Any) -> Any:
    """The result, or the class of what is raised."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args)
        except Exception as error:
            return error


def differences(make: Maker, calls: list[tuple[Any, int]], number: int) -> Any:
    """The gradient of one of the calls, each run of which finds what the calls before have left."""

    def run(change: Any) -> Any:
        function, _ = make()
        for x, k in calls[:number]:
            attempt(function, x.copy(), k)
        x, k = calls[number]
        return attempt(function, x + change, k)

    steps = 1e-6 * np.eye(3)
    found = [(run(step), run(-step)) for step in steps]
    if any(isinstance(value, Exception) for pair in found for value in pair):
        return None
    return np.array([(up - down) / 2e-6 for up, down in found])


def judge(make: Maker, other: Maker, operator: str, calls: list[tuple[Any, int]]) -> str:
    """'right', 'refused', or what is wrong; ``make`` is for the plain function."""
    plain, plain_state = make()
    states = [(attempt(plain, x.copy(), k), picture(plain_state())) for x, k in calls]
    wanted = [differences(make, calls, number) for number in range(len(calls))]
    function, state = other()
    derivative = OPERATORS[operator](function)
    for number, ((x, k), (expected, left), gradient) in enumerate(zip(calls, states, wanted, strict=True)):
        got = attempt(derivative, x, k)
        if isinstance(got, ast_ad.AdError) and not isinstance(expected, ast_ad.AdError):
            return "refused"
        if isinstance(expected, Exception) or isinstance(got, Exception):
            if type(got) is not type(expected):
                return f"call {number} gives {got!r}, not {expected!r}"
        elif got[0] is not None and not np.allclose(got[0], expected, 1e-8, 1e-8, equal_nan=True):
            return f"call {number}: the value is {got[0]}, not {expected}"
        elif gradient is not None and np.all(np.isfinite(gradient)) and np.all(np.abs(gradient) < 1e3):
            derived = np.sum(gradient) if operator == "jvp" else gradient
            if not np.allclose(got[1], derived, 1e-4, 1e-4):
                return f"call {number}: the derivative is {got[1]}, not {derived}"
        if not alike(picture(state()), left):
            return f"call {number} leaves {picture(state())}, not {left}"
    return "right"


def load(text: str, path: pathlib.Path) -> Maker:
    """The maker of a program, from a file."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module.make  # type: ignore[no-any-return]


def without_source(text: str) -> Maker:
    """The maker of the same program, whose source can't be found: its function is traced."""
    space: dict[str, Any] = {"__name__": "without_source"}
    exec(compile(text, "<traced>", "exec", dont_inherit=True), space)
    return space["make"]  # type: ignore[no-any-return]


def verdicts(seed: int, folder: pathlib.Path, operators: list[str] | None = None) -> dict[str, str]:
    """What is found out about one program, compiled by each operator and traced by one."""
    text = Author(seed).text()
    rng = np.random.default_rng(seed)
    calls = [(rng.uniform(-1, 1, 3), int(k)) for k in rng.integers(0, 4, 3)]
    makers = [load(text, folder / f"stores_{seed}_{i}.py") for i in range(2)]
    found = {name: judge(makers[0], makers[1], name, calls) for name in operators or OPERATORS}
    traced = list(OPERATORS)[seed % len(OPERATORS)]
    found[f"traced {traced}"] = judge(makers[0], without_source(text), traced, calls)
    for i in range(2):
        del sys.modules[f"stores_{seed}_{i}"]
    return found


def main() -> None:
    os.environ.setdefault("AST_AD_CHECK", "0")
    first, last = (int(arg) for arg in sys.argv[1:3])
    counts: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            for name, found in verdicts(seed, pathlib.Path(folder), sys.argv[3:]).items():
                counts[found[:7]] = counts.get(found[:7], 0) + 1
                if found not in ("right", "refused"):
                    print(f"seed {seed}, {name}: {found}", flush=True)
    print(counts)


if __name__ == "__main__":
    main()
