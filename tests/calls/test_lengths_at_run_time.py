"""Are lists whose length is known at run time only differentiated as values of a function?"""

import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad.trees import flatten


def squares(x):
    found = []
    for v in x:
        found.append(v * v)
    return found


def arrays_beside_a_number(x):
    found = []
    for i in range(len(x)):
        found.append(x[: i + 1] * x[i])
    return {"number": x[0] ** 3, "all": found}


def begun_with_an_integer(x):
    found = [1]
    for v in x:
        found.append(v * found[-1])
    return found


OF_LENGTHS = {
    squares: [1.0, 2.0, -3.0],
    arrays_beside_a_number: {"number": 0.5, "all": [np.ones(1), np.arange(2.0), np.ones(3) - 2.0]},
    begun_with_an_integer: [0.0, 1.0, 2.0, -3.0],
}


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", OF_LENGTHS)
def test_cotangents_of_what_has_a_length_at_run_time_only(f, backend):
    """They have the structure of the value, and are right: against the tangent, twice."""
    x, direction = np.array([0.5, -1.5, 2.0]), np.array([1.0, 0.3, -0.7])
    _, tangent = ast_ad.jvp(f, (x,), (direction,), backend=backend, fallback="error")
    pairs = zip(flatten(OF_LENGTHS[f])[0], flatten(tangent)[0], strict=True)
    expected = sum(np.sum(g * t) for g, t in pairs)
    pullback = ast_ad.vjp(f, backend=backend, fallback="error")(x)[1]
    for scale in (1.0, 1.0, -2.0):
        given = flatten(OF_LENGTHS[f])[1].unflatten([scale * g for g in flatten(OF_LENGTHS[f])[0]])
        np.testing.assert_allclose(pullback(given)[0] @ direction, scale * expected, rtol=1e-12)
    with pytest.raises(ast_ad.errors.InputValueError, match="other leaves than the value"):
        pullback([1.0])


def test_the_pullback_of_a_pullback_fails_in_no_other_way():
    """It is traced; the compiler met cotangents of three numbers where it has one list, and failed."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ast_ad.check_grads(squares, (np.array([0.5, -1.5, 2.0]),), order=2, modes=("rev",))
    assert not any(issubclass(w.category, ast_ad.errors.DefectWarning) for w in told)


@pytest.mark.drawn(of=2)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning", "error::ast_ad.errors.DefectWarning")
@pytest.mark.parametrize("f", [squares, arrays_beside_a_number])
def test_derivatives_of_what_has_a_length_at_run_time_only(f):
    ast_ad.check_grads(f, (np.array([0.5, -1.5, 2.0]),), order=2)
