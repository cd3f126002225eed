"""What a function reads from outside: is every later call given what is there then?"""

import functools
import math
import types

import numpy as np

from .harness import after, program

THREE = np.array([0.4, -0.9, 1.3])
FOUR = np.array([0.4, -0.9, 1.3, 0.7])


class Settings:
    def __init__(self, rate):
        self.rate = rate
        self.table = np.array([1.0, 2.0, 3.0])


# ----- the page's own
DEFAULT = Settings(0.5)


@program(
    after(lambda: setattr(DEFAULT, "rate", 0.5), THREE),
    later=[after(lambda: setattr(DEFAULT, "rate", 2.5), THREE)],
)
def attribute_of_a_default(x, settings=DEFAULT):
    return np.sum(x * x) * settings.rate


WEIGHTS = np.array([1.0, 2.0, 3.0])


@program(
    after(lambda: WEIGHTS.__setitem__(1, 2.0), THREE),
    later=[after(lambda: WEIGHTS.__setitem__(1, 7.0), THREE)],
)
def array_as_a_default(x, weights=WEIGHTS):
    return np.sum(x * x * weights)


PARTIAL = np.array([1.0, 2.0, 3.0])


def weighted(weights, x):
    return np.sum(np.sin(x) * weights)


part = functools.partial(weighted, PARTIAL)


@program(
    after(lambda: PARTIAL.__setitem__(0, 1.0), THREE),
    later=[after(lambda: PARTIAL.__setitem__(0, -4.0), THREE)],
)
def array_in_a_partial(x):
    return part(x) * 2.0


# ----- in helper functions
RATE = 0.5


def set_global(name, value):
    globals()[name] = value


def decayed(x):
    return x * np.exp(-RATE * x)


@program(
    after(lambda: set_global("RATE", 0.5), THREE),
    later=[after(lambda: set_global("RATE", 1.5), THREE), after(lambda: set_global("RATE", 2), THREE)],
)
def number_of_the_module(x):
    return np.sum(decayed(x))


TABLE = np.array([1.0, 2.0, 3.0])


def smoothed(x):
    return np.convolve(x, TABLE)


@program(
    after(lambda: set_global("TABLE", np.array([1.0, 2.0, 3.0])), THREE),
    later=[
        after(lambda: set_global("TABLE", np.array([1.0, -2.0])), THREE),
        after(lambda: set_global("TABLE", np.array([4])), THREE),
    ],
)
def array_of_another_length(x):
    return np.sum(smoothed(x) ** 2)


def gaussian(r):
    return np.exp(-r * r)


def cauchy(r):
    return 1.0 / (1.0 + r * r)


kernel = gaussian


def density(x):
    return kernel(x - 0.3)


@program(
    after(lambda: set_global("kernel", gaussian), THREE),
    later=[after(lambda: set_global("kernel", cauchy), THREE)],
)
def function_replaced(x):
    return np.sum(density(x))


def polynomial(x, coefficients=[1.0, 2.0]):  # noqa: B006
    total = 0.0
    for c in coefficients:
        total = total * x + c
    return total


@program(
    after(lambda: polynomial.__defaults__[0].__setitem__(slice(None), [1.0, 2.0]), 0.7),
    later=[after(lambda: polynomial.__defaults__[0].__setitem__(slice(None), [3.0, 1.0, 2.0]), 0.7)],
)
def list_as_a_default(x):
    return polynomial(x) * x


def stretched(x, *, factor=2.0, shift=None):
    return x * factor if shift is None else x * factor + shift


@program(
    after(lambda: stretched.__kwdefaults__.update(factor=2.0, shift=None), THREE),
    later=[
        after(lambda: stretched.__kwdefaults__.update(factor=5.0, shift=None), THREE),
        after(lambda: stretched.__kwdefaults__.update(factor=5.0, shift=1.0), THREE),
    ],
)
def keyword_defaults(x):
    return np.sum(np.sin(stretched(x)))


physics = types.ModuleType("physics")
physics.gravity = 9.81


def fall(t):
    return 0.5 * physics.gravity * t * t


@program(
    after(lambda: setattr(physics, "gravity", 9.81), 0.7),
    later=[after(lambda: setattr(physics, "gravity", 1.62), 0.7)],
)
def attribute_of_a_module(t):
    return fall(t) + fall(2.0 * t)


# ----- in methods, comprehensions and lambdas
class Spring:
    stiffness = 2.0
    rest = np.array([0.1, 0.2, 0.3])

    def energy(self, x):
        return 0.5 * self.stiffness * np.sum((x - self.rest) ** 2)


SPRING = Spring()


@program(
    after(lambda: setattr(Spring, "stiffness", 2.0), THREE),
    later=[after(lambda: setattr(Spring, "stiffness", 3.5), THREE)],
)
def attribute_of_a_class(x):
    return SPRING.energy(x)


CONFIG = types.SimpleNamespace(solver=types.SimpleNamespace(rate=0.1, order=1))


@program(
    after(lambda: CONFIG.solver.__dict__.update(rate=0.1, order=1), THREE),
    later=[
        after(lambda: CONFIG.solver.__dict__.update(rate=0.4, order=1), THREE),
        after(lambda: CONFIG.solver.__dict__.update(rate=0.4, order=3), THREE),
    ],
)
def attribute_of_an_attribute(x):
    step = lambda u: u + CONFIG.solver.rate * u**CONFIG.solver.order
    return np.sum(step(step(x)))


class Medium:
    settings = {"index": 1.5, "loss": [0.1, 0.2]}

    @property
    def index(self):
        return self.settings["index"] + self.settings["loss"][1]


MEDIUM = Medium()


@program(
    after(lambda: Medium.settings.update(index=1.5, loss=[0.1, 0.2]), 0.7),
    later=[
        after(lambda: Medium.settings.update(index=2.5, loss=[0.1, 0.2]), 0.7),
        after(lambda: Medium.settings.update(index=2.5, loss=[0.1, 0.9]), 0.7),
    ],
)
def property_of_a_dict(x):
    return math.sin(x) / MEDIUM.index


def make_counter():
    scale = 1.5

    def scaled_by_a_cell(x):
        return np.sum(np.cos(x) * scale)

    def change(value):
        nonlocal scale
        scale = value

    return scaled_by_a_cell, change


scaled_by_a_cell, change_cell = make_counter()
program(
    after(lambda: change_cell(1.5), THREE),
    later=[after(lambda: change_cell(-2.0), THREE), after(lambda: change_cell(np.arange(3.0)), THREE)],
)(scaled_by_a_cell)


COEFFICIENTS = [0.5, 1.5]


@program(
    after(lambda: COEFFICIENTS.__setitem__(slice(None), [0.5, 1.5]), 0.7),
    later=[
        after(lambda: COEFFICIENTS.__setitem__(slice(None), [0.5, -1.5]), 0.7),
        after(lambda: COEFFICIENTS.__setitem__(slice(None), [0.5, -1.5, 2.5]), 0.7),
    ],
)
def list_in_a_comprehension(x):
    return sum([c * x ** (k + 1) for k, c in enumerate(COEFFICIENTS)])


ACTIVATIONS = {"layer": np.tanh}


@program(
    after(lambda: ACTIVATIONS.update(layer=np.tanh), THREE),
    later=[after(lambda: ACTIVATIONS.update(layer=lambda v: v * v), THREE)],
)
def function_in_a_dict(x):
    return np.sum(ACTIVATIONS["layer"](x) * x)


OFFSETS = np.array([0.1, 0.2, 0.3])
shifted = functools.partial(lambda x, offset: np.sum((x - offset) ** 2), offset=OFFSETS)


@program(
    after(lambda: OFFSETS.__setitem__(0, 0.1), THREE),
    later=[after(lambda: OFFSETS.__setitem__(0, -2.0), THREE)],
)
def keyword_of_a_partial(x):
    return shifted(x) + x[0]


# ----- in nested loops
STENCIL = np.array([0.25, 0.5, 0.25])


@program(
    after(lambda: STENCIL.__setitem__(slice(None), [0.25, 0.5, 0.25]), THREE),
    later=[after(lambda: STENCIL.__setitem__(slice(None), [0.0, 0.5, -0.25]), THREE)],
)
def stencil_in_nested_loops(x):
    total = 0.0
    for i in range(len(x)):
        for k in range(3):
            total = total + STENCIL[k] * x[(i + k - 1) % len(x)] ** 2
    return total


SWEEPS = 2


@program(
    after(lambda: set_global("SWEEPS", 2), 0.7),
    later=[after(lambda: set_global("SWEEPS", 4), 0.7), after(lambda: set_global("SWEEPS", 0), 0.7)],
)
def count_of_turns(x):
    for i in range(SWEEPS):
        for j in range(SWEEPS - i):
            x = x + 0.1 * math.sin(x)
    return x * x


PARAMETERS = {"a": {"gain": 1.0, "bias": 0.5}, "b": {"gain": 2.0, "bias": 0.1}}


def set_parameters(gain, bias):
    PARAMETERS["a"]["gain"], PARAMETERS["b"]["bias"] = gain, bias


@program(
    after(lambda: set_parameters(1.0, 0.1), THREE),
    later=[after(lambda: set_parameters(1.0, 0.7), THREE), after(lambda: set_parameters(-3.0, 0.7), THREE)],
)
def dicts_in_nested_loops(x):
    total = 0.0
    for name in PARAMETERS:
        for v in x:
            total = total + math.tanh(PARAMETERS[name]["gain"] * v + PARAMETERS[name]["bias"])
    return total


BODIES = [types.SimpleNamespace(mass=1.0, at=0.0), types.SimpleNamespace(mass=2.0, at=3.0)]


@program(
    after(lambda: setattr(BODIES[1], "mass", 2.0), THREE),
    later=[after(lambda: setattr(BODIES[1], "mass", 7.0), THREE)],
)
def objects_in_nested_loops(x):
    energy = 0.0
    for body in BODIES:
        for v in x:
            energy = energy - body.mass / np.sqrt((v - body.at) ** 2 + 0.5)
    return energy


SCHEME = "explicit"


@program(
    after(lambda: set_global("SCHEME", "explicit"), THREE, 0.1),
    later=[after(lambda: set_global("SCHEME", "implicit"), THREE, 0.1)],
)
def mode_in_nested_loops(u, rate):
    for step in range(2):
        for _ in range(2):
            u = u - rate * u if SCHEME == "explicit" else u / (1.0 + rate)
    return np.sum(u * u)


LEVELS = (0.1, 0.2)


@program(
    after(lambda: set_global("LEVELS", (0.1, 0.2)), 0.7),
    later=[
        after(lambda: set_global("LEVELS", (0.1, 0.4)), 0.7),
        after(lambda: set_global("LEVELS", (0.1, 0.4, 0.8)), 0.7),
    ],
)
def tuple_in_nested_loops(x):
    total = 0.0
    for i, level in enumerate(LEVELS):
        for other in LEVELS[i:]:
            total = total + np.exp(-level * x) * other
    return total


# ----- further ones, of all kinds
class Counter:
    calls = 0

    def __init__(self):
        self.weights = {"a": [1.0, 2.0]}

    def __call__(self, x):
        return self.weights["a"][1] * np.sum(x * x)


MODEL = Counter()


@program(
    after(lambda: MODEL.weights["a"].__setitem__(1, 2.0), FOUR),
    later=[after(lambda: MODEL.weights["a"].__setitem__(1, 5.0), FOUR)],
    kernels=False,
)
def callable_object(x):
    return MODEL(x)


def outer_factory():
    rates = np.array([0.1, 0.2])

    def inner(x):
        for r in rates:
            x = x - r * x
        return np.sum(x)

    return inner, rates


factory_inner, RATES = outer_factory()
program(
    after(lambda: RATES.__setitem__(slice(None), [0.1, 0.2]), FOUR),
    later=[after(lambda: RATES.__setitem__(slice(None), [0.5, -0.2]), FOUR)],
)(factory_inner)


class Base:
    def rate(self):
        return 1.0


class Derived(Base):
    pass


DERIVED = Derived()


def add_rate():
    Derived.rate = lambda self: 4.0


def del_rate():
    if "rate" in Derived.__dict__:
        del Derived.rate


@program(after(del_rate, FOUR), later=[after(add_rate, FOUR), after(del_rate, FOUR)], kernels=False)
def method_overridden_later(x):
    return np.sum(x) * DERIVED.rate()


NAMES = {"a", "b"}


@program(after(lambda: NAMES.discard("c"), 0.7), later=[after(lambda: NAMES.add("c"), 0.7)], kernels=False)
def size_of_a_set(x):
    return x ** len(NAMES)


FLAG = types.SimpleNamespace(on=None)


@program(
    after(lambda: setattr(FLAG, "on", None), FOUR),
    later=[
        after(lambda: setattr(FLAG, "on", 0.5), FOUR),
        after(lambda: setattr(FLAG, "on", np.ones(4) * 0.2), FOUR),
    ],
    kernels=False,
)
def none_becomes_number(x):
    return np.sum(x * x) if FLAG.on is None else np.sum(x * FLAG.on)


def scaled_default(x, scale=np.array(2.0)):  # noqa: B008
    return np.sum(x * scale)


@program(
    after(lambda: scaled_default.__defaults__[0].__setitem__((), 2.0), FOUR),
    later=[after(lambda: scaled_default.__defaults__[0].__setitem__((), 7.0), FOUR)],
    kernels=False,
)
def zero_dim_default(x):
    return scaled_default(x)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
