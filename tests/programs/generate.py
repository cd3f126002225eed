"""What does a random NumPy program look like? ``generate(seed)`` writes one: its source and its arguments.

A program is a module with ``f(x, y, s)`` (a vector or matrix, another, a float) that returns a float, and the
helpers that ``f`` calls. It is rich in what makes differentiation hard: arrays written in place, also through
views and by helpers, aliases, state that a loop carries, branches on data, and early exits.
"""

from __future__ import annotations

import ast
import math
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies

from .writer import Writer

HEADER = "import math\nimport numpy as np\n"
STATE = """
from dataclasses import dataclass
from typing import Any

@dataclass
class State:
    u: Any
    v: Any
    w: Any = 0.0
"""
LARGEST_VALUE = 1e4


@dataclass(frozen=True)
class Program:
    source: str
    args: tuple[Any, ...]


def write(source: random.Random) -> Program:
    """One candidate, from any source of random choices; it may overflow or divide by zero."""
    shapes = [(source.randint(4, 6),), (source.randint(2, 4), source.randint(2, 4))]
    if source.random() < 0.3:
        source.shuffle(shapes)
    if source.random() < 0.2:
        shapes[1] = shapes[0]
    writer = Writer(source)
    for _ in range(source.choice([0, 0, 1, 1, 2])):
        writer.helper(shapes)
    writer.function(dict(zip("xys", [*shapes, ()], strict=True)))
    numbers = np.random.default_rng(source.randrange(2**32))
    args = (numbers.normal(size=shapes[0]), numbers.normal(size=shapes[1]), float(numbers.normal()))
    text = "\n".join(writer.text)
    text = "\n".join([HEADER, STATE if "State(" in text else "", text])
    return Program(ast.unparse(ast.parse(text)) + "\n", args)


def run(program: Program) -> float:
    """The value of the program at its own arguments, executed by Python."""
    namespace: dict[str, Any] = {}
    exec(compile(program.source, "<random program>", "exec", dont_inherit=True), namespace)
    return float(namespace["f"](*copies(program.args)))


def copies(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(np.copy(a) if isinstance(a, np.ndarray) else a for a in args)


def sound(program: Program) -> bool:
    """Whether the program runs and gives a finite value of moderate size."""
    with np.errstate(all="ignore"):
        try:
            value = run(program)
        except (OverflowError, ZeroDivisionError):
            return False
    return math.isfinite(value) and abs(value) < LARGEST_VALUE


def generate(seed: int) -> Program:
    """The program of this seed, the same on every machine.

    >>> program = generate(1)
    >>> "def f(x, y, s):" in program.source
    True
    """
    for attempt in range(100):
        program = write(random.Random(f"{seed}/{attempt}"))
        if sound(program):
            return program
    raise AssertionError(f"no sound program for seed {seed}")


def programs() -> strategies.SearchStrategy[Program]:
    """The same programs as a hypothesis strategy, which shrinks them."""
    return strategies.randoms(use_true_random=False).map(write).filter(sound)
