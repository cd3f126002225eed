"""What is in an object's own dictionary goes before what its class has there, however it got in."""

import types

import numpy as np
import pytest

import ast_ad


class Computed:
    """Computes an attribute once, and puts it where it is not asked again."""

    def __init__(self, method):
        self.method, self.name = method, method.__name__

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.method(instance)
        return value


class Unit:
    """The quantity in another unit; ``Length.feet(x)`` makes one."""

    def __init__(self, name, factor):
        self.name, self.factor = name, factor

        def make(cls, value):
            made = cls.__new__(cls)
            setattr(made, name, value)
            made.metres = value / factor
            return made

        self.make = make

    def __get__(self, instance, owner=None):
        if instance is None:
            return types.MethodType(self.make, owner)
        value = instance.metres * self.factor
        setattr(instance, self.name, value)
        return value


class Length:
    feet = Unit("feet", 3.25)
    yards = Unit("yards", 1.1)

    def __init__(self, metres=None, feet=None):
        if feet is None:
            self.metres = metres
        else:
            self.feet, self.metres = feet, feet / 3.25


class Cell:
    scale = None
    counted = 0

    def __init__(self, x, **more):
        self.x = x
        self.__dict__.update(more)

    @Computed
    def square(self):
        self.counted += 1
        return self.x**2

    @property
    def double(self):
        return self.x * 2.0


class Doubling(Cell):
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2.0 if name == "z" else value)


def once(x):
    cell = Cell(x)
    return np.sum(cell.square * cell.square) * cell.counted


def units(x):
    length = Length(feet=x)
    return np.sum(length.feet * length.metres + length.yards * length.yards)


def made_by_the_class(x):
    return np.sum(Length.feet(x).metres * Length(x).feet)


def set_before(x):
    cell = Cell(x)
    cell.square = x * 5.0
    return np.sum(cell.square) + cell.counted


def given_by_name(x):
    cell = Cell(x, y=x * 2.0, n=3)
    return np.sum(cell.x * cell.y) * cell.n


def set_by_name(x):
    cell = Doubling(x)
    for name, value in {"y": x, "z": x * 2.0}.items():
        cell.__setattr__(name, value)
    return np.sum(cell.y * cell.z)


def put_in(x):
    cell = Cell(x)
    own = cell.__dict__
    own["x"], own["w"] = x**2, x
    return np.sum(cell.x) + np.sum(own["w"]) + len(own)


def below_a_property(x):
    cell = Cell(x)
    cell.__dict__["double"] = x * 100.0
    return np.sum(cell.double) + np.sum(cell.__dict__["double"])


def taken_out(x):
    cell = Cell(x)
    v = cell.__dict__.setdefault("v", x * 3.0)
    w = cell.__dict__.setdefault("v", x * 30.0)
    y = cell.__dict__.pop("x")
    return np.sum(v * w * y) + (1.0 if hasattr(cell, "x") else 2.0)


def in_turns(x):
    cell, total = Cell(x), 0.0
    for i in range(3):
        if x[0] > i:
            cell.__dict__["x"] = cell.x * 1.5
        total = total + np.sum(cell.x) * i
    return total


def none_in_the_class(x):
    cell = Cell(x)
    missing = getattr(cell, "scale", 5.0)
    return np.sum(x**2) * (1.0 if cell.scale is None else 2.0) * (3.0 if missing is None else missing)


class Ports:
    """Answers for attributes by its own code."""

    def __init__(self, x):
        self.before = 3.0 if hasattr(self, "s") else 1.0
        self.s = x

    def __getattr__(self, name):
        if name[0] == "s" and name[1:].isdigit():
            return self.s * int(name[1:])
        if name == "large" and self.__dict__["s"][0] > 1.0:
            return self.s * 3.0
        raise AttributeError(name)


def asked_by_code(x):
    ports = Ports(x)
    known = (2.0 if hasattr(ports, "s11") else 3.0) * (5.0 if hasattr(ports, "z11") else 7.0)
    return np.sum(ports.s23) * known * ports.before + np.sum(getattr(ports, "y", x**2))


def asked_at_run_time(x):
    ports = Ports(x)
    return np.sum(getattr(ports, "large", x**2)) * (2.0 if hasattr(ports, "large") else 3.0)


PROGRAMS = [
    once, units, made_by_the_class, set_before, given_by_name, set_by_name, put_in, below_a_property,
    taken_out, in_turns, none_in_the_class, asked_by_code, asked_at_run_time,
]  # fmt: skip


def differences(f, x):
    return [(f(x + h) - f(x - h)) / 2e-6 for h in 1e-6 * np.eye(len(x))]


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_compiled(f, backend):
    derivative = ast_ad.value_and_grad(f, backend=backend, fallback="error")
    for x in (np.array([1.5, -0.5]), np.array([0.7, 2.2])):
        value, gradient = derivative(x)
        assert value == pytest.approx(f(x), rel=1e-12)
        assert gradient == pytest.approx(differences(f, x), rel=1e-6)


@pytest.mark.slow
def test_another_name_of_the_dictionary_is_traced():
    def f(x):
        cell = Cell(x)
        own = cell.__dict__
        cell.x = x * 7.0
        return np.sum(own["x"])

    with pytest.warns(ast_ad.FallbackWarning, match="changed under another name"):
        assert ast_ad.grad(f)(np.ones(2)) == pytest.approx([7.0, 7.0])
