"""Are products of kernels plain where a NaN would show in the results, and looked at where it would not?"""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba", reason="the optional backend is not installed")

ASSUMED = "no zero that meets an infinity in a product"


def roots(x, s):
    """At 0 the root's derivative is infinite, and its cotangent zero."""
    total = 0.0
    for i in range(len(x)):
        r = np.sqrt(x[i])
        total += np.where(x[i] > 0.5, r * s, x[i] * s)
    return total


def flux(a, b):
    total = 0.0
    for i in range(1, len(a)):
        d = a[i] - a[i - 1]
        speed = np.sqrt(d * d + b[i])
        total += np.where(speed > 1e-3, d / speed, d) ** 2
    return total


def whole(x, s):
    return np.sum(np.where(x > 0.5, np.sqrt(x) * s, x * s))


AT = {
    roots: [(np.array([1.0, 2.0, 3.0]), 1.5), (np.array([1.0, 0.0, 3.0]), 1.5)],
    flux: [
        (np.array([1.0, 2.0, 4.0]), np.full(3, 0.1)),
        (np.array([1.0, 1.0, 4.0]), np.array([0.1, 0, 0.1])),
    ],
    whole: [(np.array([1.0, 2.0, 3.0]), 1.5), (np.array([1.0, 0.0, 3.0]), 1.5)],
}


def both(function, *options, of=ast_ad.value_and_grad):
    return of(function, *options, backend="numba", fallback="error"), of(function, *options, backend="numpy")


def agree(found, expected):
    if isinstance(found, (tuple, list)):
        for a, b in zip(found, expected, strict=True):
            agree(a, b)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("function", AT, ids=lambda f: f.__name__)
def test_an_infinity_drops_the_assumption(function):
    """The call that meets it has the right gradient, and those after it have kernels that look at zeros."""
    regular, singular = AT[function]
    compiled, plain = both(function, (0, 1))
    agree(compiled(*regular), plain(*regular))
    assert "safe_product" not in compiled.source and f"assumes {ASSUMED}: holds" in compiled.explain()
    with np.errstate(all="ignore"):
        expected = plain(*singular)
        for _ in range(3):
            agree(compiled(*singular), expected)
    assert np.all(np.isfinite(expected[1][0]))
    assert "safe_product" in compiled.source and "_kernel" in compiled.source
    assert f"assumed {ASSUMED}: did not hold, dropped" in compiled.explain()
    agree(compiled(*regular), plain(*regular))


def test_a_nan_that_is_the_gradient_stays():
    x = np.array([1.0, np.nan, 3.0])
    compiled, plain = both(roots, (0, 1))
    for _ in range(3):
        agree(compiled(x, 2.0), plain(x, 2.0))


@pytest.mark.parametrize("of", [ast_ad.vjp, ast_ad.jacfwd, ast_ad.hessian], ids=lambda f: f.__name__)
def test_other_questions(of):
    function = roots
    for x, s in AT[function]:
        with np.errstate(all="ignore"):
            if of is ast_ad.vjp:
                (value, back), (expected, plain) = (
                    of(function, x, s, backend=backend) for backend in ("numba", "numpy")
                )
                agree((value, back(1.0), back(2.0)), (expected, plain(1.0), plain(2.0)))
            else:
                compiled, plain = (of(function, backend=backend) for backend in ("numba", "numpy"))
                agree([compiled(x, s) for _ in range(2)], [plain(x, s)] * 2)


# ----- programs that would hide a NaN ------------------------------------------------------------------
inner = ast_ad.grad(roots)


def without_nan(x, s):
    g = inner(x, s)
    return np.sum(np.where(np.isnan(g), 0.0, g) * x)


def largest(x, s):
    return np.max(inner(x, s)) * s


def clipped(x, s):
    return np.sum(np.minimum(inner(x, s), 0.8) * x)


def counted(x, s):
    return np.sum(x) * s * int(np.sum(inner(x, s)))


def chosen(x, s):
    return x[np.argmax(inner(x, s))] * s


def to_no_power(x, s):
    return np.sum(inner(x, s) ** 0 * x)


def stopped(x, s):
    g = inner(x, s)
    total = 0.0
    for i in range(len(x)):
        if not g[i] > 0.1:
            break
        total += x[i] * s
    return total


def halved(x, s):
    step = 1.0
    while np.sum(inner(x * step, s)) < 8.0 and step > 0.1:
        step = step / 2
    return np.sum(x) * step


HIDING = [without_nan, largest, clipped, counted, chosen, to_no_power, stopped, halved]


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("function", HIDING, ids=lambda f: f.__name__)
def test_what_hides_a_nan_keeps_the_look(function):
    for x, s in AT[roots]:
        with np.errstate(all="ignore"):
            expected = ast_ad.value_and_grad(function, (0, 1), backend="numpy")(x, s)
            compiled = ast_ad.value_and_grad(function, (0, 1), backend="numba")
            for _ in range(2):
                agree(compiled(x, s), expected)
            value = function(x, s)
        np.testing.assert_allclose(expected[0], value, rtol=1e-12)
        assert np.isfinite(value)


@ast_ad.custom_vjp
def gated(x):
    return x * 1.0


gated.defvjp(lambda x: (x * 1.0, None), lambda saved, g: (np.where(g > 0.0, g, 1.0),))


def by_own_rule(x, s):
    return np.sum(gated(np.where(x > 0.5, np.sqrt(gated(x)) * s, x * s)))


def mapped(x, s):
    total = 0.0
    for i in range(len(x)):
        y = ast_ad.map_cotangent(x[i], lambda g: np.maximum(g, 0.25))
        total += np.where(y > 0.5, np.sqrt(y) * s, y * s)
    return total


@pytest.mark.parametrize("function", [by_own_rule, mapped], ids=lambda f: f.__name__)
def test_rules_of_the_user_that_are_not_linear(function):
    for x, s in AT[roots]:
        compiled, plain = both(function, (0, 1))
        with np.errstate(all="ignore"):
            agree(compiled(x, s), plain(x, s))


def written_to(x, s):
    x[0] *= 2.0
    return roots(x, s)


def test_arguments_that_are_written_to_are_copied_for_each_run():
    compiled, plain = both(written_to, (0, 1))
    x, s = AT[roots][1]
    before = x.copy()
    with np.errstate(all="ignore"):
        agree(compiled(x, s), plain(x, s))
        agree(compiled(x, s), plain(x, s))
    np.testing.assert_array_equal(x, before)


def told(x, s):
    print("once")
    return roots(x, s)


def test_effects_are_seen_once(capsys):
    compiled = ast_ad.value_and_grad(told, backend="numba")
    for x, s in AT[roots]:
        capsys.readouterr()
        with np.errstate(all="ignore"):
            compiled(x, s)
        assert capsys.readouterr().out == "once\n"


class Meter:
    def __init__(self):
        self.calls, self.last = 0, 0.0

    def read(self, x, s):
        self.calls += 1
        self.last = float(np.sum(x))
        return roots(x, s)


def test_stores_are_made_once():
    meter = Meter()
    compiled = ast_ad.value_and_grad(meter.read, backend="numba")
    for i, (x, s) in enumerate(AT[roots]):
        with np.errstate(all="ignore"):
            compiled(x, s)
        assert (meter.calls, meter.last) == (i + 1, np.sum(x))


def drawing(x, s, rng):
    noise = rng.normal(size=len(x))
    total = 0.0
    for i in range(len(x)):
        total += np.where(x[i] > 0.5, np.sqrt(x[i]) * s, x[i]) * noise[i]
    return total


def test_draws_are_made_once():
    for x, s in AT[roots]:
        found = []
        for backend in ("numba", "numpy"):
            rng = np.random.default_rng(3)
            gradient = ast_ad.value_and_grad(drawing, (0, 1), backend=backend)
            with np.errstate(all="ignore"):
                found += [gradient(x, s, rng), rng.normal()]
        agree(found[:2], found[2:])


SCRIPT = """
import sys
import numpy as np
import ast_ad
sys.path.insert(0, sys.argv[1])
from held import roots
gradient = ast_ad.value_and_grad(roots, (0, 1), backend="numba")
with np.errstate(all="ignore"):
    for x in ([1.0, 2.0, 3.0], [1.0, 0.0, 3.0], [1.0, 0.0, 3.0]):
        value, (x_bar, s_bar) = gradient(np.array(x), 1.5)
        print(repr(float(value)), x_bar.tolist(), s_bar)
print("_kernel" in gradient.source, "dropped" in gradient.explain())
"""


@pytest.mark.slow(beyond="two processes, one after the other")
def test_kernels_of_another_process(tmp_path: Path):
    """What the disk keeps has assumed it: where it does not hold, other kernels are compiled."""
    (tmp_path / "held.py").write_text(f"import numpy as np\n\n\n{inspect.getsource(roots)}")
    env = os.environ | {"AST_AD_CACHE_DIR": str(tmp_path / "cache"), "AST_AD_CACHE": "1"}
    outs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path)], env=env, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert outs[0] == outs[1] and outs[0].endswith("True True\n")
