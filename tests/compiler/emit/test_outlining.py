"""Is one function printed for the bodies of equal calls, with the same results to the bit, or else none?"""

import math
import re

import numpy as np
import pytest

from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.adjoint.unread import keep_exceptions
from ast_ad.compiler.arrays.in_place import write_in_place
from ast_ad.compiler.emit.load import load_module
from ast_ad.compiler.emit.nesting import plan
from ast_ad.compiler.emit.python import emit_module
from ast_ad.compiler.frontend.lower import lower
from ast_ad.compiler.ir.builtin import copy
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import Lit, Op, Var, walk
from ast_ad.compiler.simplify.within import join_paths
from ast_ad.trees import flatten

X = np.array([0.5, 1.5, 2.0])


def placed(function, *args, gradient=True):
    """The function's program as it is printed: with its derivative by all arguments that are not integers."""
    found = [flatten(arg) for arg in args]
    names = function.__code__.co_varnames[: len(args)]
    program = lower(function, names, [tree for _, tree in found], [x for leaves, _ in found for x in leaves])
    primal = program.function
    keep_exceptions(join_paths(primal))
    count = len(primal.body.results)
    if gradient:
        primal = adjoint(primal, tuple(i for i, arg in enumerate(args) if not isinstance(arg, int)))
    primal.name = "program"
    fresh = range(count, len(primal.body.results))
    return write_in_place(primal, program.written, fresh, lambda function: plan(function).inlined)


def run(emitted, args):
    copies = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
    return load_module(emitted.text, emitted.injected, "program").program(*copies)


def same(one, other):
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        assert type(a) is type(b) and np.asarray(a).tobytes() == np.asarray(b).tobytes()


def both(function, *args, disturb=None):
    """The text with functions for equal calls and that without; their results are the same."""
    programs = [placed(function, *args) for _ in range(2)]
    for program in programs if disturb else ():
        disturb(program)
    plain, outlined = emit_module(programs[:1]), emit_module(programs[1:], outline=True)
    same(run(outlined, args), run(plain, args))
    return outlined.text, plain.text


def functions(text):
    """The functions that were made, each with how often it is called."""
    names = [name for name in re.findall(r"^def (\w+)", text, re.M) if name != "program"]
    return {name: len(re.findall(rf"\b{name}\(", text)) - 1 for name in names}


def lines(text):
    return text.count("\n")


# ----- what becomes a function
def reaction(a, b, rate):
    flow = rate * a * b
    speed = flow / (1.0 + a)
    damping = speed * speed + b
    return flow / damping + speed


def eight(a, rate):
    b = reaction(a, 0.5, rate)
    c = reaction(b, a, rate)
    d = reaction(c, b, rate)
    e = reaction(d, c, rate)
    f = reaction(e, d, rate)
    g = reaction(f, e, rate)
    h = reaction(g, f, rate)
    return reaction(h, g, rate)


def test_a_helper_that_is_called_eight_times():
    text, plain = both(eight, 0.7, 1.3)
    made = functions(text)
    assert made["reaction_primal"] >= 6 and made["reaction_adjoint"] >= 5
    assert lines(text) < 0.6 * lines(plain)
    emitted = emit_module([placed(eight, 0.7, 1.3)], outline=True)
    value, *bars = run(emitted, (0.7, 1.3))
    assert value == eight(0.7, 1.3)
    for position, bar in enumerate(bars):
        ends = [[0.7, 1.3], [0.7, 1.3]]
        ends[0][position] += 1e-6
        ends[1][position] -= 1e-6
        assert math.isclose(bar, (eight(*ends[0]) - eight(*ends[1])) / 2e-6, rel_tol=1e-7)


def layer(v, w):
    t = v * w + 0.5
    u = np.tanh(t)
    s = np.exp(-u * u)
    d = s - np.mean(s)
    return d / np.sqrt(1.0 + d * d) + u


def four_layers(v, w):
    v = layer(layer(v, w), w)
    v = layer(layer(v, w), w)
    return np.sum(v * v)


def test_arrays():
    """The sweep writes to cotangents that it is given, in place: that stays where it is."""
    text, plain = both(four_layers, X, 0.3)
    assert functions(text) == {"layer_primal": 4} and lines(text) < lines(plain)


def filled(v, w):
    out = np.zeros(3)
    for i in range(3):
        out[i] = v[i] * w + i
    out[1:] += out[:-1] * w
    out *= 0.5
    return out


def three_filled(v, w):
    return np.sum(filled(v, w) * filled(v * 2.0, w)) + np.sum(filled(v * 3.0, w))


def test_writes_to_what_the_call_has_made_itself():
    text, _ = both(three_filled, X, 0.3)
    assert functions(text)["filled_primal"] == 3 and "out *= 0.5" in text


def part(v, w):
    a = v * w + 1.0
    b = a * a + w
    c = np.sin(b) * a
    return a[1:], c * c + b


def views(v, w):
    a, b = part(v, w)
    c, d = part(v * 2.0, w)
    b *= 2.0
    d[1:] += a * c
    e, f = part(b, w)
    f[0] = w
    return np.sum(a * c) + np.sum(b * d) + np.sum(e * f[1:])


def test_writes_to_what_a_call_returns():
    assert functions(both(views, X, 0.3)[0])["part_primal"] == 3


def inner(v, w):
    a = v * w + 1.0
    b = a / (a + w)
    return b * b + a


def middle(v, w):
    for _ in (1, 2, 3):  # read three times
        v = inner(v, w)
    return v / (v + 2.0)


def nested(v, w):
    v = middle(middle(v, w), w)
    return middle(inner(v, w), w)


def test_helpers_of_helpers():
    text, plain = both(nested, 0.4, 0.6)
    made = functions(text)
    assert made["middle_primal"] == 3 and any(name.startswith("inner") for name in made)
    assert lines(text) < lines(plain)


def in_a_loop(v, w, n):
    for _ in range(n):
        if v > 0.3:
            v = reaction(v, 0.5, w)
            v = reaction(v * 0.5, 0.5, w)
            v = reaction(v * 0.25, 0.5, w)
    return v


def test_calls_in_a_loop():
    assert functions(both(in_a_loop, 0.4, 0.6, 5)[0])["reaction_primal"] == 3


def test_the_evaluator_runs_the_functions():
    """What stands for a function is a callable: the IR stays a program."""
    program = placed(eight, 0.7, 1.3)
    before = evaluate(program, 0.7, 1.3)
    emit_module([program], outline=True)
    assert any(type(op.fn).__name__ == "RunCall" for op in walk(program.body) if isinstance(op, Op))
    same(evaluate(program, 0.7, 1.3), before)


# ----- what stays where it is
def switched(v, w, mode):
    a = v * w + 1.0
    b = a / (a + w) if mode == "one" else a * a
    c = b * b + a
    return c * c + b


def differently(v, w):
    return switched(v, w, "one") + switched(v * 2.0, w, "two")


def scaled(v, by):
    a = v * by + 1.0
    b = a / (a + 3.0)
    c = b * b + a
    return c * c + b


def by_literals(v, w):
    return scaled(v, 2.0) + scaled(w, 3.0)


def by_signs_of_zero(v, w):
    return scaled(v, 0.0) + scaled(w, -0.0)


def by_one_value_and_two(v, w):
    return scaled(v, v) + scaled(v, w)


def by_types(v, w):
    return scaled(v[0], 2.0) + scaled(w, 2.0)


def pushed(v, w):
    v[1:] += v[:-1] * w
    t = v[0] * w
    u = t * t + w
    s = u / (u + 1.0)
    return s * s


def to_outer_arrays(v, w):
    v = v * 1.0
    return pushed(v, w) + pushed(v, w) + pushed(v, w) + pushed(v, w)


def through_views(v, w):
    v = v * 1.0
    return windowed(v, w) + windowed(v, w) + windowed(v, w) + windowed(v, w)


def windowed(v, w):
    rest = v[::-1][1:]
    rest *= w
    t = v[0] * w
    u = t * t + w
    return u / (u + 1.0)


def on_one_path(v, w):
    v = v * 1.0
    return chosen(v, w) + chosen(v, w) + chosen(v, w) + chosen(v, w)


def chosen(v, w):
    target = v if w > 0.0 else np.zeros(3)
    target[0] = w * v[1]
    t = v[0] * w
    u = t * t + w
    return u / (u + 1.0)


def told(v, w):
    a = v * w + 1.0
    assert a > 0.0
    b = a / (a + w)
    c = b * b + a
    return c * c + b


def with_effects(v, w):
    return told(v, w) + told(v * 2.0, w) + told(v * 3.0, w)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (differently, (0.4, 0.6)),
        (by_literals, (0.4, 0.6)),
        (by_signs_of_zero, (0.4, 0.6)),
        (by_one_value_and_two, (0.4, 0.6)),
        (by_types, (X, 0.6)),
        (to_outer_arrays, (X, 0.6)),
        (through_views, (X, 0.6)),
        (on_one_path, (X, 0.6)),
    ],
    ids=lambda p: getattr(p, "__name__", ""),
)
def test_what_is_not_equal_or_writes_elsewhere_stays(function, args):
    text, plain = both(function, *args)
    assert not any(name.endswith("_primal") for name in functions(text))


def test_what_has_an_effect_stays():
    assert not any(name.endswith("_primal") for name in functions(both(with_effects, 0.4, 0.6)[0]))


def moved_into(program, calls):
    """Put a statement of the function's own into the middle of what each of some calls computes."""
    found = list(dict.fromkeys(op.span.call for op in program.body.ops if op.span.call and not op.adjoint))
    own = next(op.span for op in program.body.ops if op.span.call is None and op.span.line)
    for call in found[:calls]:
        places = [i for i, op in enumerate(program.body.ops) if op.span.call is call and not op.adjoint]
        other = Op(copy, (Lit([1.0]),), (Var(program.params[0].type, "other"),), {}, own, effect=True)
        program.body.ops.insert(places[len(places) // 2], other)


@pytest.mark.parametrize(("disturbed", "left"), [(0, 4), (1, 3), (2, 2), (3, 0), (4, 0)])
def test_a_call_into_which_something_was_moved_stays(disturbed, left):
    text, _ = both(four_layers, X, 0.3, disturb=lambda program: moved_into(program, disturbed))
    assert functions(text).get("layer_primal", 0) == left


def root(p):
    a = p * 2.0
    b = math.sqrt(a)
    c = b * b + a
    d = c / (c + b)
    return d * d


def in_order(p, q, r):
    return 1.0 / p * root(q) + root(r) * root(p)


@pytest.mark.parametrize("gradient", [False, True])
@pytest.mark.parametrize("args", [(0.0, -1.0, 1.0), (1.0, -1.0, 0.0), (-1.0, 1.0, 1.0), (2.0, 1.0, 3.0)])
def test_the_first_exception_is_the_one_that_comes_up(args, gradient):
    """No operation that may raise is written behind a call that it stood before."""
    plain, other = (placed(in_order, 2.0, 1.0, 3.0, gradient=gradient) for _ in range(2))
    outlined = emit_module([other], outline=True)
    assert functions(outlined.text)["root_primal"] == 3
    for emitted in (emit_module([plain]), outlined):
        try:
            expected = in_order(*args)
        except Exception as error:
            with pytest.raises(type(error), match=re.escape(str(error))):
                run(emitted, args)
        else:
            found = run(emitted, args)
            assert (found[0] if gradient else found) == expected


def test_nothing_asks_for_it():
    """It is off: the text of a program is what it was."""
    text = emit_module([placed(eight, 0.7, 1.3)]).text
    assert functions(text) == {} and text == emit_module([placed(eight, 0.7, 1.3)], outline=False).text
