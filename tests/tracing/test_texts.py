"""Is a number that is read from the text into which it was written an error, and no other text?"""

import ast
import io
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


def of_percent(x):
    return float("%.17g" % x[1]) * x[0]  # noqa: UP031


def of_a_format_in_a_name(x):
    form = "%." + "17g"
    return float(form % x[1]) * x[0]


def of_bytes(x):
    return float(b"%.17e" % x[1]) * x[0]


def of_several_formats(x):
    return float(("%.2g %.17g" % (x[0], x[1])).split()[1]) * x[0]  # noqa: UP031


def of_a_text_file(x):
    file = io.StringIO()
    np.savetxt(file, x)
    file.seek(0)
    return np.sum(np.loadtxt(file)) * x[0]


def of_a_table(x):
    file = io.StringIO()
    np.savetxt(file, np.stack([x, x]), delimiter=",")
    file.seek(0)
    return np.sum(np.genfromtxt(file, delimiter=",")) * x[0]


def of_a_file(x):
    file = io.BytesIO()
    np.save(file, x)
    file.seek(0)
    return np.sum(np.load(file)) * x[0]


def of_an_archive(x):
    file = io.BytesIO()
    np.savez(file, x=x)
    file.seek(0)
    return np.sum(np.load(file)["x"]) * x[0]


def dumped(x):
    return json.loads(json.dumps({"x": [float(x[1])]}))["x"][0] * x[0]


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


@pytest.mark.drawn(of=22)
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
        of_percent,
        of_a_format_in_a_name,
        of_bytes,
        of_several_formats,
        of_a_text_file,
        of_a_table,
        of_a_file,
        of_an_archive,
        dumped,
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


def rounded_by_percent(x):
    return x[0] * float("%.3g" % x[1]) + float("%.2f" % x[0])  # noqa: UP031


def files(x):
    """What is written stands there, and what else is read has nothing to do with it."""
    logged, table, file = json.dumps({"x": x.tolist(), "first": x[0]}), io.StringIO(), io.BytesIO()
    np.savetxt(table, x, fmt="%.1f")
    np.savez(file, x=x)
    table.seek(0)
    read = np.loadtxt(["2.5 1.0"]) + json.loads("[0.25, 0.5]")
    return np.sum(read * x) + float(logged == '{"x": [1.5, -0.1234567891234567], "first": 1.5}') * x[0]


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
        (rounded_by_percent, [-0.123, 0.0]),
        (files, [3.75, 1.5]),
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

    def of_this_call(x):
        kept.append(str(float(x[0])))
        return x[1] * float(kept[-1])

    ast_ad.grad(f)(X)
    np.testing.assert_array_equal(ast_ad.grad(f)(X), [0.0, X[0]])
    with pytest.raises(ast_ad.errors.MissingRuleError, match="from a text"):
        ast_ad.grad(of_this_call)(X)
    kept[:] = ["0.75"]
    np.testing.assert_array_equal(ast_ad.grad(f)(X), [0.0, 0.75])
    assert json.loads("1.5") == 1.5 and type(json.loads) is type(ast.literal_eval)
