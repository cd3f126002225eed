"""Do derivatives of one function share their programs, and nothing that is not theirs?"""

import functools
import gc
import linecache
import pickle
import subprocess
import sys
import types
import weakref

import numpy as np
import pytest

import ast_ad
from ast_ad import (
    custom_vjp,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    rule,
    value_and_grad,
    vjp,
    vmap,
)
from ast_ad.calls import pipeline
from ast_ad.rules import registry

X = np.array([0.5, 1.0, 2.0])


def fresh():
    """A function that no other test has a derivative of."""

    def f(x):
        return np.sum(x**3)

    return f


def read(source, **space):
    """What source defines as ``f``."""
    name = f"<source {len(linecache.cache)}>"
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    exec(compile(source, name, "exec"), space)
    return space["f"], space


def loss(x, y=2.0):
    return np.sum(y * x**3)


def parts(x):
    return x**2 * x[0]


ASKS = {
    "grad": lambda: grad(loss)(X),
    "grad of y": lambda: grad(loss, 1)(X, 3.0),
    "value_and_grad": lambda: value_and_grad(loss)(X)[1],
    "vjp": lambda: vjp(parts)(X)[1](X),
    "vjp at once": lambda: vjp(parts, X)[1](X),
    "jacfwd": lambda: jacfwd(parts)(X),
    "jacobian": lambda: jacobian(parts)(X),
    "hessian": lambda: hessian(loss)(X),
    "jvp": lambda: jvp(parts, (X,), (X,)),
    "hvp": lambda: hvp(loss, (X,), (X,)),
    "vmap of grad": lambda: vmap(grad(loss))(np.stack([X, X])),
    "vmap by trees": lambda: vmap(lambda_of_tree, in_axes=({"a": 0, "b": None},))({"a": X, "b": X}),
    "jacfwd of grad": lambda: jacfwd(grad(loss))(X),
    "jacrev of jacfwd": lambda: jacrev(jacfwd(parts))(X),
    "of a part": lambda: grad(of_dict, wrt="p['a']")({"a": X}),
    "of a partial": lambda: grad(PARTIAL)(X),
}


def lambda_of_tree(p):
    return p["a"] * p["b"]


def of_dict(p):
    return np.sum(p["a"] ** 2)


PARTIAL = functools.partial(loss, y=3.0)


FIRST = """
import numpy as np
import scipy.special
import ast_ad

def f(x):
    return np.sum(x**3)

shared = set()
for _ in range(3):
    derivative = ast_ad.grad(f)
    derivative(np.ones(2))
    shared.add(derivative.shared)
    print(sum(len(programs) for one in shared for programs in one.programs.values()))
"""


@pytest.mark.parametrize("name", ASKS)
def test_a_derivative_that_is_made_anew_compiles_nothing(name, compilations):
    first = ASKS[name]()
    compilations.clear()
    for _ in range(3):
        np.testing.assert_equal(ASKS[name](), first)
    assert not compilations


def test_the_first_derivative_of_a_process_is_compiled_once(tmp_path):
    """Rules of the package's own that are read on the way make no other question of it."""
    file = tmp_path / "first.py"
    file.write_text(FIRST)
    out = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["1", "1", "1"]


def test_what_is_asked_differs(compilations):
    f = fresh()
    grad(f)(X), grad(f, has_aux=False)(X), grad(f, argnums=0)(X)
    both = grad(f, (0,))(X)
    assert isinstance(both, tuple)
    value, _ = value_and_grad(f)(X)
    assert value == f(X)
    assert grad(f, fallback="error")(X).shape == X.shape


@pytest.mark.parametrize("argnums", [0, 1, (0, 1), (1, 0)])
def test_products_by_other_arguments(argnums):
    def product(x, y):
        return x**2 * y

    chosen = (argnums,) if isinstance(argnums, int) else argnums
    parts = {0: 2 * 3.0 * 5.0, 1: 9.0}
    for _ in range(2):
        for tangent in (1.0, 2.0):
            found = jvp(product, (3.0, 5.0), (tangent,) * len(chosen), argnums=argnums)
            assert found == (45.0, tangent * sum(parts[i] for i in chosen))
            second = hvp(product, (3.0, 5.0), (1.0,) * len(chosen), argnums=argnums)
            assert len(second) == len(chosen)


def test_each_tells_of_its_own_calls():
    f = fresh()
    first, second = grad(f), grad(f)
    first(X)
    assert first.mode == "compiled" and second.mode is None
    with pytest.raises(ast_ad.InputValueError, match="no call yet"):
        second.explain()
    second(1.0 + X[0] * np.ones(()))
    assert "x: float64[" not in second.source
    assert first.source != "" and second.mode in ("compiled", "fallback")


def test_a_name_that_is_bound_anew():
    results = []
    for power in (2, 3):
        f, _ = read(f"def f(x):\n    return x**{power}\n")
        results.append(grad(f)(2.0))
    assert results == [4.0, 12.0]


def test_code_defaults_and_globals_that_change():
    def f(x, rate=2.0):
        return rate * x

    def other(x, rate=2.0):
        return rate * x**2

    assert grad(f)(3.0) == 2.0
    f.__defaults__ = (5.0,)
    assert grad(f)(3.0) == 5.0
    f.__code__ = other.__code__
    assert grad(f)(3.0) == 30.0
    g, space = read("def f(x):\n    return k * x\n", k=2.0)
    found = [grad(g)(1.0)]
    space["k"] = 7.0
    found.append(grad(g)(1.0))
    assert found == [2.0, 7.0]


def test_a_cell_that_is_bound_anew():
    k = 2.0

    def f(x):
        return k * x

    found = [grad(f)(1.0)]
    k = 3.0
    found.append(grad(f)(1.0))
    assert found == [2.0, 3.0]


def test_a_wrapper_that_copies_attributes_is_another_function():
    def f(x):
        return x**2

    assert grad(f)(3.0) == 6.0

    @functools.wraps(f)
    def wrapped(x):
        return 10.0 * f(x)

    del wrapped.__wrapped__
    assert grad(wrapped)(3.0) == 60.0
    assert grad(f)(3.0) == 6.0
    copy = types.FunctionType(f.__code__, globals(), "copy")
    copy.__dict__.update(f.__dict__)
    assert grad(copy)(4.0) == 8.0


def test_a_rule_that_is_given_later():
    @custom_vjp
    def f(x):
        return x * x

    f.defvjp(lambda x: (f(x), x), lambda x, g: (g * x,))
    assert grad(f)(3.0) == 3.0
    f.defvjp(lambda x: (f(x), x), lambda x, g: (g * x * 5.0,))
    assert grad(f)(3.0) == 15.0


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_rule_that_is_given_after_the_calls_of_a_derivative(backend, monkeypatch):
    """Derivatives that were made before, and what they have compiled, know it, too."""
    monkeypatch.setattr(registry, "_primitives", dict(registry._primitives))
    if backend == "numba":
        pytest.importorskip("numba")

    def inner(x):
        return x * x

    def f(x):
        return np.sum(inner(x))

    derivative, second, asked = grad(f, backend=backend), hessian(f, backend=backend), vjp(f, X)
    for _ in range(4):
        np.testing.assert_allclose(derivative(X), 2.0 * X)
    np.testing.assert_allclose(second(X), 2.0 * np.eye(len(X)))
    rule.elementwise(inner)(threefold)
    for _ in range(4):
        np.testing.assert_allclose(derivative(X), 3.0 * X)
    np.testing.assert_allclose(second(X), 3.0 * np.eye(len(X)))
    np.testing.assert_allclose(asked[1](1.0)[0], 2.0 * X)  # at a point where it had none


def threefold(ans, x):
    return 3.0 * x


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_the_function_goes_with_its_programs(backend):
    data = np.arange(3.0)

    def f(x):
        return np.sum(x * data)

    for ask in (grad, hessian, vjp, jacobian):
        ask(f, backend=backend)(X)
    jvp(f, (X,), (X,), backend=backend), hvp(f, (X,), (X,), backend=backend), vjp(f, X, backend=backend)
    left = weakref.ref(f), weakref.ref(data)
    f = data = None
    gc.collect()
    assert [reference() for reference in left] == [None, None]


def test_the_calls_of_all_count_for_kernels():
    f = fresh()
    x = np.linspace(0.0, 1.0, 300_000)
    backends = set()
    for _ in range(200):
        derivative = grad(f)
        derivative(x)
        backends.add(derivative.backend)
        if derivative.backend == "numba":
            break
    assert backends == {"numpy", "numba"}


def test_compile_serves_the_others():
    f = fresh()
    grad(f).compile(X)
    derivative = grad(f)
    np.testing.assert_allclose(derivative(X), 3 * X**2)
    assert derivative.backend == "numba"


def test_a_program_that_is_retired_is_used_by_none():
    from ast_ad.calls.fitting.retirement import drop

    f = fresh()
    first, second = grad(f, backend="numpy"), grad(f, backend="numpy")
    for derivative in (first, second):
        for _ in range(3):
            derivative(X)
        assert derivative._fast is not None
    drop(first, first._last)
    assert first._fast is None and second._fast is None
    np.testing.assert_allclose(second(X), 3 * X**2)
    assert second._last in first._programs[next(iter(first._programs))]


def test_threads(in_threads):
    f = fresh()
    wrong = []

    def work(scale):
        for n in range(1, 40):
            x = scale * np.ones(n % 3 + 1)
            if not np.allclose(grad(f)(x), 3 * x**2):
                wrong.append(scale)

    in_threads(work, [float(i) for i in range(4)])
    assert not wrong


def test_functions_are_pickled_without_programs():
    grad(loss)(X)
    assert pickle.loads(pickle.dumps(loss)) is loss
    assert pickle.loads(pickle.dumps(PARTIAL))(X) == PARTIAL(X)
    derivative = pickle.loads(pickle.dumps(jacobian(parts).reverse))
    np.testing.assert_equal(derivative(X), jacobian(parts)(X))


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_rule_that_is_registered_while_a_program_is_compiled(monkeypatch, backend):
    """What was read before it answers no later call."""
    if backend == "numba":
        pytest.importorskip("numba")

    def square(x):
        return x * x

    def f(x):
        return np.sum(square(x))

    lower, waiting = pipeline.lower, [square]

    def late(*args):
        primal = lower(*args)
        if waiting:
            ast_ad.rule.vjp(waiting.pop())(lambda g, ans, x: 10.0 * g * x)
        return primal

    derivative, x = ast_ad.grad(f, backend=backend, check=False), np.array([1.0, 2.0])
    monkeypatch.setattr(pipeline, "lower", late)
    derivative(x)
    for _ in range(4):  # the later ones begin the short way
        assert np.array_equal(derivative(x), 10.0 * x)
