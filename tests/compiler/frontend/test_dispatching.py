"""Do wrappers, classes and registries vanish from compiled programs, with Python's own result?"""

from __future__ import annotations

import functools
import inspect
import logging
import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad import grad, hessian, jvp, value_and_grad
from tests.compiler.frontend import dispatching
from tests.compiler.frontend.dispatching import COMPILED, PROGRAMS, Program

POINTS = np.array([0.3, 0.7, 1.1]), np.array([1.7, 0.4, 0.9])


def differences(f: Program, x: np.ndarray) -> np.ndarray:
    found = np.zeros_like(x)
    for i in range(x.size):
        step = np.zeros_like(x)
        step[i] = 1e-4
        found[i] = (8 * (f(x + step) - f(x - step)) - (f(x + 2 * step) - f(x - 2 * step))) / 12e-4
    return found


@pytest.mark.drawn(of=2)
@pytest.mark.slow(beyond=3)
@pytest.mark.parametrize("f", PROGRAMS + COMPILED, ids=lambda f: f.__name__)
def test_gradients_are_compiled_and_right(f: Program) -> None:
    derivative = value_and_grad(f, fallback="error")
    for x in POINTS:
        for _ in range(2):
            value, gradient = derivative(x)
            assert value == pytest.approx(f(x), rel=1e-13)
            np.testing.assert_allclose(gradient, differences(f, x), rtol=1e-6, atol=1e-7)


@pytest.mark.drawn(of=6)
@pytest.mark.slow
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_other_modes_agree(f: Program) -> None:
    x = POINTS[0]
    gradient = grad(f)(x)

    def traced(x: np.ndarray) -> object:
        eval("1")
        return f(x)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        np.testing.assert_allclose(grad(traced)(x), gradient, rtol=1e-12)
    np.testing.assert_allclose(grad(f, backend="numba")(x), gradient, rtol=1e-12)
    assert jvp(f, (x,), (POINTS[1],))[1] == pytest.approx(gradient @ POINTS[1], rel=1e-12)
    second = np.array([(grad(f)(x + h) - grad(f)(x - h)) / 2e-5 for h in 1e-5 * np.eye(3)])
    np.testing.assert_allclose(hessian(f)(x), second, rtol=1e-5, atol=1e-6)


# ----- what a program was compiled on, and what changes later
@pytest.mark.slow
@pytest.mark.parametrize(
    "change", ["implementation", "new class", "signature", "member", "descriptor", "global"]
)
def test_what_has_decided_is_guarded(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x = POINTS[0]

    @functools.singledispatch
    def weight(v):
        return np.sum(v) * 2.0

    def scaled(v, scale=2.0):
        return np.sum(v**2) * scale

    def wrapper(*args):
        bound = inspect.signature(scaled).bind(*args)
        bound.apply_defaults()
        return scaled(*bound.args)

    class Holder:
        half = functools.partialmethod(lambda self, k, v: np.sum(v) * k, 0.5)

        def __init__(self, v):
            self.v = v

        def __add__(self, other):
            return np.sum(self.v * other)

    def f(x):
        return weight(x) + wrapper(x) + (Holder(x) + x) + Holder(x).half(x) + globals()["SCALE"] * x[0]

    derivative = grad(f, fallback="error")
    np.testing.assert_allclose(derivative(x), differences(f, x), rtol=1e-7)
    if change == "implementation":
        weight.register(np.ndarray, lambda v: np.sum(v**3))
    elif change == "new class":
        weight.register(object, lambda v: np.sum(v) * 7.0)
    elif change == "signature":
        scaled.__defaults__ = (5.0,)
    elif change == "member":
        Holder.__add__ = lambda self, other: np.sum(self.v**2 * other)
    elif change == "descriptor":
        Holder.half = functools.partialmethod(lambda self, k, v: np.sum(v) * k, 4.5)
    else:
        monkeypatch.setitem(globals(), "SCALE", 8.0)
    np.testing.assert_allclose(derivative(x), differences(f, x), rtol=1e-7)


SCALE = 3.0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_wrappers_that_fit_less_than_they_take() -> None:
    """A decorator that fills in what the call leaves out, though the signature that it shows asks for it."""

    def inner(x, scale):
        return np.sum(x**2) * scale

    @functools.wraps(inner)
    def wrapper(*args, **kwargs):
        bound = inspect.signature(inner).bind_partial(*args, **kwargs)
        bound.arguments.setdefault("scale", 3.0)
        return inner(*bound.args, **bound.kwargs)

    np.testing.assert_allclose(grad(wrapper, fallback="error")(POINTS[0]), 6.0 * POINTS[0])
    np.testing.assert_allclose(grad(wrapper, fallback="error")(POINTS[0], scale=1.0), 2.0 * POINTS[0])
    with pytest.raises(TypeError):
        grad(wrapper)(POINTS[0], 1.0, 2.0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_calls_that_do_not_bind() -> None:
    def f(x):
        return np.sum(inspect.signature(dispatching.product).bind(x, x, x).args[0])

    def g(x):
        return dispatching.Frozen(b=x[0]).a

    for function in (f, g):
        with pytest.raises(TypeError):
            grad(function)(POINTS[0])


@pytest.mark.slow
def test_an_array_before_an_object_that_numpy_takes_apart() -> None:
    """NumPy multiplies each element with the object: no operator of its class for the whole array."""

    class Scale:
        def __init__(self, k):
            self.k = k

        def __rmul__(self, other):
            return other * self.k

    def f(x):
        return np.sum(x * Scale(2.0)) + x[0] * Scale(x[1])

    with pytest.warns(ast_ad.FallbackWarning, match="applies the operator to each element"):
        gradient = grad(f)(POINTS[0])
    np.testing.assert_allclose(gradient, [2.0 + POINTS[0][1], 2.0 + POINTS[0][0], 2.0])


def test_comparison_of_objects_without_code() -> None:
    class Plain:
        pass

    def f(x):
        one, two = Plain(), Plain()
        return np.sum(x) * (2.0 if one == one else 3.0) * (5.0 if one != two else 7.0)

    np.testing.assert_allclose(grad(f, fallback="error")(POINTS[0]), 10.0)


# ----- loggers
class Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[tuple[str, str, str, int]] = []

    def emit(self, record: logging.LogRecord) -> None:
        found = record.levelname, record.getMessage(), record.funcName, record.lineno
        self.records.append(found)


@pytest.fixture
def kept():
    handler, logger = Kept(), logging.getLogger("tests.dispatching")
    logger.addHandler(handler)
    logger.propagate = False
    logger.setLevel(logging.INFO)
    yield handler
    logger.removeHandler(handler)


LOG = logging.getLogger("tests.dispatching")


def logs(x):
    total = 0.0
    for i in range(len(x)):
        LOG.info("%d: %.2f", i, x[i])
        total += x[i] ** 3
    LOG.debug("never %s", total)
    if LOG.isEnabledFor(logging.ERROR):
        logging.getLogger("tests.dispatching").error(f"sum {x[0]:.1f} of %s", x)
    return total


def logs_traced(x):
    eval("1")
    return logs(x)


@pytest.mark.drawn(of=8)
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("f", [logs, logs_traced])
@pytest.mark.parametrize("ask", [grad, value_and_grad, hessian, lambda f: lambda x: jvp(f, (x,), (x,))])
def test_each_call_logs_once_and_plain_numbers(f, ask, kept) -> None:
    derivative = ask(f)
    for x in (*POINTS, POINTS[0]):
        kept.records.clear()
        f(x)
        expected = list(kept.records)
        assert len(expected) == 4
        kept.records.clear()
        derivative(x)
        assert kept.records == expected


@pytest.mark.slow
def test_levels_of_loggers_are_guarded(kept) -> None:
    derivative = grad(logs, fallback="error")
    derivative(POINTS[0])
    for level, count in ((logging.ERROR, 1), (logging.DEBUG, 5), (logging.CRITICAL, 0), (logging.INFO, 4)):
        LOG.setLevel(level)
        for _ in range(2):
            kept.records.clear()
            derivative(POINTS[0])
            assert len(kept.records) == count


@pytest.mark.slow
def test_logs_before_an_exception(kept) -> None:
    def f(x):
        LOG.info("before %s", x[0])
        if x[0] > 1.0:
            raise ValueError
        return np.sum(x**2)

    derivative = grad(f, fallback="error")
    derivative(POINTS[0])
    kept.records.clear()
    for _ in range(2):
        with pytest.raises(ValueError):
            derivative(POINTS[1])
    assert [record[1] for record in kept.records] == ["before 1.7"] * 2


def test_logged_arrays_are_what_they_were(kept) -> None:
    def f(x):
        y = x * 2
        LOG.info("%s", y)
        y[:] = 0.0
        return np.sum(x)

    got: list[logging.LogRecord] = []
    kept.emit = got.append
    derivative = grad(f, fallback="error")
    for _ in range(2):
        derivative(POINTS[0])
    assert got[1].getMessage() == str(POINTS[0] * 2)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_the_percent_of_a_text_formats_traced_numbers() -> None:
    texts = []

    def f(x):
        eval("1")
        text = "%.1f"
        texts.append("%.1f and %5.2f" % (x[0], x[1]) + text % x[2])  # noqa: UP031
        return np.sum(x**2)

    np.testing.assert_allclose(grad(f)(POINTS[0]), 2 * POINTS[0])
    assert set(texts) == {"0.3 and  0.701.1"}


# ----- derivatives within compiled code
@pytest.mark.slow
def test_a_path_that_raises_within_a_derivative_is_compiled() -> None:
    def checked(x):
        if np.any(x > 100.0):
            raise ValueError("out of range")
        return np.sum(x**3)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(hessian(checked)(POINTS[0]), np.diag(6 * POINTS[0]))
        assert jvp(checked, (POINTS[0],), (POINTS[1],))[1] == pytest.approx(3 * POINTS[0] ** 2 @ POINTS[1])
        with pytest.raises(ValueError, match="out of range"):
            jvp(checked, (POINTS[0] * 1000,), (POINTS[1],))
