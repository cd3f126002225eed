"""How often is a function read whose branches ask for flags of a class? Twice, however many there are."""

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.frontend import lower


class Mask:
    NONE, SIZE, SLOPE, AREA, SCALE, ANGLE = 0, 1, 2, 4, 8, 16
    ALL = 31
    passes = 3


FIRST, SECOND, THIRD, FOURTH = 1, 2, 4, 8
CHOSEN = 11


def of_a_class(x, mask=Mask.SIZE | Mask.AREA):
    size = slope = area = scale = angle = 0.0
    if mask & Mask.SIZE:
        size = np.sum(x)
    else:
        size = "none"
    if mask & Mask.SLOPE:
        slope = {"of": x[0]}
    if mask & Mask.AREA:
        area = np.prod(x)
    else:
        area = None
    if mask & Mask.SCALE:
        scale = (x[0], x[1])
    else:
        scale = None
    if mask & Mask.ANGLE:
        angle = [x]
    return (
        (0.0 if size == "none" else size) + area + (0.0 if scale is None else scale[0]) + 0.0 * (angle == 0.0)
    )


def of_a_module(x):
    found = []
    for flag in (FIRST, SECOND, THIRD, FOURTH):
        found.append(x[0] ** 2 if CHOSEN & flag else None)
    first = "no" if not CHOSEN & FIRST else x
    second = x * 2.0 if CHOSEN & SECOND else ()
    third = "no" if not CHOSEN & THIRD else x
    return (
        np.sum(first)
        + np.sum(second)
        + (0.0 if third == "no" else 1.0)
        + sum(v for v in found if v is not None)
    )


@pytest.fixture
def builds(monkeypatch):
    count = []
    plain = lower._lower

    def counting(*args):
        count.append(1)
        return plain(*args)

    monkeypatch.setattr(lower, "_lower", counting)
    return count


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("f", [of_a_class, of_a_module])
def test_two_flags_speak_for_all(f, builds):
    x = np.array([0.7, 1.3, 0.4])
    gradient = ast_ad.grad(f, fallback="error")(x)
    slopes = [(f(x + step) - f(x - step)) / 2e-6 for step in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-7)
    assert len(builds) <= 3


@pytest.mark.slow
def test_a_changed_flag_is_seen(monkeypatch):
    x = np.array([0.7, 1.3, 0.4])
    gradient = ast_ad.grad(of_a_class, fallback="error")
    before = gradient(x)
    monkeypatch.setattr(Mask, "SIZE", 32)
    after = gradient(x)
    np.testing.assert_allclose(before - after, np.ones(3), rtol=1e-12)
    monkeypatch.undo()
    np.testing.assert_array_equal(gradient(x), before)


def test_other_numbers_of_the_class_are_no_constants(builds):
    """They may be counters: a program for each value would be one too many."""

    def f(x, mask=Mask.SIZE):
        size = x if mask & Mask.SIZE else "none"
        area = x * 2.0 if mask & Mask.SIZE and not mask & Mask.AREA else ()
        return np.sum(size) + np.sum(area) * Mask.passes

    x = np.array([0.7, 1.3])
    gradient = ast_ad.grad(f, fallback="error")
    np.testing.assert_allclose(gradient(x), 7.0)
    read = len(builds)
    try:
        for n in (4, 5, 6):
            Mask.passes = n
            np.testing.assert_allclose(gradient(x), 1.0 + 2.0 * n)
    finally:
        Mask.passes = 3
    assert len(builds) == read
