"""Is ``super(Class, self)`` the base class's part of an object, wherever it stands?"""

# ruff: noqa: UP008

import numpy as np
import pytest

import ast_ad


class Spring:
    scale = 2.0

    def __init__(self, k):
        self.k = k

    def force(self, x):
        return self.k * x * self.scale

    @classmethod
    def doubled(cls, k):
        return cls(2.0 * k)

    @staticmethod
    def cubed(x):
        return x * x * x

    @property
    def half(self):
        return self.k / 2


class Damped(Spring):
    scale = 5.0

    def __init__(self, k, damping=0.7):
        super(Damped, self).__init__(k * k)
        self.damping = damping

    def force(self, x):
        base = super(Damped, self)
        return base.force(x) + self.damping * base.cubed(x) + base.half * base.scale

    @classmethod
    def doubled(cls, k):
        made = super(Damped, cls).doubled(k)
        made.damping = 0.3
        return made


class Driven(Damped):
    def force(self, x):
        return super(Driven, self).force(x) + super(Damped, self).force(x) * x

    def from_elsewhere(self, x):
        return outside(self, x)


def outside(driven, x):
    return super(Driven, driven).force(x) * x


def energy(k, x):
    driven = Driven(k, damping=k)
    return Damped(k).force(x) + driven.force(x) + driven.from_elsewhere(x) + Damped.doubled(k).force(x)


@pytest.mark.slow
def test_named_base_classes():
    found = ast_ad.grad(energy, argnums=(0, 1), fallback="error")(1.3, 0.4)
    h = 1e-6
    by_k = (energy(1.3 + h, 0.4) - energy(1.3 - h, 0.4)) / (2 * h)
    by_x = (energy(1.3, 0.4 + h) - energy(1.3, 0.4 - h)) / (2 * h)
    np.testing.assert_allclose(found, (by_k, by_x), rtol=1e-8)


def test_class_attribute_of_the_base_is_asked_again():
    force = ast_ad.grad(lambda x: Damped(1.0).force(x), fallback="error")
    assert force(1.0) == pytest.approx(5.0 + 2.1)
    Spring.scale = 3.0
    try:
        assert force(1.0) == pytest.approx(5.0 + 2.1)  # the object's own scale multiplies x
        assert ast_ad.grad(lambda k: Damped(k).force(1.0), fallback="error")(1.0) == pytest.approx(13.0)
    finally:
        Spring.scale = 2.0


def test_no_base_class_of_the_object():
    def wrong(x):
        return super(Damped, Spring(x)).force(x)

    with pytest.raises(TypeError):
        wrong(1.0)
    with pytest.raises(TypeError), pytest.warns(ast_ad.FallbackWarning):
        ast_ad.grad(wrong)(1.0)
