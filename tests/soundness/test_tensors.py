"""Tensors and traced arrays: is every argument heeded or refused, and is no cotangent cut short?"""

import subprocess
import sys
import threading

import numpy as np
import pytest

import ast_ad as torch
from ast_ad import MissingRuleError, grad, tracing as fallback
from ast_ad.torch.autograd import functional

SYMMETRIC = np.array([[2.0, 0.3], [0.3, 1.0]])
NUMBERS = np.random.default_rng(0)


def double(values, **options):
    return torch.tensor(values, dtype=torch.float64, **options)


def differences(f, x, step=1e-6):
    """Central differences of a function of an array."""
    found = np.zeros(x.size)
    for i in range(x.size):
        moved = [x.copy(), x.copy()]
        moved[0].flat[i] += step
        moved[1].flat[i] -= step
        found[i] = (f(moved[0]) - f(moved[1])) / (2 * step)
    return found.reshape(x.shape)


# ----- parameters that were accepted and not read
def test_tensorsolve_in_other_dimensions():
    a, b = NUMBERS.normal(size=(3, 6, 2)), NUMBERS.normal(size=(3, 2))
    x = torch.linalg.tensorsolve(double(a), double(b), dims=(1,))
    np.testing.assert_allclose(x.numpy(), np.linalg.tensorsolve(a, b, axes=(1,)))
    t = double(a, requires_grad=True)
    (torch.linalg.tensorsolve(t, double(b), dims=(1,)) ** 2).sum().backward()
    expected = differences(lambda a: np.sum(np.linalg.tensorsolve(a, b, axes=(1,)) ** 2), a)
    np.testing.assert_allclose(t.grad.numpy(), expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_tensorsolve_of_arrays_in_other_axes(backend):
    def f(a):
        return np.sum(np.linalg.tensorsolve(a, b, axes=(2, 0)) ** 2)

    a, b = NUMBERS.normal(size=(2, 6, 3)), NUMBERS.normal(size=6)
    expected = differences(f, a)
    np.testing.assert_allclose(
        grad(f, backend=backend)(a), expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max()
    )


def test_absolute_tolerance_of_a_pseudoinverse():
    a = double([[1.0, 0.0], [0.0, 1e-3]])
    np.testing.assert_allclose(torch.linalg.pinv(a, atol=0.1).numpy(), [[1.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(torch.linalg.pinv(a, atol=1e-4).numpy(), [[1.0, 0.0], [0.0, 1e3]])
    both = double(np.stack([np.diag([1.0, 1e-3]), np.diag([100.0, 50.0])]))
    cut = double([0.1, 70.0])
    expected = np.stack([np.diag([1.0, 0.0]), np.diag([0.01, 0.0])])
    np.testing.assert_allclose(torch.linalg.pinv(both, atol=cut).numpy(), expected)
    np.testing.assert_allclose(torch.linalg.pinv(double(np.zeros((2, 2))), atol=0.1).numpy(), 0.0)


def test_a_result_goes_where_out_says():
    out = torch.zeros(2, 2)
    found = torch.tensordot(torch.ones(2, 3), torch.ones(3, 2), 1, out=out)
    assert found is out and (out == 3.0).all()


def test_singular_values_alone():
    u, s, v = torch.svd(double([[1.0, 2.0, 0.0], [3.0, 4.0, 1.0]]), compute_uv=False)
    assert u.shape == (2, 2) and v.shape == (3, 3) and not u.any() and not v.any()
    np.testing.assert_allclose(s.numpy(), np.linalg.svd([[1.0, 2.0, 0.0], [3.0, 4.0, 1.0]])[1])


def test_the_size_of_what_is_repeated():
    x, counts = torch.tensor([1.0, 2.0]), torch.tensor([1, 2])
    assert torch.repeat_interleave(x, counts, output_size=3).tolist() == [1.0, 2.0, 2.0]
    for repeats in (counts, 2, torch.tensor([2])):
        with pytest.raises(RuntimeError, match="output_size"):
            torch.repeat_interleave(x, repeats, output_size=7)


def test_drivers():
    a, b = double(NUMBERS.normal(size=(4, 2))), double(NUMBERS.normal(size=(4, 1)))
    found = torch.linalg.lstsq(a, b, driver="gelsd")
    np.testing.assert_allclose(found.singular_values.numpy(), np.linalg.svdvals(a.numpy()))
    assert torch.linalg.lstsq(a, b, driver="gels").rank.numel() == 0
    with pytest.raises(RuntimeError, match="driver"):
        torch.linalg.lstsq(a, b, driver="other")
    for function in (torch.linalg.svd, torch.linalg.svdvals):
        with pytest.raises(RuntimeError, match="driver"):
            function(a, driver="gesvd")


@pytest.mark.parametrize("vectors", [False, True])
def test_least_squares_of_a_batch(vectors):
    a, b = NUMBERS.normal(size=(2, 4, 3)), NUMBERS.normal(size=(2, 4) if vectors else (2, 4, 1))

    def f(a):
        each = [np.linalg.lstsq(m, v, rcond=None)[0] for m, v in zip(a, b, strict=True)]
        return np.sum(np.stack(each) ** 3)

    t = double(a, requires_grad=True)
    found = torch.linalg.lstsq(t, double(b))
    assert found.solution.shape == (2, 3) + (() if vectors else (1,)) and found.rank.tolist() == [3, 3]
    (found.solution**3).sum().backward()
    expected = differences(f, a)
    np.testing.assert_allclose(t.grad.numpy(), expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


def test_a_running_sum_in_place_keeps_its_dtype():
    with pytest.raises(RuntimeError, match="dtype"):
        torch.tensor([1, 2]).cumsum_(0, dtype=torch.float32)
    assert torch.tensor([1, 2]).cumsum_(0, dtype=torch.int64).tolist() == [1, 3]


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.full((2,), 1.0, fill=3),
        lambda: torch.arange(3, stop=4),
        lambda: torch.zeros(2, shape=3),
        lambda: torch.ones_like(torch.zeros(2), value=2),
        lambda: torch.randn(2, seed=3),
        lambda: torch.zeros(2).new_full((2,), 1.0, like=3),
    ],
)
def test_unknown_keywords_are_refused(call):
    with pytest.raises(TypeError, match="unexpected keyword"):
        call()


def test_dtype_of_indices():
    assert torch.tril_indices(2, 2, dtype=torch.int32).dtype == torch.int32
    assert torch.zeros(2, device="cpu", pin_memory=False, size=(3,)).shape == (3,)


# ----- rules that know fewer arguments than their functions
def test_an_argument_that_a_rule_does_not_know_is_refused_where_it_is_given():
    x = double(SYMMETRIC, requires_grad=True)
    with pytest.raises(MissingRuleError, match="concatenate"):
        np.concatenate([x, x], dtype=np.float64)
    assert np.concatenate([x.detach(), x.detach()], dtype=np.float64).shape == (4, 2)


def test_it_is_refused_in_traced_code_too():
    def f(x):
        return np.sum([np.concatenate([y, y], dtype=np.float64) for y in (x, x * x)])

    with pytest.raises(MissingRuleError, match="concatenate"):
        fallback.trace(f, (SYMMETRIC,), {}, (0,))


# ----- tensors without dimensions, and arguments by name
@pytest.mark.parametrize(
    ("name", "rest", "value", "slope", "source"),
    [
        ("index_add", (), 5.0, 10.0, 3.0),
        ("index_copy", (), 3.0, 0.0, 3.0),
        ("index_copy", (), 3.0, 0.0, [3.0]),
        ("index_reduce", ("prod",), 6.0, 36.0, 3.0),
    ],
)
def test_indices_into_a_number(name, rest, value, slope, source):
    index, source = torch.tensor([0]), torch.tensor(source)
    x = torch.tensor(2.0, requires_grad=True)
    out = getattr(x, name)(0, index, source, *rest)
    assert out.shape == () and out.item() == value
    (out**2).backward()
    assert x.grad.item() == slope
    y = torch.tensor(2.0, requires_grad=True)
    z = y * 1.0
    assert getattr(z, name + "_")(0, index, source, *rest) is z and z.item() == value and z.shape == ()
    (z**2).backward()
    assert y.grad.item() == slope
    with pytest.raises((IndexError, RuntimeError), match="out of"):
        getattr(torch.tensor(2.0), name)(0, torch.tensor([1]), source, *rest)


def test_filling_a_number():
    for value in (3.0, torch.tensor(3.0)):
        assert torch.tensor(2.0).index_fill(0, torch.tensor([0]), value).item() == 3.0
        assert torch.tensor(2.0).index_fill_(0, torch.tensor([0]), value).item() == 3.0


@pytest.mark.parametrize("name", ["cumsum_", "cumprod_"])
def test_running_sums_of_a_number(name):
    x = torch.tensor(2.0, requires_grad=True)
    y = x * 3.0
    assert getattr(y, name)(0) is y and y.shape == () and y.item() == 6.0
    y.backward()
    assert x.grad.item() == 3.0


def test_dimensions_by_name():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert x.flip(dims=(0,)).tolist() == [[3.0, 4.0], [1.0, 2.0]] == torch.flip(x, dims=[0]).tolist()
    assert torch.flip(x, [0, 1]).tolist() == x.flip(0, 1).tolist() == [[4.0, 3.0], [2.0, 1.0]]
    assert torch.tile(x, dims=(2,)).shape == (2, 4) and x.repeat(repeats=(2, 1)).shape == (4, 2)
    assert x.permute(dims=(1, 0)).tolist() == x.T.tolist()


def test_search_in_what_is_not_in_order():
    sequence, order = torch.tensor([3.0, 1.0, 2.0]), torch.tensor([1, 2, 0])
    assert torch.searchsorted(sequence, torch.tensor([1.5, 2.5]), sorter=order).tolist() == [1, 2]
    rows = torch.stack([sequence, sequence + 1.0])
    found = torch.searchsorted(rows, torch.tensor([[1.5], [1.5]]), sorter=torch.stack([order, order]))
    assert found.tolist() == [[1], [0]]
    with pytest.raises(RuntimeError, match="sorter"):
        torch.searchsorted(sequence, torch.tensor([1.5]), sorter=torch.tensor([0]))


def test_gradients_along_all_dimensions():
    x = NUMBERS.normal(size=(3, 4))
    for got, expected in zip(torch.gradient(double(x), dim=None), np.gradient(x), strict=True):
        np.testing.assert_allclose(got.numpy(), expected)


def test_dots_that_the_result_lacks_are_summed_over():
    a, b = NUMBERS.normal(size=(5, 2, 3)), NUMBERS.normal(size=(5, 4))
    found = torch.einsum("...ik,...j->ij", double(a), double(b))
    np.testing.assert_allclose(found.numpy(), np.einsum("bik,bj->ij", a, b))
    found = torch.einsum("...ik,...j->ij", double(a[0]), double(b))
    np.testing.assert_allclose(found.numpy(), np.einsum("ik,bj->ij", a[0], b))
    found = torch.einsum("... i, ... i -> ...", double(a), double(a))
    np.testing.assert_allclose(found.numpy(), np.sum(a * a, -1))


# ----- values
def test_the_principal_logarithm_of_a_sum():
    for x in (
        np.array([1.0 + 3.0j, 2.0 - 3.0j]),
        np.array([1.0 + 10.0j, 0.5 - 20.0j]),
        np.array(1.0 + 10.0j),
    ):
        found = torch.logsumexp(torch.tensor(x), 0)
        np.testing.assert_allclose(found.numpy(), np.log(np.sum(np.exp(x))))
    big = torch.tensor(np.array([800.0 + 1.0j, 800.0 + 1.0j]), requires_grad=True)
    found = torch.logsumexp(big, 0)
    np.testing.assert_allclose(found.detach().numpy(), 800.0 + np.log(2.0) + 1.0j)
    found.real.backward()
    np.testing.assert_allclose(big.grad.numpy(), [0.5, 0.5])


def test_no_differences_of_nothing_added():
    x = torch.tensor([1.0, 2.0])
    assert torch.diff(x, n=0, prepend=torch.tensor([5.0])).tolist() == [1.0, 2.0]


# ----- histories
@pytest.mark.parametrize(
    "change", [lambda v: v.mul_(2j), lambda v: v.add_(v * 1j), lambda v: v[0].mul_(1 + 2j)]
)
def test_pairs_changed_as_complex_numbers(change):
    x = np.array([[1.0, 2.0], [3.0, 0.5]])

    def f(x):
        v = torch.view_as_complex(x.clone())
        change(v)
        return (v * v).sum().abs()

    t = double(x, requires_grad=True)
    f(t).backward()
    expected = differences(lambda x: f(double(x)).item(), x)
    np.testing.assert_allclose(t.grad.numpy(), expected, rtol=1e-6, atol=1e-6)


def test_pairs_changed_as_complex_numbers_and_read_as_pairs():
    x = np.array([[1.0, 2.0], [3.0, 0.5]])

    def f(x):
        base = x * 1.0
        torch.view_as_complex(base).mul_(1 + 2j)
        return (base**3).sum()

    t = double(x, requires_grad=True)
    f(t).backward()
    np.testing.assert_allclose(
        t.grad.numpy(), differences(lambda x: f(double(x)).item(), x), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize("written", [0, 1])
def test_results_of_a_decomposition_written_in_traced_code(written):
    def f(a):
        found = np.linalg.eigh(a @ a.T + a[0, 0] * np.eye(2))
        found[written][0] *= 2.0
        return np.sum(found[1] ** 2 * found[0])

    a = np.array([[1.0, 0.3], [-0.4, 0.8]])
    found = fallback.trace(f, (a,), {}, (0,))[1]([1.0])[0]
    np.testing.assert_allclose(found, differences(f, a), rtol=1e-6, atol=1e-6)


def test_the_diagonal_of_traced_numbers():
    def f(a, b):
        return np.sum(np.diagonal(np.array([[a, b], [b * 2, a * b]])).copy())

    assert fallback.trace(f, (1.0, 2.0), {}, (0, 1))[1]([1.0]) == (3.0, 1.0)


@pytest.mark.parametrize("way", ["load", "pickle", "safetensors"])
def test_a_fresh_process_knows_the_methods_of_what_it_reads(tmp_path, way):
    import pickle

    from ast_ad.torch import safetensors

    tensors, path = {"w": torch.ones(2)}, tmp_path / "weights"
    programs = {
        "load": "import ast_ad; t = ast_ad.load(path)",
        "pickle": "import pickle; t = pickle.load(open(path, 'rb'))",
        "safetensors": "from ast_ad.safetensors import load_file; t = load_file(path)",
    }
    if way == "load":
        torch.save(tensors, path)
    elif way == "pickle":
        path.write_bytes(pickle.dumps(tensors))
    else:
        safetensors.save_file(tensors, path)
    code = f"path = {str(path)!r}; {programs[way]}; assert (t['w'] + 1.0).sum().item() == 4.0"
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)


def test_an_array_of_tensors_is_refused_as_pytorch_does():
    with pytest.raises(RuntimeError, match="Can't call numpy"):
        functional.jacobian(lambda a: np.array([a[0] * 2.0, a[1] * a[0]]), torch.tensor([1.0, 2.0]))


def test_hooks_are_called_once_for_each_sweep_of_each_thread():
    x = double([1.0, 2.0], requires_grad=True)
    y, counts = x * 2, []
    z = (y * y).sum()
    y.register_hook(lambda g: counts.append("tensor"))
    y.grad_fn.register_hook(lambda g, h: counts.append("node"))
    y.grad_fn.register_prehook(lambda g: counts.append("before"))
    x.register_hook(lambda g: counts.append("leaf"))
    x.register_post_accumulate_grad_hook(lambda p: counts.append("after"))
    threads = [threading.Thread(target=lambda: z.backward(retain_graph=True)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(counts) == sorted(["tensor", "node", "before", "leaf", "after"] * 8)
    assert x.grad.tolist() == [64.0, 128.0]


def test_the_hook_of_a_node_outlives_a_failure_elsewhere():
    x = double([1.0], requires_grad=True)
    y, seen = x * 2, []
    y.grad_fn.register_hook(lambda g, h: seen.append(1))
    bad = y * 1
    bad.register_hook(lambda g: 1 / 0)

    def fail():
        with pytest.raises(ZeroDivisionError):
            bad.sum().backward(retain_graph=True)

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    y.sum().backward()
    assert seen == [1]
