"""Is what is copied for an operation what its derivative rule would have been read as?"""

import copy
import math

import numpy as np
import pytest

from ast_ad import value_and_grad
from ast_ad.compiler.adjoint.rule_copies import RuleCopies
from ast_ad.compiler.frontend import interpreter
from ast_ad.compiler.frontend.builder import Builder
from ast_ad.compiler.ir.ops import Block, Lit, Op, Seq, Slice, Undefined, Var
from ast_ad.compiler.ir.types import Scalar
from tests.growth import programs

VECTOR = np.linspace(0.2, 1.3, 5)
MATRIX = np.linspace(-1.0, 1.0, 15).reshape(3, 5)


class Comparison:
    """Compares what two readings emitted: ``twins`` are the variables that stand for each other."""

    def __init__(self):
        self.twins = {}

    def require(self, one, two):
        assert type(one) is type(two)
        if isinstance(one, (list, tuple)):
            assert len(one) == len(two)
            for a, b in zip(one, two, strict=True):
                self.require(a, b)
        elif isinstance(one, dict):
            assert list(one) == list(two)
            self.require(list(one.values()), list(two.values()))
        elif isinstance(one, Op):
            assert one.fn is two.fn and one.span is two.span
            assert (one.effect, one.adjoint, one.sure) == (two.effect, two.adjoint, two.sure)
            self.require(one.args, two.args)
            self.require(one.kwargs, two.kwargs)
            for a, b in zip(one.outs, two.outs, strict=True):
                self.twins[a] = b
                size = getattr(a.type, "size", None), getattr(b.type, "size", None)
                assert (a.type, a.hint, a.known, a.cotangent_of) == (b.type, b.hint, b.known, b.cotangent_of)
                assert size[0] == size[1]
        elif isinstance(one, Var):
            assert self.twins.get(one, one) is two
        elif isinstance(one, Lit):
            assert type(one.value) is type(two.value) and repr(one.value) == repr(two.value)
        elif isinstance(one, Seq):
            assert one.kind is two.kind
            self.require(one.items, two.items)
        elif isinstance(one, Slice):
            self.require((one.start, one.stop, one.step), (two.start, two.stop, two.step))
        else:
            assert one is None


def state(divisors):
    """A copy of what is known of divisors."""
    found = copy.copy(divisors)
    found.__dict__.update({name: copy.copy(held) for name, held in vars(divisors).items()})
    return found


@pytest.fixture
def compared(monkeypatch):
    return comparing(monkeypatch)


def comparing(monkeypatch):
    """Every copy is compared with a reading; the rules of which there were copies."""
    original, copying, rules = RuleCopies.inline, RuleCopies._copied, []

    def inline(copies, rule, args, kwargs):
        builder, count = copies.builder, len(rules)
        emitted, before = list(builder.block.ops), state(builder.divisors)
        found = original(copies, rule, args, kwargs)
        if len(rules) == count:  # it was read
            return found
        made, after = builder.block.ops[len(emitted) :], builder.divisors
        builder.divisors, block = before, Block(emitted)
        with builder.nested(block):
            again = interpreter.inline(builder, rule, args, kwargs)
        comparison = Comparison()
        comparison.require(made, block.ops[len(builder.block.ops) - len(made) :])
        comparison.require(found, again)
        for one, two in comparison.twins.items():
            ours, theirs = after.of(one), before.of(two)
            assert ours[:3] == theirs[:3]
            comparison.require(ours.quotient, theirs.quotient)
        builder.divisors = after
        return found

    def copied(copies, reading, given):
        rules.append(reading)
        return copying(copies, reading, given)

    monkeypatch.setattr(RuleCopies, "inline", inline)
    monkeypatch.setattr(RuleCopies, "_copied", copied)
    return rules


def divisions(x, y):
    a = x / y + y / x
    b = 1.0 / (1.0 + a * a) + x / (2.0 + y * y)
    c = a**2 / b**2 + np.float64(3.0) / b
    return np.sum(np.real(a / b + c / (1.0 + c * c) + b / np.sqrt(c)))


def numbers_of_several_kinds(x, n):
    a = x * n + n * 2
    b = a**2 + a**3 + a**n + x**2
    c = b * 0.0 + b * -0.0 + b * 1 + b * 1.0
    return abs(a) * min(a, c) + max(b, c) * np.float32(2.0) * x


def arrays(x, m):
    a = np.sin(x) + np.sin(x * 2.0)
    b = m @ a + m @ x
    c = np.sum(m, axis=0) + np.sum(m * 2.0, axis=0)
    d = np.sum(m, axis=1, keepdims=True) * m + np.mean(m, axis=1, keepdims=True) * m
    return np.sum(a * c) + np.sum(b * b) + np.sum(d) + np.var(x) + np.var(c) + np.max(a) + np.max(c)


def lengths(x, m):
    a = x[1:] * x[:-1] + np.sin(x[1:])
    b = np.concatenate((a, x)) * np.concatenate((x, a))
    c = np.outer(x, x) @ m.T + np.outer(a, x)[0] @ m.T
    return np.sum(np.cumsum(a) * a) + np.sum(np.cumsum(b) * b) + np.sum(c)


def writes(x, m):
    a = x.copy()
    for i in range(3):
        a[i] = a[i + 1] * a[i]
        a[1:] += 0.1 * a[:-1]
        m = m * a
    if a[0] > 0:
        a = np.where(a > 0.1, a, 0.5 * a) + np.where(x > 0.1, x, 0.5 * x)
    else:
        a = np.maximum(a, x) + np.maximum(x, a)
    return np.sum(a) + np.sum(np.clip(m, 0.1, 0.9)) + np.sum(np.clip(m, 0.2, 0.9))


def paths(x, y):
    total = 0
    for i in range(4):
        if x > y:
            total = total + x * y * i
            x = x * 0.5
        else:
            y = y / (1.0 + x * x)
            total = total + y / x
    return total / (1.0 + total * total)


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize(
    ("function", "args"),
    [
        (divisions, (0.7, 0.4)),
        (divisions, (np.float64(0.7), 0.4)),
        (divisions, (np.float32(0.7), np.float32(0.4))),
        (divisions, (VECTOR, 0.4)),
        (divisions, (0.7 + 0.1j, 0.4)),
        (numbers_of_several_kinds, (0.7, 3)),
        (numbers_of_several_kinds, (np.float32(0.7), 3)),
        (arrays, (VECTOR, MATRIX)),
        (arrays, (VECTOR.astype(np.float32), MATRIX)),
        (lengths, (VECTOR, MATRIX)),
        (writes, (VECTOR, MATRIX)),
        (paths, (0.7, 0.4)),
        (paths, (np.float64(0.7), np.float32(0.4))),
        (programs.scalars(30), (0.7,)),
        (programs.arrays(30), (VECTOR,)),
        (programs.writes(30), (np.linspace(0.1, 0.9, 7),)),
        (programs.branches(10), (0.7,)),
    ],
)
def test_copies_are_what_the_rules_say(compared, function, args):
    value_and_grad(function, backend="numpy", fallback="error")(*args)
    assert compared


@pytest.mark.slow
def test_what_is_known_of_divisors_decides(compared):
    """Rules of the same types: the divisor certainly is not zero, or may be."""

    def function(x, y):
        a = 1.0 + x * x
        return x / a + x / y + np.hypot(x, y) + np.hypot(x, a) + math.log(a) + math.log(y)

    value_and_grad(function, backend="numpy", fallback="error")(0.7, 0.4)
    assert compared


def test_no_value_is_not_the_constant_none():
    def rule(ans, x, y=None):
        return 2.0 * x

    copies, x = RuleCopies(Builder(Block(), adjoint=True)), Var(Scalar("float"))
    copies.inline(rule, (x, x), {"y": Lit(None)})
    copies.inline(rule, (x, x), {"y": Undefined(Scalar("float"))})
    assert len(copies.known) == 1 and len(copies.builder.block.ops) == 2
