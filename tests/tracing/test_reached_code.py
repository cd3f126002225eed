"""Which code does a trace reach that no name leads to, and what does it leave unasked?"""

import sys
import textwrap

import numpy as np
import pytest

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([0.4, 1.3, 2.1])
PACKAGE = {
    "__init__.py": """
        from .records import Record, absent
        """,
    "records.py": """
        import numpy as np

        class Absent:
            def __getattribute__(self, name):
                if name == "__class__":
                    return type(None)
                raise ImportError("install the rest")

        absent = Absent()

        class Base:
            def __init__(self, values):
                self.values = np.array(values)

        class Record(Base):
            def total(self):
                return absent is not None and np.sum(self.values ** 2)
        """,
    "shapes.py": """
        import numpy as np

        def rising(x):
            out = np.zeros(3)
            out[:] = x
            return out * 2.0

        def falling(x):
            return np.fromiter((-v for v in x), dtype=float)
        """,
    "chosen.py": """
        from . import shapes

        def by_attribute(x, name):
            return getattr(shapes, name)(x)

        def by_table(x, name):
            return vars(shapes)[name](x)

        def by_global(x, name):
            return globals()["by_" + name](x, "falling")
        """,
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "reached"
    folder.mkdir()
    for name, text in PACKAGE.items():
        (folder / name).write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(tmp_path)
    yield "reached"
    for name in [name for name in sys.modules if name.partition(".")[0] == "reached"]:
        del sys.modules[name]


def gradient(function, *args):
    """Of what is traced: there is no source of what ``eval`` gives."""
    return ast_ad.grad(lambda x: eval("1.0") * np.sum(function(x, *args)))(X)


def test_a_module_in_a_closure(package):
    def make():
        import reached

        return lambda x: reached.Record(x).total()

    np.testing.assert_allclose(gradient(make()), 2 * X)


def test_a_module_in_the_closure_of_an_inner_function(package):
    import reached

    np.testing.assert_allclose(gradient(lambda x: (lambda y: reached.Record(y).total())(3 * x)), 18 * X)


def test_functions_found_by_a_text(package):
    from reached import chosen

    assert gradient(chosen.by_attribute, "rising").tolist() == [2, 2, 2]
    assert gradient(chosen.by_table, "falling").tolist() == [-1, -1, -1]
    assert gradient(chosen.by_global, "attribute").tolist() == [-1, -1, -1]


def test_objects_that_answer_no_question(package):
    from reached import absent

    with pytest.raises(ImportError):
        print(absent.anything)
    assert gradient(lambda x: x if absent is not None else 2 * x).tolist() == [1, 1, 1]


def several(x):
    kept = set(x)
    kept.add(9.0)
    both = frozenset(x[1:]) | {7.0}
    total = sum(v * v for v in kept) + sum(both) * len(kept)
    return total * eval("1.0") if isinstance(kept, set) and type(both) is frozenset else 0.0


def test_sets_of_traced_numbers():
    np.testing.assert_allclose(ast_ad.grad(several)(X), 2 * X + np.array([0, 4, 4]))
    twice = np.array([0.5, 0.5, 1.0])
    found = ast_ad.grad(lambda x: len(set(x * eval("1.0"))) * np.sum(x))(twice)
    assert found.tolist() == [2, 2, 2]


def displayed(x):
    return max({x[0], x[1]}) * min({v * 2 for v in x}) + sum({*x, 7.0})


def gathered(x):
    seen, total = set(), 0.0
    for v in x:
        if v not in seen:
            total += v * v
        seen.add(v)
        seen.add((v, 1))
    seen.discard(x[1])
    seen.remove(x[0])
    return total * len(seen) + sum(v for v in seen if not isinstance(v, tuple)) * eval("1.0")


@pytest.mark.parametrize("function", [displayed, gathered])
def test_sets_that_are_displayed_and_that_grow(function):
    expected = [(function(X + 1e-6 * e) - function(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(ast_ad.grad(function)(X), expected, rtol=1e-7)


def test_keys_of_traced_numbers_are_refused():
    with pytest.raises(ast_ad.MissingRuleError, match="hash"):
        ast_ad.grad(lambda x: {x[0]: eval("1.0")}[x[0]] * x[0])(X)
    with pytest.raises(ast_ad.MissingRuleError, match="hash"):
        ast_ad.grad(lambda x: dict([(x[0], 2 * eval("1.0"))]).get(x[0]) * x[0])(X)
