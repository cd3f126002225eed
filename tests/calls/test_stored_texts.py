"""Are texts that are known at run time only stored in objects from outside, once for each call?"""

import types

import numpy as np
import pytest

import ast_ad

STEP = 1e-6


def fresh():
    return types.SimpleNamespace(error=0, message=None, log=[], status={}, name="a")


MODEL = fresh()


def cause(x):
    MODEL.message = None
    if x < 0:
        MODEL.message = "negative"
        return 0.0 * x
    return x * x


def cause_with_a_number(x):
    MODEL.error, MODEL.message = 0, None
    if x < 0:
        MODEL.error, MODEL.message = 4, f"mean motion {x:f} is less than zero"
        return 0.0 * x
    return x * x


def always(x):
    MODEL.message = f"value {x:.3f}"
    return x * x


def chosen(x):
    MODEL.message = "fine" if x > 0 else "bad"
    return x**2 if MODEL.message == "fine" else x**3


def of_the_last_pass(x):
    for k in range(3):
        MODEL.message = f"step {k}"
        if x * k > 1.0:
            break
    return x * x * k


def in_a_dict(x):
    MODEL.status["size"] = "big" if x > 0.5 else "small"
    return x**3


def in_a_list(x):
    MODEL.log.append(f"{x:.2f}")
    MODEL.log.append("end")
    return x**3


def longer(x):
    MODEL.name = MODEL.name + ("+" if x > 0 else "-")
    return x**2


def in_a_pair(x):
    MODEL.message = ("bad", f"{x:.1f}") if x < 0 else ("fine", "")
    return x**2


def none_or_a_text(x):
    MODEL.message = None if x > 0 else "bad"
    return x**2 if MODEL.message is None else x**3


PROGRAMS = [cause, cause_with_a_number, always, chosen, of_the_last_pass, in_a_dict, in_a_list, longer,
            in_a_pair, none_or_a_text]  # fmt: skip


def left_by(call, *args):
    """What a call gives, and what it leaves in a fresh model."""
    MODEL.__dict__.update(fresh().__dict__)
    return call(*args), dict(MODEL.__dict__)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_a_call_leaves_what_the_function_leaves(f, backend):
    gradient = ast_ad.grad(f, backend=backend, fallback="error")
    for x in (0.7, -0.7, 0.7, 0.3):
        slope, left = left_by(gradient, x)
        _, expected = left_by(f, x)
        assert left == expected
        assert slope == pytest.approx((f(x + STEP) - f(x - STEP)) / (2 * STEP), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("operator", [ast_ad.hessian, ast_ad.jacobian, lambda f: ast_ad.grad(ast_ad.grad(f))])
def test_operators_leave_it_once(operator):
    _, left = left_by(operator(in_a_list), 0.7)
    assert left["log"] == ["0.70", "end"]


def test_each_row_of_a_map_leaves_its_own():
    values, left = left_by(ast_ad.vmap(in_a_list), np.array([0.1, 0.2]))
    np.testing.assert_allclose(values, [0.001, 0.008])
    assert left["log"] == ["0.10", "end", "0.20", "end"]
