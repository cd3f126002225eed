"""Is a number that is read from the text into which it was written an error, and no other text?"""

import ast
import json

import numpy as np
import pytest

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([1.5, -0.1234567891234567])


def evaluated(x):
    return np.sum(np.array(eval("[" + str(x.tolist()) + "]")[0]))


def executed(x):
    names = {}
    exec(f"y = {float(x[1])}", names)
    return names["y"] * x[0]


def of_float(x):
    return float(f"{x[1]}") * x[0]


def of_signed(x):
    return abs(float(f"{-x[1]:>30}")) * x[0]


def of_numpy(x):
    return np.float64(str(float(x[1]))) * x[0]


def of_complex(x):
    return complex(str(float(x[1]))).real * x[0]


def of_digits(x):
    return float(f"{x[1]:.17g}") * x[0]


def literal(x):
    return ast.literal_eval("%r" % float(x[1])) * x[0]  # noqa: UP031


def of_json(x):
    return json.loads("[" + ", ".join(f"{v}" for v in x) + "]")[1] * x[0]


def of_array(x):
    return np.sum([float(part) for part in np.array2string(x, separator=",")[1:-1].split(",")])


def array_of_texts(x):
    return np.sum(np.array([str(v) for v in x], dtype=float))


def texts_of_array(x):
    return np.sum(x.astype(str).astype(float))


def scanned(x):
    return np.sum(np.fromstring(" ".join(map(str, x)), sep=" "))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "f",
    [
        evaluated,
        executed,
        of_float,
        of_signed,
        of_numpy,
        of_complex,
        of_digits,
        literal,
        of_json,
        of_array,
        array_of_texts,
        texts_of_array,
        scanned,
    ],
)
def test_read_again(f):
    f(X)
    with pytest.raises(ast_ad.errors.MissingRuleError, match="from a text|one of texts"):
        ast_ad.grad(f)(X)


def rounded(x):
    return x[0] * float(f"{x[1]:.3g}")


def other_texts(x):
    print(x, x[0], f"{x[1]:8.3f}", "%r" % x[0])  # noqa: UP031
    return x[0] * float("2.5") + eval("3.25") * x[1] + json.loads("[0.5]")[0]


def names_of_the_caller(x):
    k = 3
    exec("assert k == 3")
    return (
        x[0] * eval("k * 2")
        + eval("x[1] * k")
        + eval("k", {"k": x[1]})
        + eval("m * k", None, {"m": x[0], "k": 1})
    )


def constants(x):
    y = np.array([2.5])
    return x[0] * float(str(y[0].item())) * eval(str(y.tolist()))[0]


@pytest.mark.parametrize(
    ("f", "found"),
    [
        (rounded, [-0.123, 0.0]),
        (other_texts, [2.5, 3.25]),
        (names_of_the_caller, [7.0, 4.0]),
        (constants, [6.25, 0.0]),
    ],
)
@pytest.mark.filterwarnings("ignore::ast_ad.ZeroGradientWarning")
def test_other_texts(f, found):
    np.testing.assert_allclose(ast_ad.grad(f)(X), found, rtol=1e-14)
    assert ast_ad.value_and_grad(f)(X)[0] == f(X)


def test_texts_of_another_call():
    """What one call has written is nothing to the next, nor after an error."""
    kept = []

    def f(x):
        kept.append(str(float(x[0])))
        return x[1] * float(kept[0]) if len(kept) > 1 else x[1] * eval("1.0")

    ast_ad.grad(f)(X)
    with pytest.raises(ast_ad.errors.MissingRuleError, match="from a text"):
        ast_ad.grad(f)(X)
    kept[:] = ["0.75"]
    np.testing.assert_array_equal(ast_ad.grad(f)(X), [0.0, 0.75])
    assert json.loads("1.5") == 1.5 and type(json.loads) is type(ast.literal_eval)
