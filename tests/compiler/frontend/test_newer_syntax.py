"""Are functions written in the syntax of Python 3.12 and 3.13 compiled, or refused and traced?

The programs are texts: older versions of Python can't read them.
"""

import importlib.util
import itertools
import sys
import textwrap

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import UnsupportedError

X = np.array([0.7, 1.3, -0.4])


@pytest.fixture
def load(tmp_path):
    count = itertools.count()

    def load(text):
        path = tmp_path / f"newer{next(count)}.py"
        path.write_text("import numpy as np\nimport copy, dataclasses\n" + textwrap.dedent(text))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
        return module.f

    return load


def differences(f, x):
    """Central differences, extrapolated once."""

    def slope(i, h):
        up, down = x.copy(), x.copy()
        up[i] += h
        down[i] -= h
        return (f(up) - f(down)) / (2 * h)

    return np.array([(4 * slope(i, 5e-4) - slope(i, 1e-3)) / 3 for i in range(x.size)])


def agrees(f, backend, **options):
    gradient = ast_ad.value_and_grad(f, backend=backend, **options)
    value, x_bar = gradient(X)
    assert np.isclose(value, f(X), rtol=1e-12) and np.allclose(x_bar, differences(f, X), rtol=1e-7)
    return gradient


# By the version that first reads them.
COMPILED = {
    "comprehensions_are_inlined": (
        (3, 11),
        """
        def f(x):
            i = 7.0
            pairs = [x[i] * x[j] for i in range(x.shape[0]) for j in range(i)]
            tables = {k: [v * k for v in pairs] for k in (1, 2)}
            return sum([v * i for v in pairs]) + tables[1][0] + tables[2][1]
        """,
    ),
    "names_of_comprehensions_stay_inside": (
        (3, 11),
        """
        def f(x):
            y = x[0]
            squares = [y * y for y in x]
            scaled = [(lambda q: q * y * z)(w) for z in (1.0, 2.0) for w in squares]
            return sum(scaled) + y
        """,
    ),
    "lambdas_of_a_comprehension_share_its_variable": (
        (3, 11),
        """
        def f(x):
            powers = [lambda v: v ** k for k in (1, 2, 3)]
            own = [lambda v, k=k: v ** k for k in (1, 2, 3)]
            return sum([p(x[0]) for p in powers]) + own[1](x[1])
        """,
    ),
    "comprehension_in_a_class": (
        (3, 11),
        """
        class Model:
            weights = [k * 2.0 for k in range(3)]
            def value(self, x):
                return np.sum(x * self.weights[1] * x)
        f = Model().value
        """,
    ),
    "generic_function": (
        (3, 12),
        """
        def f[T: (int, float), *Ts, **P](x: T, k=2.0) -> T:
            y: T = x * k
            def inner[U](v: U) -> T:
                return np.sum(v ** 2) * k
            return inner(y)
        """,
    ),
    "type_parameter_as_a_value": ((3, 12), "def f[T](x):\n    z = T\n    return np.sum(x ** 3)\n"),
    "generic_class": (
        (3, 12),
        """
        class Box[T]:
            def __init__(self, w: T):
                self.w = w
            def value(self, x: T) -> T:
                return np.sum(self.w * x ** 2)
        f = Box(2.0).value
        """,
    ),
    "nested_f_strings": (
        (3, 12),
        """
        def f(x):
            name = f"{f"{'a' + f"{1}"}":>{3}}"
            return np.sum(x ** 2) if name == " a1" else np.sum(x)
        """,
    ),
    "docstring": ((3, 11), 'def f(x):\n    """A.\n\n        B.\n    """\n    return np.sum(x ** 2)\n'),
    "copy_replace": (
        (3, 13),
        """
        @dataclasses.dataclass(frozen=True)
        class Scale:
            power: float
            factor: float
        def f(x):
            scale = copy.replace(Scale(2.0, 3.0), factor=5.0)
            return np.sum(x ** scale.power) * scale.factor
        """,
    ),
}
REFUSED = {
    "type_statement": ((3, 12), "def f(x):\n    type V = list[int]\n    return np.sum(x ** 2)\n"),
    "exception_group": (
        (3, 11),
        """
        def f(x):
            try:
                y = np.sum(x ** 2)
            except* ValueError:
                y = 0.0
            return y
        """,
    ),
}


def programs(table):
    wanted = [
        pytest.param(text, id=name) for name, (least, text) in table.items() if sys.version_info >= least
    ]
    assert wanted
    return wanted


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("text", programs(COMPILED))
def test_what_is_compiled(load, text, backend):
    assert agrees(load(text), backend, fallback="error").mode == "compiled"


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("text", programs(REFUSED))
def test_what_is_traced(load, text):
    f = load(text)
    with pytest.raises(UnsupportedError):
        ast_ad.grad(f, fallback="error")(X)
    assert agrees(f, "numpy").mode != "compiled"
