"""Modules that a function imports when it runs: `math` and NumPy are replaced there as elsewhere."""

import math
import sys
import textwrap

import numpy as np
import pytest

import ast_ad

WHOLE = {
    "__init__.py": "",
    "series.py": """
        from math import atan, tan
        import numpy as np
        TABLE = np.linspace(0.0, 1.0, 3)
        def angle(x):
            return atan(0.9 * tan(x)) + x * TABLE[1]
        class Body:
            def __init__(self, mass):
                self.mass = mass
            def weight(self, x):
                return self.mass * atan(x)
        """,
    "inner/__init__.py": "",
    "inner/deep.py": """
        from math import exp
        def grown(x):
            return exp(x)
        """,
    "parts.py": """
        import numpy as np
        def converted(x):
            return np.array(x, copy=True)
        """,
    "arrays/__init__.py": """
        from ..parts import converted as asarray
        from . import inner
        """,
    "arrays/inner.py": """
        import math
        def grown(x):
            return math.exp(x)
        """,
    "space.py": """
        import functools
        @functools.lru_cache
        def _of_class(cls):
            from . import arrays as found
            return found
        def namespace(x):
            return _of_class(type(x))
        """,
    "use.py": """
        import math
        from .space import namespace
        def absolute(x):
            from {name} import series
            return series.angle(x)
        def relative(x):
            from .series import angle
            return angle(x)
        def from_package(x):
            from . import series
            return series.angle(x)
        def object_of(x):
            from .series import Body
            return Body(2.0).weight(x)
        def deep(x):
            import {name}.inner.deep
            return {name}.inner.deep.grown(x)
        def deep_relative(x):
            from .inner import deep as within
            return within.grown(x) + math.sin(x)
        def handed_on(x):
            xp = namespace(x)
            return xp.inner.grown(xp.asarray(x)[()]) + xp.asarray([x, x])[1]
        def twice(x):
            from .series import angle
            from .inner.deep import grown
            return angle(x) * grown(angle(x))
        """,
}
FUNCTIONS = "absolute relative from_package object_of deep deep_relative handed_on twice".split()
count = iter(range(1000))


@pytest.fixture
def package(tmp_path, monkeypatch):
    name = f"lazily_{next(count)}"
    for path, text in WHOLE.items():
        file = tmp_path / name / path
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_text(textwrap.dedent(text).replace("{name}", name))
    monkeypatch.syspath_prepend(str(tmp_path))
    __import__(f"{name}.use")
    yield name
    for loaded in [n for n in sys.modules if n.split(".")[0] == name]:
        del sys.modules[loaded]


def differences(f, x):
    return (f(x + 1e-6) - f(x - 1e-6)) / 2e-6


def traced(f):
    """What the compiler can't read, so that the function is traced."""

    def of(x):
        sys.getrefcount(x)
        return f(x)

    return of


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_module_that_is_imported_within(package, name, loaded):
    f = getattr(sys.modules[f"{package}.use"], name)
    if loaded:
        f(0.3)
    gradient = ast_ad.grad(traced(f))
    found = [gradient(x) for x in (0.3, 0.7)]
    assert "not compiled" in gradient.explain()
    np.testing.assert_allclose(found, [differences(f, x) for x in (0.3, 0.7)], rtol=1e-8)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_what_a_module_makes_when_it_is_loaded_is_no_part_of_the_trace(package):
    f = sys.modules[f"{package}.use"].relative
    ast_ad.grad(traced(f))(0.3)
    series = sys.modules[f"{package}.series"]
    assert type(series.TABLE) is np.ndarray
    assert series.atan is math.atan
    assert series.np is np


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_names_are_given_back_where_the_function_raises(package):
    module = sys.modules[f"{package}.use"]

    def fails(x):
        sys.getrefcount(x)
        module.relative(x)
        raise ValueError("after the import")

    with pytest.raises(ValueError, match="after the import"):
        ast_ad.grad(fails)(0.3)
    assert sys.modules[f"{package}.series"].atan is math.atan
