"""Right programs that the check once took for wrong ones, and programs that once made the compiler fail."""

import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import DefectWarning

X = np.array([0.3, 0.5, 0.7, 0.9])
Y = np.arange(6.0).reshape(2, 3) / 7


def rows_and_columns_in_one_list(y, s):
    kept = [y]
    for _ in range(4):
        kept.append(y.T)
    return sum(np.sum(part) * s for part in kept)


def a_list_that_its_turn_changes(x, s):
    for _ in range(len(x)):
        values = list(np.arange(2))
        for k in range(2):
            values[k] = x[k]
        if not k > 0.5:
            return np.median(x) * s
    return values[0] * s


def an_unread_sum_of_none(x, s):
    top = None
    for _ in range(0):
        top = x
    np.sum(top)
    return s * 2.0 + x[0]


def a_helper_that_is_never_called(x, s):
    for j in range(1):
        u = x[j]
        if u > 0.57:
            break

        def update(w):
            return w

        def helper(v):
            return update(v) + missing  # noqa: F821

    return s * u


def an_array_of_another_rank_behind_a_loop(x, s):
    h = x
    for _ in range(2):
        h = np.ones((2, 1))
    return np.einsum("ij->ji", h).sum() * s * x[0]


def windows_of_two_lengths(x, s):
    h = x * 0.1
    part = h
    for i in range(3):
        part = h[i % 2 :]
        part[:] = part * np.tanh(part[1]) * s
        h[:-1] += h[1:]
    return np.sum(part * part) + np.sum(h)


def one_of_two_arrays_of_two_lengths(x, s):
    u = np.zeros(2)
    t = s * u if len(x) < 2 else x
    first, second = t, t[1]
    return second * s + first[0]


def single_precision_among_doubles(x, s, weights=np.array([1.059, 4.839], np.float32)):  # noqa: B008
    return 0.46 * s + 1.31 * np.sum(weights * weights) + x[0] * 0.1


def keys_that_are_popped_in_a_dead_loop(x, s):
    for i in range(4):
        if not i:
            return s * x[0]
        table = {"w": x, "b": 1.0}
        for _ in range(len(x)):
            table["b"] = table.pop("w")


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize(
    "function, given",
    [
        (rows_and_columns_in_one_list, Y),
        (a_list_that_its_turn_changes, X),
        (an_unread_sum_of_none, X),
        (a_helper_that_is_never_called, X),
        (an_array_of_another_rank_behind_a_loop, X),
        (windows_of_two_lengths, X),
        (one_of_two_arrays_of_two_lengths, X),
        (single_precision_among_doubles, X),
        (keys_that_are_popped_in_a_dead_loop, X),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_a_right_program_is_compiled_and_checked_without_an_alarm(function, given, backend):
    derivative = ast_ad.value_and_grad(function, argnums=(0, 1), backend=backend, check=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", DefectWarning)
        value, _ = derivative(given.copy(), 0.3)
    plain = function(given.copy(), 0.3)
    if backend == "numpy":
        assert value == plain
    else:  # kernels add in another order: one of the functions is of single precision
        np.testing.assert_allclose(value, plain, rtol=2e-7)


def test_a_tangent_that_is_computed_in_single_precision():
    def scaled(x, s):
        return x[0] + np.mean(x.astype(np.float32) * s) * s

    with warnings.catch_warnings():
        warnings.simplefilter("error", DefectWarning)
        x = np.array([1.073, 3.0])
        value, tangent = ast_ad.jvp(scaled, (x, 1.5), (x, 1.0), backend="numpy", fallback="error")
    assert value == scaled(x, 1.5)
    np.testing.assert_allclose(tangent, 1.073 + np.mean(x) * 1.5 * 3.5, rtol=1e-6)


class Small(Exception):
    pass


def test_an_exception_that_a_handler_catches_in_a_function_that_prints(capsys, monkeypatch):
    monkeypatch.delenv("AST_AD_CHECK", raising=False)

    def scaled(s):
        print("here")
        try:
            if s < 1.0:
                raise Small()
            s = s * 2.0
        except Small:
            s = s * 3.0
        return s * s

    derivative = ast_ad.value_and_grad(scaled, backend="numpy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", DefectWarning)
        for s, expected in ((0.5, (2.25, 9.0)), (2.0, (16.0, 16.0)), (0.5, (2.25, 9.0))):
            assert derivative(s) == expected
            assert capsys.readouterr().out == "here\n"
