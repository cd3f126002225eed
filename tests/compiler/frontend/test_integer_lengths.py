"""Are lengths right that a program computes by any of Python's operators on integers, in every call?

Functions that are linear in ``s``: what they give for 1 less what they give for 0 is the derivative.
"""

import importlib.util
import itertools
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import ast_ad
from ast_ad.tracing import trace

X = np.linspace(0.5, 2.0, 12)
MOST = 110  # no array or loop is longer
count = itertools.count()

LEAVES = ["a", "b", "2", "3", "7", "-3", "len(x)"]
PAIRS = [
    "({} + {})", "({} - {})", "({} * {})", "({} // {})", "({} % {})", "({} ** {})", "({} << {})",
    "({} >> {})",
    "({} & {})", "({} | {})", "({} ^ {})", "min({}, {})", "max({}, {})", "divmod({}, {})[0]",
    "divmod({}, {})[1]", "len(x[{}:{}])", "len(x[{}::{}])", "len(x[:{}:{}])", "len(range({}, {}))",
    "len(range(0, {}, {}))", "len(range({}, 9, {}))",
]  # fmt: skip
SINGLE = ["abs({})", "(-{})", "(~{})", "round({})", "int({})", "round({}, -1)", "int({} / 2)", "len(x[{}:])"]
FORMS = {
    "ones": "return np.sum(np.ones({0}) * s)",
    "zeros": "v = np.zeros({0})\n    v[:] = s\n    return np.sum(v) + s * v.size",
    "mean": "return np.mean(np.full(max({0}, 1), 2.0) * s) * len(np.zeros(max({0}, 1)))",
    "slice": "return np.sum(x[{0}:{1}] * s)",
    "steps": "return np.sum(x[{0}:{1}:{2}] * s) + s * len(x[{0}:{1}:{2}])",
    "tail": "return np.sum(x[{0}:] * s) + np.sum(x[:{1}] * (2.0 * s))",
    "arange": "return np.sum(np.arange({0}, {1}) * s)",
    "loop": "t = 0.0\n    for i in range({0}, {1}):\n        t = t + s * (i + 1)\n    return t",
    "backward": "t = 0.0\n    for i in range({0}, {1}, {2}):\n        t = t + s * x[i % 12]\n    return t",
    "list": "rows = [s * k for k in range({0})]\n    return sum(rows) + len(rows) * s",
}

expressions = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        st.builds(str.format, st.sampled_from(PAIRS), inner, inner),
        st.builds(str.format, st.sampled_from(SINGLE), inner),
    ),
    max_leaves=3,
)
operands = st.lists(st.tuples(st.integers(-3, 100), st.integers(-3, 12)), min_size=4, max_size=6, unique=True)


def written(folder, form, parts):
    """A function of a module of its own, and the values that its expressions have."""
    name = f"lengths_{next(count)}"
    body = FORMS[form].format(*parts)
    text = f"import numpy as np\n\n\ndef f(s, x, a, b):\n    {body}\n\n\ndef ints(x, a, b):\n"
    path = folder / f"{name}.py"
    path.write_text(text + f"    return [{', '.join(parts)}]\n")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcome(run):
    try:
        return run(), None
    except Exception as error:
        return None, type(error)


def is_short(module, a, b):
    """Whether no array of a call is long, and no integer huge."""
    if abs(a) > 12 and abs(b) > 8:
        return False  # powers and shifts
    values, _ = outcome(lambda: module.ints(X, a, b))
    return values is None or all(isinstance(v, int) and abs(v) <= MOST for v in values)


def agrees(module, gradient, a, b, traced):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, error = outcome(lambda: module.f(0.7, X, a, b))
        found, raised = outcome(lambda: gradient(0.7, X, a, b))
        assert raised is error, (a, b)
        if error is not None:
            return
        slope = module.f(1.0, X, a, b) - module.f(0.0, X, a, b)
        if not traced:
            recorded, pullback = expected, None
        else:
            recorded, pullback = trace(module.f, (0.7, X, a, b), {}, (0,))
    np.testing.assert_allclose(found[0], expected, rtol=1e-13, equal_nan=True)
    np.testing.assert_allclose(found[1], slope, rtol=1e-9, atol=1e-9, equal_nan=True)
    np.testing.assert_allclose(recorded, expected, rtol=1e-13, equal_nan=True)
    if pullback is not None and isinstance(recorded, (float, np.floating)):
        np.testing.assert_allclose(pullback([1.0])[0], slope, rtol=1e-9, atol=1e-9, equal_nan=True)


def checked(folder, form, parts, calls, backend):
    module = written(folder, form, parts)
    gradient = ast_ad.value_and_grad(module.f, backend=backend, check=False)
    for number, (a, b) in enumerate(calls):
        if is_short(module, a, b):
            agrees(module, gradient, a, b, number % 4 == 0)


@pytest.mark.drawn(of=9)
@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_numpy_code(form, tmp_path):
    @settings(
        max_examples=8,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(st.tuples(expressions, expressions, expressions), operands)
    def test(parts, calls):
        checked(tmp_path, form, parts, calls, "numpy")

    test()


CALLS = [(5, 2), (3, 3), (0, 1), (-3, 4), (12, -2), (7, 0), (100, 1), (1, 11)]


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("pattern", PAIRS)
def test_each_operator(pattern, tmp_path):
    """One program answers all calls."""
    form = ("ones", "slice", "loop")[PAIRS.index(pattern) % 3]
    checked(tmp_path, form, (pattern.format("a", "b"), "b", "2"), CALLS, "numpy")


@pytest.mark.slow
@pytest.mark.parametrize(
    "form, parts",
    [
        ("zeros", ("(a // b)", "b", "1")),
        ("backward", ("a", "(b - 3)", "-2")),
        ("steps", ("min(a, b)", "max(a, b)", "(b >> 1)")),
    ],
)
def test_kernels(form, parts, tmp_path):
    checked(tmp_path, form, parts, CALLS, "numba")
