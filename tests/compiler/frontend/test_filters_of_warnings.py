"""Does a derivative warn of what the function warns of, where its own filters ignore warnings?"""

import warnings

import numpy as np
import pytest

import ast_ad

X = np.linspace(0.2, 1.7, 5)


def logs(x):
    return np.where(x > 0.5, np.log(x - 0.5), x)


def of_one_class(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.sum(logs(x))


def of_all(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.warn("hello")  # noqa: B028
        warnings.warn(f"x {x[0]}", DeprecationWarning)  # noqa: B028
        y = np.sum(logs(x))
    warnings.warn("after")  # noqa: B028
    return y


def the_latest_first(x):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning)
        warnings.warn("hello")  # noqa: B028
        warnings.filterwarnings("always", category=UserWarning)
        warnings.warn("shown")  # noqa: B028
        warnings.warn("not ignored", FutureWarning)  # noqa: B028
        return np.sum(x**2)


def left_early(x):
    total = 0.0
    for i in range(3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if x[0] > 5:
                return total
            total += np.sum(logs(x * i))
    return total


class Quiet:
    def run(self, f, x):
        with warnings.catch_warnings():
            warnings.simplefilter(action="ignore", category=Warning)
            return f(x)


def within_a_method(x):
    return np.sum(Quiet().run(logs, x) * x)


def in_a_loop(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(3):
            x = x * 0.9
            warnings.warn(f"turn {k}")  # noqa: B028
    return np.sum(x)


def told(f):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        f(X.copy())
    return [(one.category, str(one.message)) for one in found]


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize(
    "f", [of_one_class, of_all, the_latest_first, left_early, within_a_method, in_a_loop]
)
def test_a_derivative_warns_as_the_function_does(f, backend):
    gradient = ast_ad.value_and_grad(f, backend=backend, fallback="error")
    for _ in range(3):
        assert told(gradient) == told(f)


def test_errors_that_raise_do_so_within_a_filter():
    def f(x):
        with np.errstate(invalid="raise"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.sum(np.log(x - 0.5))

    with pytest.raises(FloatingPointError):
        ast_ad.grad(f)(X)
    assert np.geterr()["invalid"] == "warn"


def test_errors_are_handled_behind_the_block_as_before():
    def f(x):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y = np.sum(x)
        return y + np.sum(logs(x))

    with pytest.warns(RuntimeWarning, match="invalid value"):
        ast_ad.grad(f, backend="numpy", check=False)(X)
