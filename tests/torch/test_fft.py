"""Are Fourier transforms of tensors NumPy's, with PyTorch's gradients, types and words?

Nodes, types and messages are those of PyTorch 2.13.
"""

import numpy as np
import pytest

import ast_ad.torch as torch
from ast_ad.torch.autograd import gradcheck, gradgradcheck

ALONG = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
OVER = ("fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2")
HERMITIAN = ("hfftn", "ihfftn", "hfft2", "ihfft2")
OF_REAL = {"rfft", "ihfft", "rfftn", "rfft2", "ihfftn", "ihfft2"}
NORMS = (None, "backward", "ortho", "forward")


def signal(name, shape=(3, 4)):
    rng = np.random.default_rng(0)
    x = rng.normal(size=shape)
    return x if name in OF_REAL else x + 1j * rng.normal(size=shape)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ALONG)
def test_values_along_a_dimension_are_numpys(name, norm):
    x = signal(name)
    for how in ({}, {"n": 3}, {"n": 6}, {"dim": 0}, {"n": 5, "dim": -2}):
        found = getattr(torch.fft, name)(torch.from_numpy(x), norm=norm, **how)
        axis = {"axis": how.pop("dim", -1)}
        assert np.allclose(found.numpy(), getattr(np.fft, name)(x, norm=norm, **how, **axis), atol=1e-14)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", OVER)
def test_values_over_dimensions_are_numpys(name, norm):
    x = signal(name, (2, 3, 4))
    for s, dim in ((None, (0, 2)), ((3, 5), (1, 2)), ((2, 4), (2, 0)), (None, (-2, -1))):
        found = getattr(torch.fft, name)(torch.from_numpy(x), s, dim, norm)
        assert np.allclose(found.numpy(), getattr(np.fft, name)(x, s, dim, norm), atol=1e-14)


def test_by_default_two_dimensions_are_the_last_and_lengths_count_from_the_end():
    x = torch.from_numpy(signal("fft", (2, 3, 4)))
    assert torch.equal(torch.fft.fft2(x), torch.fft.fftn(x, dim=(1, 2)))
    assert torch.equal(torch.fft.fftn(x, (3, 2)), torch.fft.fftn(x, (3, 2), (1, 2)))
    assert torch.equal(torch.fft.fftn(x, (-1, 2)), torch.fft.fftn(x, (3, 2), (1, 2)))
    assert torch.fft.fftn(x).shape == x.shape


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("which", ["n", "2"])
def test_hermitian_transforms_undo_each_other(which, norm):
    x = torch.from_numpy(signal("ihfft"))
    half = getattr(torch.fft, f"ihfft{which}")(x, norm=norm)
    assert torch.allclose(getattr(torch.fft, f"hfft{which}")(half, x.shape, (0, 1), norm), x)


@pytest.mark.parametrize("name", [*ALONG, *OVER, *HERMITIAN, "fftshift", "ifftshift"])
def test_gradients_are_differences(name):
    x = torch.tensor(signal(name), requires_grad=True)
    fn = getattr(torch.fft, name)
    assert gradcheck(fn, (x,))
    assert gradgradcheck(fn, (x,))
    if "shift" not in name:
        assert gradcheck(lambda t: fn(t, *((5,) if name in ALONG else ((5, 3),)), norm="ortho"), (x,))
    if name not in OF_REAL:  # of real numbers, whose gradient is real
        x = torch.tensor(signal("rfft"), requires_grad=True)
        assert gradcheck(fn, (x,)) and not x.grad_fn


@pytest.mark.parametrize(("name", "of_real", "of_complex"), [
    ("fft", "FftR2CBackward0", "FftC2CBackward0"), ("ifft", "ConjBackward0", "FftC2CBackward0"),
    ("rfft", "FftR2CBackward0", None), ("irfft", "FftC2RBackward0", "FftC2RBackward0"),
    ("hfft", "FftC2RBackward0", "FftC2RBackward0"), ("ihfft", "ConjBackward0", None),
    ("fft2", "FftC2CBackward0", "FftC2CBackward0"), ("irfftn", "FftC2RBackward0", "FftC2RBackward0"),
    ("fftshift", "RollBackward0", "RollBackward0"),
])  # fmt: skip
def test_nodes_are_pytorchs(name, of_real, of_complex):
    for dtype, node in ((torch.float32, of_real), (torch.complex64, of_complex)):
        if node is not None:
            x = torch.ones(2, 3, dtype=dtype, requires_grad=True)
            assert getattr(torch.fft, name)(x).grad_fn.name() == node


def test_types():
    for dtype, found in (("float32", "complex64"), ("float64", "complex128"), ("complex64", "complex64"),
                         ("int64", "complex64"), ("bool", "complex64")):  # fmt: skip
        x = torch.ones(4, dtype=getattr(torch, dtype))
        assert torch.fft.fft(x).dtype == torch.fft.fftn(x, dim=()).dtype == getattr(torch, found)
        assert torch.fft.irfft(x).dtype == (torch.float64 if found == "complex128" else torch.float32)


def test_frequencies():
    assert torch.fft.fftfreq(4, 0.5).tolist() == [0.0, 0.5, -1.0, -0.5]
    assert torch.fft.rfftfreq(5, dtype=torch.float64).tolist() == [0.0, 0.2, 0.4]
    assert torch.fft.fftfreq(0).shape == (0,) and torch.fft.fftfreq(4).dtype == torch.float32
    assert torch.fft.fftfreq(3, requires_grad=True).requires_grad
    assert torch.fft.fftshift(torch.fft.fftfreq(4)).tolist() == [-0.5, -0.25, 0.0, 0.25]


def test_out():
    x, out = torch.arange(4.0), torch.zeros(3, dtype=torch.complex64)
    assert torch.fft.rfft(x, out=out) is out and torch.equal(out, torch.fft.rfft(x))


X, Z = torch.ones(4, 6), torch.ones(4, 6, dtype=torch.complex64)
REFUSED = [
    (lambda: torch.fft.fft(X, 0), RuntimeError, "Invalid number of data points (0) specified"),
    (lambda: torch.fft.irfft(torch.ones(1)), RuntimeError, "Invalid number of data points (0) specified"),
    (lambda: torch.fft.fft(X, norm="x"), RuntimeError, 'Invalid normalization mode: "x"'),
    (lambda: torch.fft.hfft(X, norm="x"), RuntimeError, 'Invalid normalization mode: "x"'),
    (lambda: torch.fft.rfft(Z), RuntimeError, "rfft expects a real input tensor, but got ComplexFloat"),
    (lambda: torch.fft.rfft2(Z), RuntimeError,
     "rfftn expects a real-valued input tensor, but got ComplexFloat"),
    (lambda: torch.fft.ihfft2(Z), RuntimeError,
     "Only supports floating-point dtypes, but found: ComplexFloat"),
    (lambda: torch.fft.fft(torch.ones(3, dtype=torch.float16)), RuntimeError, "Unsupported dtype Half"),
    (lambda: torch.fft.fft(torch.tensor(1.0)), IndexError,
     "Dimension specified as -1 but tensor has no dimensions"),
    (lambda: torch.fft.fft2(torch.ones(3)), IndexError,
     "Dimension out of range (expected to be in range of [-1, 0], but got -2)"),
    (lambda: torch.fft.fftn(X, dim=(0, 0)), RuntimeError, "FFT dims must be unique"),
    (lambda: torch.fft.fftn(X, (2,), (0, 1)), RuntimeError,
     "When given, dim and shape arguments must have the same length"),
    (lambda: torch.fft.fftn(X, (2, 2, 2)), RuntimeError,
     "Got shape with 3 values but input tensor only has 2 dimensions."),
    (lambda: torch.fft.irfftn(torch.tensor(1.0)), RuntimeError, "irfftn must transform at least one axis"),
    (lambda: torch.fft.fftshift(torch.tensor(1.0)), RuntimeError, "`shifts` required"),
    (lambda: torch.fft.fft([1.0]), TypeError,
     "fft_fft(): argument 'input' (position 1) must be Tensor, not list"),
    (lambda: torch.fft.fftfreq(4.0), TypeError,
     "fft_fftfreq(): argument 'n' (position 1) must be int, not float"),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refusals_are_pytorchs(case):
    call, error, text = REFUSED[case]
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).splitlines()[0] == text
