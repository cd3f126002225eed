"""Programs that find out what to do by wrappers, classes and registries rather than by branches."""

from __future__ import annotations

import abc
import dataclasses
import enum
import functools
import importlib
import inspect
import math
import operator
import sys
import types
import typing
from collections.abc import Callable
from typing import Any

import numpy as np

Program = Callable[[np.ndarray], Any]
PROGRAMS: list[Program] = []
COMPILED: list[Program] = []


def program(f: Program) -> Program:
    PROGRAMS.append(f)
    return f


def compiled(f: Program) -> Program:
    """A program that a trace refuses: NumPy's own classes take traced numbers for what they can't convert."""
    COMPILED.append(f)
    return f


# ----- array libraries
def namespace_of(*arrays):
    for a in arrays:
        if hasattr(a, "__array_namespace__"):
            return a.__array_namespace__()
    return np


def only_namespace(*arrays):
    found = {a.__array_namespace__() for a in arrays if hasattr(a, "__array_namespace__")}
    (xp,) = found
    return xp


@program
def kinds_of_numbers(x):
    """What is asked of a dtype is known: the other paths would have another structure."""
    xp = only_namespace(x)
    if not xp.isdtype(x.dtype, ("real floating", "complex floating")):
        x = [y * 2.0 for y in x]
    native = x.dtype.newbyteorder("=")
    if native != x.dtype or not xp.isdtype(native, kind="numeric"):
        raise TypeError("no numbers")
    try:
        if xp.isdtype(native, "integral"):
            raise ValueError("counts")
        return xp.sum(xp.asarray(x, native) ** 3)
    except ValueError:
        return x[0]


class Space:
    def __init__(self, xp):
        self.xp = xp

    def norm(self, x):
        return self.xp.sqrt(self.xp.sum(self.xp.asarray(x, dtype=self.xp.float64) ** 2))


SPACE = Space(np)


@program
def namespace_of_an_array(x):
    xp = namespace_of(3.0, x)
    return xp.sum(xp.where(xp.asarray(x) > 0.5, x**2, x))


@program
def namespace_in_a_set(x):
    return only_namespace(x, 2.0, x * x).sum(x**3)


@program
def namespace_in_an_attribute(x):
    return SPACE.norm(x)


@program
def namespace_or_a_default(x):
    xp = getattr(x, "__array_namespace__", lambda api_version=None: np)(api_version=None)
    return xp.sum(x * x[0])


@program
def module_by_name(x):
    name = type(x).__module__
    total = sys.modules[name].sum(x**2) + importlib.import_module("numpy").prod(x)
    return total if "no_such_library" not in sys.modules else total * 2


@program
def function_by_name(x, name="cube"):
    return np.sum(globals()[name](x)) + np.sum(np.sin(x)) * ("nothing" in globals())


def cube(x):
    return x**3


# ----- decorators
def validated(f):
    signature = inspect.signature(f)

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            if value is None:
                raise ValueError(name)
        return f(*bound.args, **bound.kwargs)

    return wrapper


def as_arrays(*names):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            bound = inspect.signature(f).bind(*args, **kwargs)
            for name in names:
                if name in bound.arguments:
                    bound.arguments[name] = np.atleast_1d(bound.arguments[name])
            return f(*bound.args, **bound.kwargs)

        return wrapper

    return decorate


def squeezed(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        found = f(*(np.atleast_1d(np.asarray(a, dtype=float)) for a in args), **kwargs)
        return found.item() if found.size == 1 else np.squeeze(found)

    return wrapper


def by_annotation(f):
    parameters = inspect.signature(f).parameters

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        given = dict(zip(parameters, args, strict=False), **kwargs)
        for name, parameter in parameters.items():
            if parameter.annotation in (float, "float") and name in given:
                given[name] = float(given[name])
        return f(**given)

    return wrapper


@validated
def scaled(x, p=2, *rest, factor=1.0, **more):
    return np.sum(x**p) * factor + sum(rest) * more.get("shift", 1.0)


@as_arrays("x", "y")
def product(x, y=3.0):
    return np.sum(x * y)


@squeezed
def sine(a, b):
    return a * b + np.sin(a)


@by_annotation
def power(x, scale: float = 2.0):
    return np.sum(x**2) * scale


@program
def bound_arguments(x):
    return scaled(x) + scaled(x, 3, x[0], 2.0, factor=x[1], shift=x[2])


@program
def converted_arguments(x):
    return product(x, x[0]) + product(x[1])


@program
def squeezed_result(x):
    return sine(x[0], 2.0) + np.sum(sine(x, x[1]))


@program
def arguments_by_annotation(x):
    return power(x) + power(x, scale=x[0])


@program
def number_of_parameters(x):
    return np.sum(x) * len(inspect.signature(product).parameters)


# ----- functools
@functools.singledispatch
def weight(v):
    return 1.0


@weight.register
def _(v: float):
    return v**2


@weight.register(np.ndarray)
def _(v):
    return np.sum(v**3)


@weight.register(list)
@weight.register(tuple)
def _(v):
    return v[0] * 5.0


class Weights:
    power = 2

    def __init__(self, a):
        self.a = a

    @functools.singledispatchmethod
    def of(self, v):
        return 0.0

    @of.register(float)
    def _(self, v):
        return v * np.sum(self.a)

    @of.register(np.ndarray)
    def _(self, v):
        return np.sum(v * self.a)

    @functools.cached_property
    def squares(self):
        return self.a**2

    def raised(self, k, scale=1.0):
        return np.sum(self.a**k) * scale

    cubes = functools.partialmethod(raised, 3, scale=2.0)

    @functools.lru_cache  # noqa: B019
    def factor(self, k):
        return k * 2.0


WEIGHTS = Weights(np.array([1.0, 2.0, 3.0]))


@program
def dispatch_by_class(x):
    return weight(x) + weight(x[0]) + weight([x[1]]) + weight((x[2], 1)) + weight("x") * x[0]


@program
def dispatched_methods(x):
    return WEIGHTS.of(x) + WEIGHTS.of(x[0]) + Weights(x).of(x)


@program
def cached_properties(x):
    made = Weights(x)
    return np.sum(made.squares) * np.sum(made.squares * x) + np.sum(WEIGHTS.squares * x)


@program
def partial_methods(x):
    return Weights(x).cubes() + WEIGHTS.cubes() * x[0]


@program
def method_with_a_cache(x):
    return WEIGHTS.factor(3) * np.sum(x**2)


class Doubled:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return getattr(instance, self.name) * 2.0

    def __set__(self, instance, value):
        setattr(instance, self.name, value)


class WithDescriptor:
    v = Doubled()

    def __init__(self, v):
        self.v = v


@program
def descriptor_of_python_code(x):
    made = WithDescriptor(x)
    made.v = made.v * x[0]
    return np.sum(made.v)


# ----- dataclasses, named tuples, enumerations, classes
@dataclasses.dataclass
class Base:
    a: float
    b: float = 2.0
    held: list = dataclasses.field(default_factory=list)
    c: float = dataclasses.field(init=False, default=0.5)
    n: typing.ClassVar[int] = 3

    def __post_init__(self):
        self.held.append(self.a * self.b)

    def total(self):
        return self.a + self.b * self.held[0] + self.c * self.n


@dataclasses.dataclass
class Derived(Base):
    d: float = 1.0

    def __post_init__(self):
        super().__post_init__()
        self.c = self.a * self.d


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Frozen:
    a: float
    v: Any = None
    square: float = dataclasses.field(default=0.0, compare=False)

    def __post_init__(self):
        object.__setattr__(self, "square", self.a**2)


@dataclasses.dataclass
class Passing:
    a: float
    scale: dataclasses.InitVar[float] = 2.0

    def __post_init__(self, scale):
        self.a = self.a * scale


@dataclasses.dataclass(order=True)
class Ordered:
    a: float
    b: float


@program
def dataclass_fields(x):
    return Base(x[0], x[1]).total() + Base(x[2]).total() + Derived(x[0], d=x[1]).total()


@program
def frozen_dataclass(x):
    made = Frozen(a=x[0], v=x)
    other = dataclasses.replace(made, a=x[1])
    return made.square + other.square * np.sum(other.v) + dataclasses.asdict(made)["a"]


KINDS = frozenset({int, float, str})


@program
def members_of_frozen_sets(x):
    total = 0.0
    for value in (Frozen(a=x[0], v=x), "text", 3):
        if type(value) in KINDS:
            total += 2.0 * x[1]
        elif type(value) not in KINDS:
            total += value.a**2
    return total


@program
def passed_to_post_init(x):
    return Passing(x[0]).a + Passing(x[1], x[2]).a


@program
def compared_dataclasses(x):
    one, two = Ordered(x[0], x[1]), Ordered(x[0], x[2])
    more = 3.0 if one != two else 5.0
    return (two.b if one < two else one.b) * more + (x[0] if one == Ordered(x[0], x[1]) else x[1])


class Pair(typing.NamedTuple):
    a: float
    b: float = 2.0

    def product(self):
        return self.a * self.b

    @property
    def first(self):
        return self.a

    def __add__(self, other):
        return Pair(self.a + other.a, self.b + other.b)


class Doubling(Pair):
    __slots__ = ()

    def product(self):
        return 2 * super().product()


@program
def named_tuples(x):
    made = Pair(x[0])._replace(b=x[1]) + Pair._make([x[1], x[2]])
    return made.product() + made.first + Doubling(x[0], x[2]).product() + made._asdict()["b"] + len(made)


class Mode(enum.Enum):
    SQUARE = "square"
    CUBE = "cube"

    @property
    def power(self):
        return 2 if self is Mode.SQUARE else 3


@program
def enumerations(x, mode=Mode.CUBE):
    total = np.sum(x ** Mode("square").power) * len(Mode) + np.sum(x**mode.power)
    for one in Mode:
        total = total + np.sum(x) * one.power * (one in (Mode["CUBE"],))
    return total


class Singleton(type):
    made = 0

    def __call__(cls, *args, **kwargs):
        instance = super().__call__(*args, **kwargs)
        instance.label = "made"
        return instance


class ByMeta(metaclass=Singleton):
    def __init__(self, k):
        self.k = k


class New:
    def __new__(cls, v, *rest):
        made = super().__new__(cls)
        made.v = v
        return made


class Abstract(abc.ABC):
    @classmethod
    def make(cls, *args):
        return cls(*args)

    @abc.abstractmethod
    def value(self): ...


class Concrete(Abstract):
    def __init__(self, k):
        self.k = k

    @classmethod
    def make(cls, *args):
        return super().make(*args)

    def value(self):
        return self.k**2


class Shape(typing.Protocol):
    def area(self): ...


class Disc(Shape):
    def area(self):
        return 3.0


@program
def classes_that_are_made(x):
    total = ByMeta(x[0]).k * (2.0 if ByMeta(1.0).label == "made" else 3.0)
    total = total + New(x[1], 2).v + Concrete.make(x[2]).value() + Disc().area() * x[0]
    return total + types.SimpleNamespace(a=x[0], b=x).b[1]


class Vector:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        if not isinstance(other, (Vector, float, int)):
            return NotImplemented
        return Vector(self.v + (other.v if isinstance(other, Vector) else other))

    __radd__ = __add__

    def __mul__(self, other):
        return Vector(self.v * (other.v if isinstance(other, Vector) else other))

    def __rmul__(self, other):
        return self * other

    def __neg__(self):
        return Vector(-self.v)

    def __abs__(self):
        return np.sqrt(self @ self)

    def __matmul__(self, other):
        return self.v @ other.v

    def __lt__(self, other):
        return self.v[0] < other.v[0]

    def __eq__(self, other):
        return isinstance(other, Vector) and bool(np.all(self.v == other.v))

    __hash__ = None

    def __len__(self):
        return len(self.v)

    def __iter__(self):
        return iter(self.v)

    def __contains__(self, item):
        return bool(np.any(self.v == item))

    def __float__(self):
        return float(self.v[0])

    def __call__(self, t):
        return np.sum(self.v * t)


class Wrapped:
    __array_ufunc__ = None

    def __init__(self, v):
        self.v = v

    def __getitem__(self, i):
        return self.v[i]

    def __rmul__(self, other):
        return np.sum(self.v * other)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.v)

    def __bool__(self):
        return False


class Cold(Vector):
    def __radd__(self, other):
        return Vector(other.v - self.v)


VECTOR = Vector(np.array([1.0, 2.0, 3.0]))
WRAPPED = Wrapped(np.array([1.0, 2.0, 3.0]))


@program
def operators_of_classes(x):
    a = Vector(x)
    b = -(2 * a + a * VECTOR + 1.0)
    total = abs(b) + a @ b + float(a) + b(0.5) + len(a) * x[0] + sum(v**2 for v in a)
    return total + (1.0 if a < VECTOR else 2.0) * x[1] + (x[0] if a == a else x[1]) + (5.0 in a) * x[0]


@program
def operators_of_subclasses(x):
    return abs(Vector(x) + Cold(x**2)) + (VECTOR + Vector(x)) @ VECTOR


@program
def operators_before_arrays(x):
    return x * Wrapped(x) + x[0] * WRAPPED + np.sum(np.asarray(Wrapped(x)) ** 2) + WRAPPED[1] * x[0]


@program
def truth_of_objects(x):
    return (x[0] if WRAPPED else x[1]) * (x[1] if VECTOR else x[2])


@program
def functions_of_operator(x):
    add = operator.add(Vector(x), VECTOR)
    return np.sum(add.v) + operator.mul(x[0], x[1]) + operator.neg(Vector(x))(x)


# ----- match
@program
def matched(x, mode="cube"):
    match mode:
        case "square":
            y = x**2
        case "cube" | "third":
            y = x**3
        case _:
            raise ValueError
    match {"kind": "a", "v": x[0], "w": x[1]}:
        case {"kind": "b"}:
            s = 0.0
        case {"kind": "a", "v": v, **rest}:
            s = v * rest["w"]
    match Pair(x[0], x[1]):
        case Pair(a=a, b=b) if a > b:
            s = s + a
        case Pair(a, b):
            s = s + a * b
    match [1, x[0], x[1], x[2]]:
        case [1, first, *rest, last]:
            s = s + first * rest[0] + last
    match x[0]:
        case int():
            s = s * 2
        case float(f):
            s = s * f
    match Concrete(x[2]):
        case Concrete(k=k):
            s = s + k
    return np.sum(y) * s


@program
def dispatch_by_dict(x):
    table = {(np.ndarray, float): lambda a, b: np.sum(a) * b, float: lambda a: a**2}
    kinds = {Mode.CUBE: np.sin, Mode.SQUARE: np.cos}
    return table[type(x), float](x, x[0]) + table[float](x[1]) + np.sum(kinds[Mode["SQUARE"]](x))


# ----- what is made to get something, and classes as functions
GET = operator.itemgetter(2, 0)
SUM = operator.methodcaller("sum", axis=0)


@program
def getters(x):
    holder = types.SimpleNamespace(inner=types.SimpleNamespace(v=x[2]))
    total = operator.itemgetter(1)(x) * operator.attrgetter("inner.v")(holder)
    return total + sum(GET(x)) * SUM(x) + operator.methodcaller("dot", x)(x)


class Casting:
    dtype = np.float64

    def __init__(self):
        self.cast = np.dtype("float64").type

    def all(self, x):
        return self.dtype(x).sum() * self.cast(x[0]) + np.sum(np.zeros(3, self.dtype) + x)


CASTING = Casting()


@program
def classes_of_dtypes(x, dtype="float64"):
    kind = type(x[0])
    total = kind(x[1]) * 2 + kind(0) + getattr(np, dtype)(x[0]) + np.float64("3.5") * x[2]
    return total + np.sum(kind([[x[0], 1.0], [2.0, x[1]]])) * np.float64(2) + np.sum(np.float64([x[0], x[1]]))


@compiled
def classes_of_dtypes_in_attributes(x):
    return CASTING.all(x) * np.float64(2) + Casting().all(x) * x.dtype.type(x[2])


@program
def branches_that_are_not_taken(x, n=0, w=None):
    y = np.sum(x)
    if y > 1e3:
        y = y / n + 1 % n + math.log(n)
    if y > 2e3:
        y = y + None
    if y > 3e3:
        y = y * w[0]
    if y > 4e3:
        y = y + [][0] + {}["k"] + int("a")
    if y > 5e3:
        y = np.reshape(x, (7, 7)).sum() + np.sum(x @ np.ones((9, 9)))
    mean = y / n if n > 0 else None
    return y**2 if mean is None else mean
