"""Do random programs with lists have the values, kinds and gradients of the plain call as kernels?

Lists of numbers (Python's, NumPy's, of both kinds) and of pairs grow, shrink, are cut, joined, read and
written, in loops and branches. What a program does at places that there are not is an exception in each form.
"""

import linecache
import random

import numpy as np
import pytest

from tests.compiler.loops.list_programs import check, require_evaluated

COUNT = 24
STARTS = ["[1.0]", "[w[0]]", "[0]", "[w[1], 2.0]", "[w[0] * w[1], w[2]]", "[0.5, w[3], 1.5]"]
VALUES = [
    "v", "0.5", "v * w[0]", "{xs}[-1] * v", "{xs}[0] + 0.25", "max({xs}[-1], v)", "{ps}[-1][0] * v",
    "{ps}[0][1] + {xs}[i % len({xs})]", "sum({xs}) * 0.1", "np.sin({xs}[-1])", "w[i] - {xs}[0]",
]  # fmt: skip
CHANGES = [
    "{xs}.append({a})", "{xs}.append({a})", "{xs}[-1] = {a}", "{xs}[0] = {a}", "{xs}.insert(0, {a})",
    "{xs}.insert(i - 1, {a})", "{xs} = {xs}[::-1]", "{xs} = {xs}[:4] + [{a}]", "{xs} = {xs}[-3:] + {ys}[:2]",
    "{ps}.append(({a}, {b}))", "{ps}[-1] = ({a}, {ps}[0][1])", "{ps} = [({a}, v)] + {ps}[:3]",
    "t = t * 0.5 + {xs}.pop()\n{xs}.append({a})", "t += {xs}.pop(0) * v\n{xs}.append({b})",
    "t += {xs}[len({xs}) // 2] * {a}", "t += np.mean({xs})", "t += np.sum(np.array({xs}) ** 2) * 0.01",
    "for j, (p, q) in enumerate({ps}):\n    t += p * q * 0.1 + j", "for p in {xs}:\n    t = t * 0.9 + p",
    "t += max({xs}) - min({ys})", "{ys} = [p * 0.5 for p in {xs}]",
]  # fmt: skip
RESULTS = ["t", "xs[-1] * ys[0]", "ps[-1][0] + t", "sum(xs) + ys[-1]", "xs[len(xs) // 2]", "t + len(ys)"]


def written(seed):
    """The text of a program."""
    draw = random.Random(seed)

    def filled(text, names):
        while "{" in text:
            parts = dict(names, a=draw.choice(VALUES), b=draw.choice(VALUES))
            text = text.format(**parts)
        return text

    def lines(depth):
        names = {"xs": draw.choice(["xs", "ys"]), "ys": draw.choice(["xs", "ys"]), "ps": "ps"}
        text = filled(draw.choice(CHANGES), names)
        if draw.random() < 0.3:
            other = filled(draw.choice(CHANGES), names)
            text = f"if v > 0:\n{indented(text)}\nelse:\n{indented(other)}"
        return indented(text, depth)

    start = [f"    xs = {draw.choice(STARTS)}", f"    ys = {draw.choice(STARTS)}", "    ps = [(w[0], 1.0)]"]
    body = [lines(2) for _ in range(draw.randint(2, 4))]
    loop = ["    t = 0.0", "    for i, v in enumerate(w):", *body]
    return "\n".join(["def f(w):", *start, *loop, f"    return {draw.choice(RESULTS)}", ""])


def indented(text, depth=1):
    return "\n".join("    " * depth + line for line in text.split("\n"))


def program(seed):
    text, name = written(seed), f"<lists {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"np": np}
    exec(compile(text, name, "exec"), names)
    return names["f"]


@pytest.mark.drawn(of=2)
@pytest.mark.slow(beyond=2)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.filterwarnings("ignore:(overflow|invalid value|divide by zero) encountered:RuntimeWarning")
@pytest.mark.parametrize("seed", range(COUNT))
def test_evaluated(seed):
    require_evaluated(program(seed), np.array([0.5, -0.25, 1.5, 0.75, -1.25]))


@pytest.mark.drawn(of=28)
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.filterwarnings("ignore:(overflow|invalid value|divide by zero) encountered:RuntimeWarning")
@pytest.mark.parametrize("seed", range(COUNT))
def test_random_programs(seed, monkeypatch):
    points = [0.5, -0.25, 1.5, 0.75, -1.25], [-0.5, 0.75, 0.5, 1.25, 0.25, 1.0, -0.75]
    check(program(seed), list(map(np.array, points)), monkeypatch, written(seed))
