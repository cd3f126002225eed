"""Do kernels compute with Python's integers as Python does, at the ends of the machine's and beyond?

Each expression of two integers runs in a kernel, alone, as a carried value and as a loop's bound, on pairs of
extreme numbers; the value and the gradient must be those of the plain function.
"""

import importlib.util

import numpy as np
import pytest

import ast_ad

EXPRESSIONS = """
n + m
n - m
n * m
n // m
n % m
-n
+n
~n
abs(n)
n & m
n | m
n ^ m
min(n, m)
max(n, m)
n ** 2
n ** 3
n << 3
n >> 2
n + 0xFFFFFFFFFFFFFFFF
n ^ 0xAAAAAAAAAAAAAAAA
n % 10**19
n // 2**63
n // -1
n % -1
n * 3 - m
(n | m) + (n | m)
(n ^ m) - (m ^ 5)
-(n & m) - 1
abs(n) + abs(m)
-n - m
n + n + n
(n + m) // 2
2 * n + 1
n - 2**62
(n * m) % 1000003
int(n > m) + n
n if n > m else m
divmod(n, m)[1]
(n // m) * m + n % m
1000 * n
""".strip().splitlines()
EXTREMES = [
    0,
    1,
    -1,
    7,
    -5,
    2**31,
    -(2**31),
    2**53 + 1,
    2**61,
    2**62 - 1,
    2**62,
    -(2**62),
    2**63 - 1,
    -(2**63),
]
FORMS = {
    "alone": """
def f(x, n, m):
    return x * (({0}) % 1009 + 1)
""",
    "carried": """
def f(x, n, m):
    k, s = n, 0.0
    for i in range(3):
        s += x[i] * (k % 1009)
        n = k
        k = {0}
    return s + np.sum(x) * (k % 1009)
""",
    "counter": """
def f(x, n, m):
    s, turns = 0.0, 0
    for n in range(n, n + 3):
        s += x[turns] * (({0}) % 1009 + 1)
        turns += 1
    return s
""",
}


def pairs(form):
    """Few pairs, in which every number comes first and second."""
    k = EXPRESSIONS.index
    return lambda text: [
        (a, EXTREMES[(i * 5 + k(text)) % len(EXTREMES)])
        for i, a in enumerate(EXTREMES[:: 1 if form == "alone" else 2])
    ]


def load(path, text):
    path.write_text("import numpy as np\n" + text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def outcome(function, *args):
    try:
        return function(*args), None
    except ArithmeticError as error:
        return None, type(error)


CASES = [(text, form) for form in FORMS for text in EXPRESSIONS[:: 1 if form == "alone" else 3]]
NUMPY_ONLY = ("<<", ">>", "~", "0x", "10**19", "2**62", "2**63", "n **", "divmod")


@pytest.mark.drawn(of=5)
@pytest.mark.parametrize(("text", "form"), CASES)
def test_an_expression(text, form, tmp_path):
    f = load(tmp_path / "program.py", FORMS[form].format(text))
    x = 0.75 if form == "alone" else np.array([0.5, -1.25, 2.0])
    derivative = ast_ad.value_and_grad(f, backend="numba")
    derivative(x, 7, 5)
    assert derivative.backend == "numba" or any(part in text for part in NUMPY_ONLY)
    for n, m in pairs(form)(text):
        plain, error = outcome(f, x, n, m)
        derivative = ast_ad.value_and_grad(f, backend="numba")  # one that failed would be answered by NumPy
        found, raised = outcome(derivative, x, n, m)
        assert raised is error, (n, m)
        if error is None:
            value, gradient = found
            assert value == plain, (n, m)
            # linear in x: the value at unit vectors
            units = [1.0] if form == "alone" else np.eye(3)
            np.testing.assert_allclose(gradient, np.squeeze([f(u, n, m) for u in units]), rtol=1e-15)
