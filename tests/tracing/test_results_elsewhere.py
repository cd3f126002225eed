"""Do traced values do what plain ones do where results are written elsewhere, or other classes have a say?"""

import math

import numpy as np
import pytest

from ast_ad import AdError, tracing as fallback

from .test_numpy_face import right

M = np.array([[0.7, -1.3, 2.1], [0.4, 0.9, -0.6], [-0.2, 1.7, 0.3]])
W = np.array([[0.3, 1.1, -0.7], [0.5, -0.9, 0.2], [1.3, 0.6, -0.4]])


def written(fill):
    """The program that sums, with weights, what ``fill`` wrote to an array of zeros."""

    def program(m):
        y = np.zeros((3, 3))
        found = fill(m, y)
        return np.sum(W * (y if found is None else found))

    return program


RESULTS = {
    "sum": lambda m, y: np.sum(m, 0, None, y[0]),
    "mean": lambda m, y: np.mean(m, 0, None, y[:1], True),
    "max": lambda m, y: m.max(0, y[1]),
    "std": lambda m, y: np.std(m, 1, None, y[1]),
    "cumsum": lambda m, y: m.cumsum(0, None, y),
    "clip": lambda m, y: np.clip(m, 0, 1, y),
    "take": lambda m, y: np.take(m, [0, 2, 2], 0, y),
    "dot": lambda m, y: np.dot(m, m, y),
    "median": lambda m, y: np.median(m, 0, y[0]),
    "quantile": lambda m, y: np.quantile(m, 0.3, 0, y[2]),
    "outer": lambda m, y: np.outer(m[0], m[1], y),
    "concatenate": lambda m, y: np.concatenate([m[:2], m[:1]], 0, y),
    "compress": lambda m, y: m.compress([True, False, True], 0, y[:2]) is None or y,
    "copyto": lambda m, y: np.copyto(y, m, "same_kind", m > 0),
    "copyto by name": lambda m, y: np.copyto(dst=y, src=m[None]),
    "more axes": lambda m, y: y.__setitem__(0, m[1:2] * m[None, 2]),
    "full": lambda m, y: np.full((3, 3), [m[0, 0], 2.0, m[1, 1]]),
    "iterator": lambda m, y: np.fromiter((v * v for v in m[0]), float, 3) + np.fromiter(m[1], float),
    "rows": lambda m, y: np.apply_along_axis(lambda r: r / r.sum(), 1, m),
    "columns": lambda m, y: np.c_[m[0], m[1] * 2, [m[0, 0], 1.0, 2.0]] + np.r_[m[0, 0], m[1, 1:]],
    "vectorize": lambda m, y: np.vectorize(lambda a, b: a * b if a > b else math.sin(b))(m, m.T),
    "vectorize twice": lambda m, y: np.multiply(*np.vectorize(lambda a, k=1: (a, a * k))(m, k=3)),
    "signature": lambda m, y: np.vectorize(lambda r: r.sum() ** 2, signature="(n)->()")(m),
    "enumerate": lambda m, y: sum(i * v * v for (i, _), v in np.ndenumerate(m)),
    "clip from below": lambda m, y: m.clip(0) + m.clip(max=1) + m.item((0, 1)) + m.item(0, 2),
    "average": lambda m, y: np.average(m, 0, weights=np.abs(m)),
    "percentiles": lambda m, y: np.percentile(m, [10, 50, 70], 0, method="nearest"),
    "math of complex numbers": lambda m, y: math.sin((m * 2j)[0, 1] * (1j + m[0, 0])) * m,
    "flat": lambda m, y: np.array(m.T.flat).reshape(3, 3) * (m.flat > 0.5).reshape(3, 3),
    "range": lambda m, y: m[0] * range(3) + range(3) / m[1],
}


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", RESULTS)
def test_result(name):
    right(written(RESULTS[name]), M)


def test_integers_have_no_derivative():
    def program(m):
        y = np.zeros(3, int)
        np.copyto(y, m[0] * 7.3, casting="unsafe")
        np.add(y, m[1] * 7.3, out=y, casting="unsafe")
        return np.sum(m * y)

    right(program, M)


ATTEMPTS = [
    lambda m: [1.0] * m[0, 0],
    lambda m: "a" + m,
    lambda m: m & 1,
    lambda m: ~m,
    lambda m: 1 << m[0, 0],
    lambda m: float(m[0, 0]) & 1,
    lambda m: float(m[0, 0]) + [1.0],
    lambda m: float(m[0, 0]) < None,
    lambda m: m[m[0, 0] :],
    lambda m: m[0, 0][0],
    lambda m: list(m[0, 0]),
    lambda m: list(m[0, 0].reshape(())),
    lambda m: round(m),
    lambda m: np.add(m, 1, dtype=int),
    lambda m: m.astype(int, casting="safe"),
    lambda m: m.astype(int, "C", "same_kind"),
    lambda m: m.fill([1.0]),
    lambda m: m.sort(axis=None),
    lambda m: m.__delitem__(0),
    lambda m: np.array([m, 1.0]),
    lambda m: np.copyto(np.zeros((3, 3), int), m),
    lambda m: m.itemset,
    lambda m: m.squeeze(0),
    lambda m: np.squeeze(m, axis=(0, 1)),
    lambda m: np.sum(m, 0, out=np.zeros((2, 3))),
    lambda m: np.dot(m, m, np.zeros((3, 3), np.float32)),
]


@pytest.mark.parametrize("number", range(len(ATTEMPTS)))
def test_exceptions(number):
    attempt, seen = ATTEMPTS[number], []

    def program(m):
        try:
            attempt(m)
        except Exception as error:
            seen.append((type(error), str(error)))
        return np.sum(m)

    program(M.copy())
    fallback.trace(program, (M,), {}, (0,))
    plain, traced = seen
    assert traced[0] is plain[0]
    assert traced[1] == plain[1] or "interpreted as an integer" in traced[1]


def test_comparisons_with_other_classes():
    def program(m):
        assert m[0, 0] != [1] or True
        found = [m == None, m != "a", (float(m[0, 0]) == [1.0]), m[0] == range(3)]  # noqa: E711
        return np.sum(m) * sum(map(np.size, found))

    right(program, M)


@pytest.mark.drawn(of=5)
@pytest.mark.parametrize("name", ["ctypes", "data", "__array_interface__", "__dlpack__", "__array_struct__"])
def test_memory_is_not_shown(name):
    with pytest.raises(AdError):
        fallback.trace(lambda m: getattr(m, name) and m.sum(), (M,), {}, (0,))
