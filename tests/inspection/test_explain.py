"""Does the report say what the generated code does?"""

import numpy as np
import pytest

from ast_ad import FallbackWarning, grad, inspect, value_and_grad, vjp

scale = 2.0
settings = {"rate": 1.5, "mode": "fast"}
X = np.array([0.5, 1.5, 2.0])


def activation(z):
    return np.tanh(z) * scale


def network(w, x, y):
    h = activation(w @ x)
    e = h * h
    h[0] = 1.0
    if settings["mode"] == "fast":
        e = e * settings["rate"]
    return np.sum(h * y) + np.sum(np.sin(e))


def recurrence(x, n):
    s = 0.0
    for i in range(n):
        s = s + np.sin(x[i] * s)
    return s


def line(function, text):
    """The number of the line of this file that holds the text, after the function's own."""
    first = function.__code__.co_firstlineno
    with open(__file__) as file:
        lines = file.read().split("\n")
    return next(i + 1 for i in range(first - 1, len(lines)) if text in lines[i])


@pytest.fixture
def report():
    return inspect(network, np.ones((3, 3)), X, X).explain()


def found(report, *parts):
    assert any(all(part in one for part in parts) for one in report.split("\n")), (parts, report)


def test_what_is_saved_and_who_reads_it(report):
    write, square = line(network, "h[0] = 1.0"), line(network, "h * h")
    found(
        report,
        "h (line",
        f"copied, because line {write} overwrites it; the adjoint of line {square} reads it",
    )
    found(report, "x: 1-d float64 array; kept by reference", f"line {line(network, 'w @ x')}")
    found(report, "np.tanh(z) (line", "kept by reference")


def test_the_report_agrees_with_the_source(report):
    source = inspect(network, np.ones((3, 3)), X, X).forward_source
    assert source.count(".copy()") == report.count("copied, because")
    residuals = source.strip().split("return ")[-1].partition("(")[2]
    saved = report.split("backward pass:\n")[1].split("\n\n")[0].split("\n")
    assert len(saved) == residuals.rpartition("(")[2].count(",") + 1


def test_code_and_data_from_outside(report):
    found(report, "activation  test_explain.py:", str(activation.__code__.co_firstlineno))
    found(report, "scale: float")
    found(report, "settings['rate']: float")
    found(report, "settings['mode'] = 'fast'")


def test_loops():
    g = value_and_grad(recurrence)
    g(X, 3)
    report, loop, body = g.explain(), line(recurrence, "for i"), line(recurrence, "np.sin(x[i]")
    found(report, f"for each iteration of the loop in line {loop}:")
    found(report, "    s", f"float; the adjoint of line {body} reads it")
    found(report, f"x[i] * s  (line {body})")
    assert "Computed again" in report and "with respect to x" in report


def test_a_linear_program_saves_nothing():
    g = grad(lambda x: np.sum(3.0 * x) + x[0])
    g(X)
    saved = g.explain().split("backward pass:\n")[1]
    assert "nothing" in saved or "its shape" in saved


def test_constants_and_copies():
    def f(x, axis, kind):
        x *= 2.0
        return np.sum(np.sum(np.outer(x, x), axis=axis) ** 2) if kind == "square" else 0.0

    g = grad(f)
    g(X, 1, "square")
    report = g.explain()
    found(report, "axis = 1")
    found(report, "kind = 'square'")
    assert "because it writes to them:\n  x" in report


def test_pullbacks_copy_arguments():
    g = vjp(lambda x, y: x * y)
    g(X, X)
    assert g.explain().count("the caller may change it") == 2


def multiples(x):
    turns = (i for i in range(1, 4))
    yield next(turns) * x
    for i in turns:  # an iterator that is asked in two places: not followed
        yield i * x


def opaque(x):
    return sum(np.sum(np.sin(z)) for z in multiples(x))


def partly(x):
    return opaque(x) * 3.0 + np.sum(x)


def test_mode_says_which_callees_were_traced():
    gradient, x = grad(partly), np.array([0.5, 2.0])
    with pytest.warns(FallbackWarning, match="opaque"):
        np.testing.assert_allclose(gradient(x), 1.0 + 3.0 * sum(k * np.cos(k * x) for k in (1, 2, 3)))
    assert gradient.mode == "compiled" and str(gradient.mode) == "compiled"
    (name,) = gradient.mode.traced
    assert name.startswith("opaque (test_explain.py:") and repr(gradient.mode) == f"'compiled' but for {name}"
    assert "opaque" in gradient.explain().partition("Traced when the program runs")[2]
    gradient = grad(lambda x: x * x)
    gradient(2.0)
    assert gradient.mode.traced == () and repr(gradient.mode) == "'compiled'"
