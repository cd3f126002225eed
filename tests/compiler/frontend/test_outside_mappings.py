"""Are dicts of other classes that live outside read as dicts, and followed where reads are code?"""

from collections import Counter, OrderedDict, defaultdict
from dataclasses import dataclass, field, fields

import pytest

import ast_ad


class Named(dict):
    """A dict with a method of its own."""

    def scaled(self, x):
        return self["a"] * x


class Dotted(dict):
    """A dict whose items are attributes, by a method of compiled code."""

    __getattr__ = dict.__getitem__


class Doubled(dict):
    """A dict whose reads are code of its own."""

    def __getitem__(self, key):
        return 2.0 * dict.__getitem__(self, key)


class Fewer(dict):
    def keys(self):
        return ["a"]


ORDERED = OrderedDict(a=1.5, b=2.5)
MODELS = OrderedDict(square=lambda x: x * x, cube=lambda x: x**3)
DEFAULTS = defaultdict(float, a=1.5, b=2.5)
COUNTS = Counter(a=2, b=3)
NAMED, DOTTED, DOUBLED, FEWER = (kind(a=1.5, b=2.5) for kind in (Named, Dotted, Doubled, Fewer))


def chosen_by_name(x, model="cube"):
    if model not in MODELS.keys():
        raise ValueError(model)
    return MODELS[model](x) * len(MODELS)


def items(x):
    total = 0.0
    for key, value in ORDERED.items():
        total += value * x if key == "a" else x**2
    return total


def keys(x):
    total = 0.0
    for key in DEFAULTS:
        total += DEFAULTS[key] * x
    return total


def values(x):
    return sum(ORDERED.values()) * x + max(COUNTS.values()) * x * x


def there(x):
    return x * x if "b" in ORDERED and "z" not in COUNTS and ORDERED.get("z") is None else x


def copied(x):
    return dict(ORDERED)["a"] * x + {**DEFAULTS, "c": x}["b"] * x


def passed(x):
    def line(a, b):
        return a * x + b * x * x

    return line(**ORDERED) + line(**NAMED)


def dotted(x):
    return DOTTED.a * x * DOTTED["b"] + len(DOTTED) * x


def of_its_class(x):
    return NAMED.scaled(x) * x + sum(NAMED.values())


@dataclass
class Checked:
    """Its fields tell how they are checked, as validating packages have it."""

    a: float = field(default=1.0, metadata={"types": (int, float), "times": 2.0})
    b: float = 1.0

    def __post_init__(self):
        for each in fields(self):
            meta = each.metadata
            if not meta:
                continue
            value = getattr(self, each.name)
            if not isinstance(value, meta.get("types")):
                raise TypeError(each.name)
            setattr(self, each.name, value * meta["times"] * len(meta))


def checked_by_metadata(x):
    given = Checked(a=x * x, b=x)
    return given.a * given.b if COUNTS and not OrderedDict() else x


def read_by_code(x):
    return DOUBLED["a"] * x + sum(DOUBLED[key] for key in ("a", "b")) * x


def fewer_keys(x):
    return sum(FEWER[key] for key in FEWER.keys()) * x


def chosen_by_class(x):
    made = OrderedDict(a=x)
    return made["a"] * (2.0 if isinstance(made, OrderedDict) else 3.0)


COMPILED = [chosen_by_name, items, keys, values, there, copied, passed, dotted, of_its_class,
            checked_by_metadata, read_by_code, fewer_keys]  # fmt: skip


@pytest.mark.slow(beyond=6)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", COMPILED, ids=lambda f: f.__name__)
def test_it_is_read_as_it_is(f, backend):
    value, gradient = ast_ad.value_and_grad(f, backend=backend, fallback="error")(0.7)
    assert value == pytest.approx(f(0.7), rel=1e-12)
    assert gradient == pytest.approx((f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6, rel=1e-6)


def test_what_it_holds_is_read_at_every_call():
    gradient = ast_ad.grad(items)
    assert gradient(0.7) == pytest.approx(1.5 + 1.4)
    ORDERED["a"] = 4.0
    try:
        assert gradient(0.7) == pytest.approx(4.0 + 1.4)
        ORDERED["c"] = 1.0
        assert gradient(0.7) == pytest.approx(4.0 + 2.8)
        del ORDERED["c"]
        ORDERED.move_to_end("a")
        assert gradient(0.7) == pytest.approx(4.0 + 1.4)
    finally:
        ORDERED["a"] = 1.5
        ORDERED.move_to_end("a", last=False)


def test_a_default_is_not_made_by_the_compiler():
    defaults = defaultdict(float, a=2.0)

    def f(x):
        return x * defaults["a"] + (defaults["z"] if x > 1.0 else x)

    with pytest.raises(ast_ad.UnsupportedError, match="a key that a defaultdict from outside lacks"):
        ast_ad.grad(f, fallback="error")(0.7)
    assert list(defaults) == ["a"]


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_what_the_class_gets_later_is_seen():
    class Own(dict):
        pass

    own = Own(a=1.5)

    def f(x):
        return sum(own.values()) * x + own["a"] * x

    gradient = ast_ad.grad(f)
    assert gradient(0.7) == pytest.approx(3.0)
    Own.values = lambda self: [5.0]
    assert gradient(0.7) == pytest.approx(6.5)


def test_a_dict_that_the_function_makes_tells_whether_it_is_ordered():
    assert ast_ad.grad(chosen_by_class, fallback="error")(0.7) == 2.0
