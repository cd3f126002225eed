"""A value with more than numbers in it: what is no leaf stays what it is; where it varies, it is refused."""

import collections
import dataclasses
import types

import numpy as np
import pytest

import ast_ad

X, V = np.array([0.7, -1.3, 2.1]), np.array([1.0, 2.0, -0.5])


class Held:
    def __init__(self, a):
        self.a = a


class OwnList(list):
    pass


class Registered(Held):
    pass


ast_ad.register_container(Registered, lambda r: ((r.a,), None), lambda aux, parts: Registered(*parts))


@dataclasses.dataclass
class Settings:
    a: float
    n: int = 1


SETTINGS, REGISTERED = Settings(3.0), Registered(2.0)


def held(x):
    return x * 2, Held(x * 3)


def own_list(x):
    return OwnList([x * 2])


def deque(x):
    return collections.deque([x * 2], maxlen=3)


def default_dict(x):
    return {"k": collections.defaultdict(list, {"a": x * 2})}


def namespace(x):
    return types.SimpleNamespace(a=x * 2)


def generator(x):
    return (v * 2 for v in x)


def zipped(x):
    return zip(x, x * 2, strict=True)


def shown(x):
    return {"a": x * 2}.values()


def chained(x):
    return collections.ChainMap({"a": x * 2})


def failure(x):
    return x * 2, ValueError(x[0])


def itself(x):
    found = Held(x * 2)
    found.held = found
    return found


HOLDERS = (
    *(held, own_list, deque, default_dict, namespace, generator, zipped, shown, chained, failure),
    itself,
)

ASKED = {
    "vjp": lambda f: ast_ad.vjp(f, X),
    "unchecked": lambda f: ast_ad.vjp(f, X, check=False, backend="numpy"),
    "jvp": lambda f: ast_ad.jvp(f, (X,), (V,)),
    "linearize": lambda f: ast_ad.linearize(f, X),
    "jacobian": lambda f: ast_ad.jacobian(f)(X),
    "within": lambda f: ast_ad.grad(lambda x: np.sum(ast_ad.vjp(f, x)[1](ast_ad.vjp(f, x)[0])[0]))(X),
}


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("f", HOLDERS, ids=lambda f: f.__name__)
def test_what_objects_hold_has_no_derivative(f, asked):
    """In a trace it was silently zero, or the value itself; in compiled code a KeyError."""
    with pytest.raises(ast_ad.InputTypeError, match="holds"):
        ASKED[asked](f)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("f", HOLDERS, ids=lambda f: f.__name__)
def test_beside_the_value_it_may_be(f):
    gradient, aux = ast_ad.grad(lambda x: (np.sum(x * x), f(x)), has_aux=True)(X)
    assert np.allclose(gradient, 2 * X)
    assert type(aux) is type(f(X))


# ----- what does not vary stays
def settings(x):
    return x * 2, SETTINGS, {"deep": [SETTINGS]}


def registered(x):
    return x * 2, REGISTERED


def by_default(x, s=SETTINGS):
    return x * 2, s


def of_numpy(x):
    return np.True_, x * 2, np.float32(3), np.int8(4)


def ordered(x):
    found = collections.OrderedDict(b=x * 2)
    found["a"] = 1.0
    return found


def plain(x):
    return x * 2, Held(3)


def at_run_time(x):
    return x * 2, bool(x[0] > 0), f"{len(x)}", slice(0, len(x)), range(3), x[0] if x[0] > 5 else None


def without(value):
    """A value in which objects are told by their attributes, so that it can be compared."""
    if isinstance(value, dict):
        return type(value), [(key, without(part)) for key, part in value.items()]
    if isinstance(value, (tuple, list)):
        return type(value), [without(part) for part in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    return (type(value), without(vars(value))) if hasattr(value, "__dict__") else (type(value), value)


STAYING = settings, registered, by_default, of_numpy, ordered, plain, at_run_time


def found_of(value):
    """The array in a value that varies."""
    if isinstance(value, dict):
        return value["b"]
    return next(part for part in value if isinstance(part, np.ndarray))


@pytest.mark.parametrize("f", STAYING, ids=lambda f: f.__name__)
def test_the_rest_of_a_value_stays(f):
    expected = f(X)
    for choices in {}, {"check": False, "backend": "numpy"}:
        value, pull = ast_ad.vjp(f, X, argnums=0, **choices)
        assert without(value) == without(expected)
        assert np.allclose(pull(value), 2 * found_of(value))
        value, push = ast_ad.linearize(f, X, argnums=0, **choices)
        assert without(value) == without(expected)
        assert np.allclose(found_of(push(V)), 2 * V)
    value, tangent = ast_ad.jvp(f, (X,), (V,))
    assert without(value) == without(expected)
    assert np.allclose(found_of(tangent), 2 * V)
    assert np.allclose(found_of(ast_ad.jacobian(f)(X)), 2 * np.eye(3))
