"""Is C code that looks at more than its arguments asked at each call, in the frame of its caller?"""

import contextvars
import inspect
import math
import os
import sys
import time

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.frontend.source.opaque import answers_by_arguments

K = 4.0
SETTING = contextvars.ContextVar("SETTING", default=2.0)
X = np.array([0.7, 1.3, -0.4])


def by_locals(x):
    k = 2.0
    return np.sum(x * x) * len(locals()) + k


def by_globals(x):
    return np.sum(x * x) * globals()["K"]


def by_vars(x):
    return np.sum(x * x) * len(vars())


def by_dir(x):
    return np.sum(x * x) * len(dir())


def by_eval(x):
    k = 2.0
    return eval("np.sum(x * x) * k * K")


def by_frame(x):
    return np.sum(x * x) * len(sys._getframe().f_code.co_name)


def by_current_frame(x):
    return np.sum(x * x) * len(inspect.currentframe().f_code.co_name)


def in_a_test(x):
    return np.sum(x * x) * ("x" in locals()) + np.sum(x) * ("self" in locals())


def in_a_comprehension(x):
    return sum([len(locals()) * v for v in x])


def in_a_lambda(x):
    count = lambda y, z: len(locals()) * y  # noqa: E731
    return sum([count(v, 1.0) for v in x])


def helper(x, k):
    m = k * 2.0
    return x * len(locals()) + m


def in_a_helper(x):
    return np.sum(helper(x, 3.0) * x)


def under_another_name(x, names=locals):
    return np.sum(x * x) * len(names())


class Model:
    def value(self, x):
        return np.sum(x * x) * len(locals())


def in_nested_loops(x):
    s = 0.0
    for i in range(2):
        for v in x:
            s += v * v * len(locals())
    return s


FRAMES = [
    by_locals, by_globals, by_vars, by_dir, by_eval, by_frame, by_current_frame, in_a_test,
    in_a_comprehension, in_a_lambda, in_a_helper, under_another_name, Model().value, in_nested_loops,
]  # fmt: skip


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", FRAMES, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_the_callers_frame(f, backend):
    value, slope = ast_ad.value_and_grad(f, backend=backend)(X)
    h = 1e-5
    expected = [(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(3)]
    assert value == f(X) and np.allclose(slope, expected, rtol=1e-8)


def by_clock(x):
    return np.sum(x * x) * time.perf_counter_ns()


def by_folder(x, path):
    return np.sum(x * x) * len(os.listdir(path))


def by_file(x, path):
    with open(path + "/number") as file:
        return np.sum(x * x) * float(file.read())


def by_context(x):
    return np.sum(x * x) * SETTING.get()


def by_size(x, path):
    return np.sum(x * x) * os.stat(path + "/number").st_size


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_what_changes_between_two_calls(backend, tmp_path):
    path = str(tmp_path)
    (tmp_path / "number").write_text("2.0")
    for f, inputs in [(by_folder, (path,)), (by_file, (path,)), (by_context, ()), (by_size, (path,))]:
        gradient = ast_ad.value_and_grad(f, backend=backend)
        for number in range(3):
            (tmp_path / f"another {f.__name__} {number}").touch()
            (tmp_path / "number").write_text("3" * (number + 1))
            token = SETTING.set(5.0 + number)
            assert gradient(X, *inputs)[0] == f(X, *inputs)
            SETTING.reset(token)
    times = [ast_ad.value_and_grad(by_clock, backend=backend)(X)[0] for _ in range(3)]
    assert len(set(times)) == 3


def test_what_is_known_to_look_at_its_arguments():
    known = [
        math.gcd,
        np.zeros,
        "a".upper,
        str.upper,
        (1, 2).index,
        [1].index,
        {"a": 1}.get,
        len,
        max,
        np.finfo,
    ]
    assert all(map(answers_by_arguments, known))
    clocks = [time.time, time.monotonic, os.getpid, os.getcwd, os.listdir, sys._getframe, sys.getrefcount]
    outside = [locals, globals, vars, dir, eval, exec, open, input, id, hash, iter([1]).__next__, SETTING.get]
    assert not any(map(answers_by_arguments, [*clocks, *outside, np.fromfile, np.random.rand]))
