"""What a module that is not installed raises is told to handlers, as long as it is not there."""

import sys
import types

import numpy as np
import pytest

import ast_ad


def from_one(x):
    try:
        from not_installed_anywhere import solver
    except ImportError:
        solver = None
    return np.sum(x**2) * (2.0 if solver is None else 1.0)


def of_a_part(x):
    try:
        import not_installed_anywhere.parts  # noqa: F401

        factor = 1.0
    except ModuleNotFoundError:
        factor = 4.0
    return np.sum(x**2) * factor


def of_a_name(x):
    try:
        from numpy import not_a_name_of_numpy  # noqa: F401

        factor = 1.0
    except ImportError:
        factor = 4.0
    return np.sum(x**2) * factor


def is_there():
    try:
        import not_installed_anywhere  # noqa: F401

        return True
    except ImportError:
        return False


def asked(x):
    return np.sum(x**3) if is_there() else np.sum(x**2)


def passed_on(x):
    try:
        import not_installed_anywhere  # noqa: F401
    except ValueError:
        return np.sum(x)
    except Exception:
        return np.sum(x * 5.0)
    finally:
        x = x * 2.0
    return np.sum(x)


@pytest.mark.parametrize("f", [from_one, of_a_part, of_a_name, asked, passed_on], ids=lambda f: f.__name__)
def test_handlers(f):
    x = np.array([0.5, -1.5])
    value, gradient = ast_ad.value_and_grad(f, fallback="error")(x)
    assert value == f(x)
    assert gradient == pytest.approx([(f(x + h) - f(x - h)) / 2e-6 for h in 1e-6 * np.eye(2)], rel=1e-6)


def test_a_module_that_comes_later(monkeypatch):
    derivative, x = ast_ad.value_and_grad(asked, fallback="error"), np.array([2.0, 3.0])
    assert derivative(x)[0] == 13.0
    monkeypatch.setitem(sys.modules, "not_installed_anywhere", types.ModuleType("not_installed_anywhere"))
    assert derivative(x)[0] == 35.0


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_what_no_handler_catches():
    def f(x):
        import not_installed_anywhere  # noqa: F401

        return np.sum(x)

    with pytest.raises(ModuleNotFoundError):
        ast_ad.grad(f)(np.ones(2))
