"""What is timed? Small programs, each with arguments, a gradient written by hand, and a text for JAX.

A function takes ``np`` from its module; ``with_numpy`` makes the versions for peers. Gradients are those
with respect to the first argument.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Function = Callable[..., Any]


@dataclass(frozen=True)
class Workload:
    name: str
    primal: Function
    gradient: Function
    args: tuple[Any, ...]
    functional: Function | None = None  # the same without writes in place; None: the primal has none
    compiles: bool = True  # whether JAX should compile it: not where it would unroll a long loop


def with_numpy(function: Function, module: Any) -> Function:
    """The same function with another module in the place of NumPy, in its callees too."""
    namespace = dict(function.__globals__)
    namespace["np"] = module
    for name in function.__code__.co_names:
        callee = function.__globals__.get(name)
        if isinstance(callee, types.FunctionType):
            namespace[name] = types.FunctionType(callee.__code__, namespace, name, callee.__defaults__)
    return types.FunctionType(function.__code__, namespace, function.__name__, function.__defaults__)


# ----- least squares -----


def least_squares(w, x, y):
    r = x @ w - y
    return np.mean(r**2)


def least_squares_gradient(w, x, y):
    r = x @ w - y
    return x.T @ (2.0 / r.size * r)


# ----- a network of two layers -----


def network(w, v, x, y):
    h = np.tanh(x @ w)
    return np.sum((h @ v - y) ** 2)


def network_gradient(w, v, x, y):
    h = np.tanh(x @ w)
    r = h @ v - y
    return x.T @ (2.0 * r[:, None] * v * (1.0 - h * h))


# ----- Rosenbrock's function -----


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_gradient(x):
    d = x[1:] - x[:-1] ** 2
    g = np.zeros_like(x)
    g[1:] = 200.0 * d
    g[:-1] -= 400.0 * d * x[:-1] + 2.0 * (1.0 - x[:-1])
    return g


# ----- heat, written in place -----


def heat(x, rate, steps):
    t = x.copy()
    for _ in range(steps):
        t[1:-1] += rate * (t[2:] - 2.0 * t[1:-1] + t[:-2])
    return np.sum(t**2)


def heat_functional(x, rate, steps):
    t = x
    for _ in range(steps):
        inner = t[1:-1] + rate * (t[2:] - 2.0 * t[1:-1] + t[:-2])
        t = np.concatenate([t[:1], inner, t[-1:]])
    return np.sum(t**2)


def heat_gradient(x, rate, steps):
    t = x.copy()
    for _ in range(steps):
        t[1:-1] += rate * (t[2:] - 2.0 * t[1:-1] + t[:-2])
    t *= 2.0
    for _ in range(steps):
        d = rate * t[1:-1]
        t[1:-1] -= 2.0 * d
        t[2:] += d
        t[:-2] += d
    return t


# ----- a scalar recurrence -----


def recurrence(a, n):
    h = 0.1
    for _ in range(n):
        h = 0.9 * h + a * math.sin(h)
    return h


def recurrence_gradient(a, n):
    hs = [0.1]
    for _ in range(n):
        h = hs[-1]
        hs.append(0.9 * h + a * math.sin(h))
    a_bar, h_bar = 0.0, 1.0
    for h in reversed(hs[:-1]):
        a_bar += h_bar * math.sin(h)
        h_bar *= 0.9 + a * math.cos(h)
    return a_bar


def recurrence_functional(a, n):
    h = 0.1
    for _ in range(n):
        h = 0.9 * h + a * np.sin(h)
    return h


def workloads() -> list[Workload]:
    numbers = np.random.default_rng(0)
    x, w = numbers.normal(size=(1000, 20)), numbers.normal(size=20)
    y = numbers.normal(size=1000)
    w1, w2 = 0.1 * numbers.normal(size=(20, 30)), numbers.normal(size=30)
    return [
        Workload("least squares 1000 x 20", least_squares, least_squares_gradient, (w, x, y)),
        Workload("network 20-30-1, 1000 rows", network, network_gradient, (w1, w2, x, y)),
        Workload("Rosenbrock 10 000", rosenbrock, rosenbrock_gradient, (numbers.normal(size=10_000),)),
        Workload(
            "heat 1000, 100 steps",
            heat,
            heat_gradient,
            (numbers.normal(size=1000), 0.1, 100),
            heat_functional,
        ),
        Workload(
            "recurrence, 1000 steps",
            recurrence,
            recurrence_gradient,
            (0.3, 1000),
            recurrence_functional,
            compiles=False,
        ),
    ]
