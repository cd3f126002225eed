"""Are arrays of a class that a user derived from ``np.ndarray`` traced as what they are?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import MissingRuleError, UnsupportedError

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([0.7, 2.0, -1.5])


class Field(np.ndarray):
    """Adds methods, a property, and functions of the class."""

    UNIT = 2.0

    def amplitude(self):
        return np.abs(self.view()) * self.UNIT

    @property
    def half(self):
        return self / 2

    @staticmethod
    def scale():
        return 3.0

    @classmethod
    def of(cls, x):
        return np.asarray(x).view(cls)


class Labelled(np.ndarray):
    """Has an attribute, which is handed on."""

    def __new__(cls, data, power=None):
        found = np.asarray(data).view(cls)
        found.power = power
        return found

    def __array_finalize__(self, obj):
        if obj is None:
            return
        self.power = getattr(obj, "power", None)


class Shifted(np.ndarray):
    def __rmul__(self, other):
        return np.asarray(self) + other


class Counting(np.ndarray):
    def __array_finalize__(self, obj):
        self.first = None if obj is None else float(np.asarray(obj).ravel()[0])


def method(x):
    return np.sum(x.view(Field).amplitude() ** 2)


def property_and_static(x):
    field = x.view(Field)
    return np.sum(field.half**2) * field.scale()


def of_the_class(x):
    return np.sum(Field.of(x * 2).amplitude())


def attribute(x):
    return np.sum((Labelled(x, power=3.0) * 2) ** Labelled(x, power=3.0).power)


def traced_attribute(x):
    part = Labelled(x, power=x[0])[1:] * 2
    return np.sum(part * part.power)


def written_through(x):
    y = x * 1.0
    field = y.view(Field)
    field[0] = x[1] ** 2
    return np.sum(y * field)


def in_place(x):
    field = (x * 1.0).view(Field)
    field += x[0]
    field *= 2
    return np.sum(field.amplitude())


def an_item(x):
    return (x**2).view(Field)[0]


def by_class(x):
    doubled = x.view(Field) + 1
    return np.sum(doubled) * (3 if isinstance(doubled, Field) and type(doubled) is Field else 5)


def complex_numbers(x):
    return np.sum((x * 1j + 1).view(Field).amplitude())


def with_masks(x):
    field = x.view(Field)
    return np.sum(np.where(field > 0, field, field**2)) + np.sum(field[field > 1])


def made_like(x):
    zeros = np.zeros_like(x.view(Field))
    zeros[1:] = x[:2] * x[0]
    return np.sum(zeros.amplitude() * x)


def returned_by_a_callee(x):
    def made(y):
        return y.view(Field)

    return np.sum(made(x * x).amplitude() * x)


PROGRAMS = [method, property_and_static, of_the_class, attribute, traced_attribute, written_through, in_place,
            an_item, by_class, complex_numbers, with_masks, made_like, returned_by_a_callee]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients(function):
    value, gradient = ast_ad.value_and_grad(function)(X)
    assert type(gradient) is np.ndarray
    np.testing.assert_allclose(value, np.asarray(function(X)))
    wanted = [np.asarray(function(X + d) - function(X - d)) / 2e-6 for d in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-8)


def test_higher_derivatives_and_jacobians():
    np.testing.assert_allclose(ast_ad.hessian(method)(X), 8 * np.eye(3))
    found = ast_ad.jacobian(lambda x: x.view(Field).amplitude() ** 2)(X)
    np.testing.assert_allclose(found, np.diag(8 * X))


# Each gives an array of the class or not, as NumPy decides.
EXPRESSIONS = """
s + 1; 2 * s; -s; s**2; s @ s; abs(s); divmod(s, 1)[1]; s.copy(); np.copy(s); s.T; s[1:]; s[0]
s.reshape(3, 1); s.astype(float); s.real; s.flatten(); s.ravel(); s.clip(0, 1); s.repeat(2)
s.dot(s); s.sum(); s.mean(); s.std(); s.max(); s.cumsum(); s.squeeze(); s.take([0]); s.conj()
s.view(); s.view(np.ndarray); s > 0; np.sin(s); np.maximum(s, 1); np.abs(s); np.modf(s)[0]
np.asarray(s); np.asanyarray(s); np.array(s); np.sum(s); np.concatenate([s, s])
np.where(s > 0, s, 0); np.stack([s, s]); np.outer(s, s); np.dot(np.eye(3), s); np.sort(s)
np.zeros_like(s); np.full_like(s, 2.0); np.linalg.norm(s); np.cumsum(s); np.mean(s); np.diff(s)
np.interp(s, np.sort(s), s); np.round(s); np.squeeze(s); np.repeat(s, 2); np.tile(s, 2)
np.take(s, [0]); np.fft.fft(s); np.diag(s); np.trace(np.outer(s, s)); np.einsum("i,i", s, s)
np.broadcast_to(s, (2, 3)); np.atleast_1d(s); np.prod(s); np.nan_to_num(s); np.var(s); np.median(s)
np.flip(s); np.roll(s, 1); np.vdot(s, s); np.trapezoid(s); np.gradient(s); np.polyval(s, 1.0)
np.linalg.solve(np.eye(3), s); np.clip(s, 0, 1)"""


@pytest.mark.drawn(of=7)
@pytest.mark.parametrize(
    "text", [e.strip() for line in EXPRESSIONS.strip().splitlines() for e in line.split(";")]
)
def test_the_class_is_what_numpy_makes_it(text):
    kinds = []

    def function(x):
        found = eval(text, {"np": np, "s": (x * 2).view(Field)})
        kinds.append(isinstance(found, Field))
        return np.sum(x)

    function(X)
    ast_ad.grad(function)(X)
    assert len(set(kinds)) == 1, kinds


@pytest.mark.parametrize("kind, told", [(Shifted, "__rmul__"), (Counting, "__array_finalize__"),
                                        (np.matrix, "changes what arrays do")])  # fmt: skip
def test_classes_that_change_what_arrays_do_are_refused(kind, told):
    with pytest.raises((MissingRuleError, UnsupportedError), match=told):
        ast_ad.grad(lambda x: np.sum(x.view(kind) * 3))(X)


# ----- writes through views, and items that a class chooses
class Bare(np.ndarray):
    pass


class Named(np.ndarray):
    """Rows by their names, too."""

    def __new__(cls, rows, names=None):
        made = np.asarray(rows).view(cls)
        made.names = names
        return made

    def __array_finalize__(self, obj):
        if obj is None:
            return
        self.names = getattr(obj, "names", None)

    def __getitem__(self, key):
        if isinstance(key, str):
            key = self.names.index(key)
        elif isinstance(key, tuple) and isinstance(key[0], str):
            key = (self.names.index(key[0]), *key[1:])
        return super().__getitem__(key)


class Backwards(Named):
    def __getitem__(self, key):
        return np.asarray(self)[::-1] if isinstance(key, str) else super().__getitem__(key)


class Doubled(Named):
    def __getitem__(self, key):
        return super().__getitem__(key) * 2.0


def rows_of(x):
    return np.stack([x, x**2])


def through_a_row(x):
    m = rows_of(x).view(Bare)
    row = m[1]
    row *= 3.0
    return np.sum(m) + m[1] @ x


def through_a_part(x):
    m = rows_of(x).view(Bare)
    m[:, :1][0] = x[1] * 5.0
    return np.sum(m * m)


def into_the_view(x):
    m = rows_of(x)
    m.view(Bare)[1, 0] = 5.0 * x[1]
    return np.sum(m**2)


def by_name(x):
    m = Named(rows_of(x), ["a", "b"])
    return np.sum(m["b"] * m["a"]) + m["b", 0] * m[0, 1]


def by_name_afterwards(x):
    m = Named(rows_of(x), ["a", "b"]) * 2.0
    return np.sum(m["b"] ** 2) + np.sum(m[:, 0]) + np.sum(np.trapezoid(m, axis=0)) + len(m["a"])


def written_by_name(x):
    m = Named(rows_of(x), ["a", "b"])
    row = m["b"]
    row[0] = 5.0 * x[1]
    row += x
    return np.sum(m**2)


def by_condition(x):
    m = Named(rows_of(x), ["a", "b"])
    return np.sum(m[m > 0.3]) + np.sum(m[[1, 0]][0])


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize(
    "f",
    [
        through_a_row, through_a_part, into_the_view, by_name, by_name_afterwards, written_by_name,
        by_condition,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_items_of_classes(f):
    x = np.array([1.5, 0.75])
    value, gradient = ast_ad.value_and_grad(f)(x)
    assert value == pytest.approx(float(f(x)), rel=1e-12)
    slopes = [float(f(x + h) - f(x - h)) / 2e-6 for h in 1e-6 * np.eye(2)]
    assert gradient == pytest.approx(slopes, rel=1e-6)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize(
    "kind, why", [(Backwards, "more than to choose"), (Doubled, "what arrays do: items")]
)
def test_items_that_are_more_than_chosen(kind, why):
    def f(x):
        return np.sum(kind(rows_of(x), ["a", "b"])["b"])

    with pytest.raises(ast_ad.AdError, match=why):
        ast_ad.grad(f)(np.ones(2))
