"""Are arrays of texts and objects compiled, and are none of the numbers that are put into them lost?"""

from typing import NamedTuple

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import AdError

X = np.array([0.5, 1.2, 1.7, 0.1])
WIND = {0.3: "calm", 1.0: "fair", 1.5: "strong"}


class Told(NamedTuple):
    value: np.ndarray
    label: np.ndarray


def told(x):
    value = x * x + 1.0
    label = np.full_like(value, "high", dtype=object)
    label[value <= 2] = "low"
    label[(value > 2) & (value < 3)] = "middle"
    return Told(value, label)


def dropped(x):
    return np.sum(told(x).value)


def chosen_by(x):
    found = told(x)
    return np.sum(found.value[found.label == "middle"]) * 3


def of_digits(x):
    classes = np.append(np.array(list(WIND.values()), dtype=object), np.nan)
    label = classes[np.digitize(x, np.asarray(list(WIND)))]
    return np.sum(np.where(label == "fair", x * x, x))


def in_a_loop(x):
    label = np.array(["a", "b", "c", "d"], dtype=object)
    for i in range(4):
        if x[i] > 0.6:
            label[i] = "big"
    return np.sum(x[label == "big"] ** 2)


def of_nothing(x):
    states = np.empty(2, dtype=object)
    states[0], states[1] = "ready", None
    return np.sum(x**2) * len(states)


def booleans(x):
    seen = np.full(4, None, dtype=object)
    seen[x > 1] = True
    return np.sum(x * (seen == True))  # noqa: E712


def texts(x):
    total = 0.0
    for name in np.array(["u", "v"]):
        total += x[0] * 2 if name == "u" else x[1] ** 2
    return total


def letters(x):
    names = np.array(["ab", "cd", "ef", "gh"], dtype=str)
    names[1] = "xy"
    return np.sum(x[names != "xy"] ** 2)


def by_where(x):
    return np.sum(x * (np.where(x > 0.6, "big", "small") == "big"))


def by_select(x):
    label = np.select([x < 0.3, x < 1.0], ["low", "middle"], default="high")
    return np.sum(np.where(label == "low", x, x * x))


PROGRAMS = [
    dropped,
    chosen_by,
    of_digits,
    in_a_loop,
    of_nothing,
    booleans,
    texts,
    letters,
    by_where,
    by_select,
]


@pytest.mark.slow(beyond=3)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_compiled(function):
    gradient = ast_ad.grad(function, fallback="error")
    for x in (X, X[::-1].copy()):
        wanted = [(function(x + d) - function(x - d)) / 2e-6 for d in 1e-6 * np.eye(4)]
        np.testing.assert_allclose(gradient(x), wanted, rtol=1e-6, atol=1e-8)


def test_labels_are_results():
    found, gradient = ast_ad.value_and_grad(lambda x: (np.sum(told(x).value), told(x).label), has_aux=True)(X)
    assert list(found[1]) == ["low", "middle", "high", "low"]
    np.testing.assert_allclose(gradient, 2 * X)


def converted(x):
    return np.sum(x.astype(object).astype(float) ** 2)


def of_numbers(x):
    return np.sum(np.array([x[0], x[1]], dtype=object).astype(float) ** 2)


def of_an_array(x):
    return np.sum(np.asarray(x * 2, dtype=object).astype(float) ** 2)


def joined(x):
    return np.sum(np.concatenate([x, np.array(["a"], dtype=object)])[:2].astype(float) ** 2)


def appended(x):
    return np.sum(np.append(np.array([None], dtype=object), x)[1:].astype(float) ** 2)


def filled(x):
    full = np.full(2, x[0], dtype=object)
    full[0] = "z"
    return float(full[1]) * x[1]


def filled_with_several(x):
    full = np.full(2, [x[0], x[1] * 3], dtype=object)
    return full[1] * x[0]


def filled_like(x):
    return np.sum(np.full_like(x, x[1], dtype=object).astype(float) ** 2)


def stored(x):
    mixed = np.full(2, "q", dtype=object)
    mixed[1] = x[0]
    return mixed[1] * 2


def of_texts(x):
    return np.sum(np.array([x[0], x[1]], dtype=str).astype(float) ** 2)


HIDING = [converted, of_numbers, of_an_array, joined, appended, filled, filled_with_several, filled_like,
          stored, of_texts]  # fmt: skip


@pytest.mark.slow(beyond=4)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("function", HIDING, ids=lambda f: f.__name__)
def test_numbers_in_them_have_their_derivative_or_are_refused(function):
    with pytest.raises(AdError):
        ast_ad.grad(function, fallback="error")(X)
    try:
        found = ast_ad.grad(function)(X)
    except AdError as error:
        assert "traced" in str(error) or "derivative" in str(error)
    else:
        wanted = [(function(X + d) - function(X - d)) / 2e-6 for d in 1e-6 * np.eye(4)]
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8)
