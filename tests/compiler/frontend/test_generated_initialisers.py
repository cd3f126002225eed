"""Is the ``__init__`` that the dataclass decorator writes read as what it does, whoever calls it?"""

from dataclasses import KW_ONLY, InitVar, dataclass, field

import numpy as np
import pytest

import ast_ad


@dataclass
class Base:
    sigma: float
    _: KW_ONLY
    rate: float = 0.0

    def __post_init__(self):
        following = getattr(super(), "__post_init__", None)
        if following is not None:
            following()

    def total(self):
        return self.sigma * np.exp(self.rate)


@dataclass
class Scaled:
    def __post_init__(self):
        self.scale = 2.0
        if hasattr(super(), "__post_init__"):
            super().__post_init__()


@dataclass
class Both(Scaled, Base):
    def scaled(self):
        return self.total() * self.scale


class Shifted(Base):
    def __init__(self, sigma, *args, shift=0.1, **named):
        super().__init__(sigma + shift, *args, **named)


class Named(Base):
    def __init__(self, s):
        Base.__init__(self, s * s, rate=0.3)


@dataclass
class Passed(Base):
    extra: InitVar[float] = 2.0
    rows: list = field(default_factory=lambda: [1.0, 2.0])

    def __post_init__(self, extra):
        super().__post_init__()
        self.sigma = self.sigma * extra


@dataclass
class WithOwn(Base):
    more: float = 3.0

    def __init__(self, s):
        super().__init__(s, rate=s)
        self.more = s**3

    def total(self):
        return super().total() * self.more


class Derived(Base):
    @property
    def sigma(self):
        return self.kept * 3.0

    @sigma.setter
    def sigma(self, value):
        self.kept = value * value


@dataclass
class Doubling:
    a: float

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2.0)


@dataclass(frozen=True)
class Frozen:
    a: float
    b: float = 2.0


class Squared(Frozen):
    def __init__(self, a):
        super().__init__(a * a)


@dataclass(slots=True)
class Slots:
    a: float
    b: float = 1.5


PROGRAMS = {
    "super().__init__": lambda x: Shifted(x[0], rate=x[1]).total(),
    "Base.__init__": lambda x: Named(x[0]).total() * x[1],
    "several bases": lambda x: Both(x[0], rate=x[1]).scaled(),
    "passed on": lambda x: Passed(x[0], extra=x[1]).total() * Passed(x[0]).rows[1],
    "one of its own": lambda x: WithOwn(x[0]).total() + WithOwn(x[1]).total(),
    "a property": lambda x: Derived(x[0], rate=x[1]).total(),
    "__setattr__": lambda x: Doubling(x[0] * x[1]).a,
    "frozen": lambda x: Squared(x[0]).a * Squared(x[1]).a * Squared(x[1]).b,
    "slots": lambda x: Slots(x[0]).a * Slots(x[1]).b,
}


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
def test_it_is_what_it_does(f, backend):
    x = np.array([0.7, 0.4])
    value, gradient = ast_ad.value_and_grad(f, backend=backend, fallback="error")(x)
    assert value == pytest.approx(f(x), rel=1e-14)
    slopes = [(f(x + step) - f(x - step)) / 2e-6 for step in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-7)


def test_what_super_lacks_is_looked_for_again():
    class Ground:
        pass

    class Above(Ground):
        def factor(self):
            return 2.0 if hasattr(super(), "factor") else 1.0

    def f(x):
        return x * Above().factor() if hasattr(super(Above, Above()), "__init__") else x

    g = ast_ad.grad(f, fallback="error")
    assert g(3.0) == 1.0
    Ground.factor = lambda self: 0.0
    assert g(3.0) == 2.0
