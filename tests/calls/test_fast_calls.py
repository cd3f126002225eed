"""Does the short way give what the long way gives, and is it left when anything has changed?"""

import gc
import math
import pickle
import weakref

import numpy as np
import pytest

import ast_ad
from ast_ad.calls.shortcut import inlined
from ast_ad.tracing.walk import Walk

RATE = 2.0
WEIGHTS = np.array([1.0, 2.0])


def helper(x):
    return x * x


def loss(x, y):
    return helper(x) * y * RATE


def weighted(x):
    return np.sum(x * WEIGHTS)


def warm(derivative, *args):
    """Call until the short way is in use."""
    for _ in range(3):
        found = derivative(*args)
    assert derivative._fast is not None
    return found


@pytest.mark.parametrize("argnums", [0, 1, (0,), (0, 1), (1, 0)])
@pytest.mark.parametrize("args", [(1.5, 2.0), (np.float64(1.5), 2), (np.array(1.5), 2.0)])
def test_same_results(args, argnums):
    if argnums not in (0, (0,)):
        args = args[0], 2.0
    for kind in (ast_ad.value_and_grad, ast_ad.grad):
        derivative = kind(loss, argnums, backend="numpy")
        slow = derivative(*args)
        fast = warm(derivative, *args)
        assert repr(fast) == repr(slow) and fast == slow
    assert isinstance(slow, tuple) == isinstance(argnums, tuple)


def test_kinds_of_arguments():
    vg = ast_ad.value_and_grad(loss, backend="numpy")
    warm(vg, 1.5, 2.0)
    assert vg(np.float32(1.5), 2.0)[1] == 12.0 and isinstance(vg(np.float32(1.5), 2.0)[1], np.float32)
    assert vg(1.5, 2) == (9.0, 12.0) and vg(1.5, y=2.0) == (9.0, 12.0) and vg(y=2.0, x=1.5) == (9.0, 12.0)
    warm(vg, np.array(1.5), 2.0)
    assert vg(1.5, 2.0) == (9.0, 12.0)
    for wrong in ((), (1.0,), (1.0, 2.0, 3.0)):
        with pytest.raises(TypeError):
            vg(*wrong)
    assert vg(1.5, 2.0) == (9.0, 12.0)


def test_arrays_of_other_shapes_and_dtypes():
    g = ast_ad.grad(lambda x: np.sum(x * x), backend="numpy")
    warm(g, np.ones(3))
    for x in (np.ones(4), np.ones((2, 3)), np.ones(1), np.ones(3, np.float32), np.ones(0), np.ones((3, 1))):
        for _ in range(3):
            found = g(x)
            assert found.shape == x.shape and found.dtype == x.dtype and np.all(found == 2.0)
    with pytest.raises(ast_ad.errors.InputTypeError):
        g(np.ones(3, int))


def test_surroundings_are_never_stale(monkeypatch):
    vg = ast_ad.value_and_grad(loss, backend="numpy")
    warm(vg, 1.5, 2.0)
    for rate in (3.0, 3, np.float32(3.0), np.array(3.0)):
        monkeypatch.setitem(globals(), "RATE", rate)
        for _ in range(3):
            assert vg(1.5, 2.0) == (13.5, 18.0)
    monkeypatch.setitem(globals(), "RATE", 1.0)
    monkeypatch.setitem(globals(), "helper", lambda x: x)
    for _ in range(3):
        assert vg(1.5, 2.0) == (3.0, 2.0)
    monkeypatch.undo()
    for _ in range(3):
        assert vg(1.5, 2.0) == (9.0, 12.0)


def test_code_replaced_in_place():
    def square(x):
        return x * x

    def cube(x, k=3.0):
        return x**k

    g = ast_ad.grad(square, backend="numpy")
    assert warm(g, 2.0) == 4.0
    square.__code__, square.__defaults__ = cube.__code__, cube.__defaults__
    for _ in range(3):
        assert g(2.0) == 12.0
    square.__defaults__ = (2.0,)
    for _ in range(3):
        assert g(2.0) == 4.0


def test_outside_arrays(monkeypatch):
    g = ast_ad.grad(weighted, backend="numpy")
    assert warm(g, np.ones(2)).tolist() == [1.0, 2.0]
    WEIGHTS[0] = 5.0
    try:
        assert g(np.ones(2)).tolist() == [5.0, 2.0]
    finally:
        WEIGHTS[0] = 1.0
    monkeypatch.setitem(globals(), "WEIGHTS", np.ones((3, 1)))
    for _ in range(3):
        assert g(np.ones(2)).tolist() == [3.0, 3.0]
    monkeypatch.delitem(globals(), "WEIGHTS")
    with pytest.warns(ast_ad.FallbackWarning), pytest.raises(NameError, match="WEIGHTS"):
        g(np.ones(2))


def test_patched_library(monkeypatch):
    vg = ast_ad.value_and_grad(lambda x: np.sin(x), backend="numpy")
    warm(vg, 1.0)
    monkeypatch.setattr(np, "sin", np.cos)
    assert vg(1.0)[0] == math.cos(1.0)


def test_writes_to_arguments_go_the_long_way():
    def written(x):
        x[0] = 3.0
        return np.sum(x)

    g = ast_ad.grad(written, backend="numpy")
    x = np.ones(3)
    for _ in range(4):
        assert g(x).tolist() == [0.0, 1.0, 1.0] and x[0] == 1.0


def test_constants_of_arguments():
    g = ast_ad.grad(lambda x, n: np.sum(x.reshape(n, -1)[0]), backend="numpy")
    for _ in range(3):
        for n in (2, 3, 2):
            assert g(np.ones(6), n).sum() == 6 / n


def test_errors_name_the_users_line():
    def chosen(x, i):
        return x[i] * 2.0

    g = ast_ad.grad(chosen, backend="numpy")
    warm(g, np.ones(3), 1)
    with pytest.raises(IndexError) as caught:
        g(np.ones(3), 7)
    assert "x[i] * 2.0" in "".join(caught.value.__notes__)
    assert g(np.ones(3), 2).tolist() == [0.0, 0.0, 2.0]


def test_errors_of_the_long_way_are_raised_once():
    calls = []

    def chosen(x, i):
        return x[i]

    g = ast_ad.grad(chosen, backend="numpy")
    warm(g, np.ones(3), 1)
    original = type(g).any_call
    type(g).any_call = lambda *args: (calls.append(1), original(*args))[1]
    with pytest.raises(IndexError):
        g(np.ones(4), 7)
    assert calls == [1]


def test_one_class_for_users():
    g, h = ast_ad.grad(helper, backend="numpy"), ast_ad.grad(loss, backend="numpy")
    before = repr(g)
    warm(g, 1.0)
    assert (
        isinstance(g, type(h))
        and type(g).__name__ == "Grad"
        and type(h) is type(pickle.loads(pickle.dumps(g)))
    )
    assert repr(g).startswith(before.split(",")[0]) and h(1.0, 2.0) == 8.0


def test_auxiliary_values():
    g = ast_ad.grad(lambda x: (x * x, {"twice": 2 * x}), has_aux=True, backend="numpy")
    assert warm(g, 3.0) == (6.0, {"twice": 6.0})
    vg = ast_ad.value_and_grad(lambda x: (x * x, {"twice": 2 * x}), has_aux=True, backend="numpy")
    assert warm(vg, 3.0) == ((9.0, {"twice": 6.0}), 6.0)


def test_methods_and_pickles():
    class Model:
        rate = 3.0

        @ast_ad.grad
        def loss(self, x):
            return self.rate * x * x

    model = Model()
    for _ in range(4):
        assert model.loss(1.0) == 6.0
    model.rate = 4.0
    assert model.loss(1.0) == 8.0
    g = ast_ad.grad(helper, backend="numpy")
    warm(g, 1.0)
    assert pickle.loads(pickle.dumps(g))(2.0) == 4.0


def test_arguments_are_not_kept_alive():
    g = ast_ad.grad(lambda x: np.sum(x * x), backend="numpy")
    x = np.ones(1000)
    known = weakref.ref(x)
    warm(g, x)
    del x
    gc.collect()
    assert known() is None


def test_a_driver_that_lets_arrays_go_is_written_into_the_call():
    text = "def driver(x):\n    y = x * 2.0\n    z = y + 1.0\n    del y\n    return z, z\n"
    space = {}
    exec(text, space)
    found = inlined(space["driver"], text, ["a0"], [1.0], [])
    assert found is not None and found.lines[2] == "del u_y" and found.results == ["u_z", "u_z"]
    values = {"a0": 3.0}
    exec("\n".join(found.lines), found.space, values)
    assert values["u_z"] == 7.0 and "u_y" not in values


def test_a_driver_s_new_arrays_need_no_look_ups():
    text = (
        "import numpy as np\ndef driver(x, t):\n    y = np.empty(x.shape, np.float64)\n"
        "    z = np.zeros((2, t.shape[0]), np.int64)\n    y[:] = x\n    return y, np.float64(z.size), x\n"
    )
    space = {}
    exec(text, space)
    x, t = np.arange(3.0), np.ones((4, 1))
    found = inlined(space["driver"], text, ["a0", "c0"], [x, t], [], ["a0"])
    assert found is not None and "np." not in "".join([*found.lines, *found.results])
    assert "z_a0" in found.lines[0] and "c0.shape" in found.lines[1]
    values = {"a0": x, "c0": t, "z_a0": (3,)}
    exec("\n".join(found.lines), found.space, values)
    y, size, same = (eval(result, found.space, values) for result in found.results)
    assert y.dtype == np.float64 and y.tolist() == [0.0, 1.0, 2.0] and y is not x and same is x
    assert values["u_z"].dtype == np.int64 and type(size) is np.float64 and size == 8.0


def test_lengths_that_change_between_calls_of_kernels():
    """New arrays have the shape of this call's argument, and gradients of numbers are floats."""

    def f(x, a):
        return np.sum(np.sin(a * x[1:]) * x[:-1])

    g = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numba")
    plain = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numpy")
    for n in (30, 30, 30, 40, 40, 30, 50, 50, 50, 40):
        x = np.linspace(0.1, 2.0, n)
        value, (x_bar, a_bar) = g(x, 1.5)
        expected, bars = plain(x, 1.5)
        assert type(value) is type(expected) and type(a_bar) is float and x_bar.shape == (n,)
        np.testing.assert_allclose([value, a_bar], [expected, bars[1]], rtol=1e-12)
        np.testing.assert_allclose(x_bar, bars[0], rtol=1e-12)


def test_numbers_of_kernels_are_python_s_floats():
    def f(x, a):
        return np.sin(x) * a**2 + 1.0

    g = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numba")
    plain = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numpy")
    for x in (0.5, 0.25, 2.0, 3.0):
        value, bars = g(x, 2.0)
        expected, others = plain(x, 2.0)
        assert type(value) is type(expected) and [type(b) for b in bars] == [float, float]
        np.testing.assert_allclose([value, *bars], [expected, *others], rtol=1e-14)


def test_traces_go_no_further_than_the_short_way():
    """They went from its names through all objects of this package to NumPy's own modules."""
    gradient = ast_ad.grad(weighted, backend="numpy")
    warm(gradient, np.array([0.5, 2.0]))
    assert not any(space.get("__name__") == "numpy" for space in Walk([gradient]).namespaces)
