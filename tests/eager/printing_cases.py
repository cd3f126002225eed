"""Which text has each of these tensors? Recorded from PyTorch 2.13."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

f4, f2, nan, inf = np.float32, np.float16, np.nan, np.inf


@dataclass(frozen=True)
class Case:
    """An array, its text, the other arguments of ``tensor_text``, the print options, the default dtype."""

    array: np.ndarray[Any, Any]
    text: str
    kwargs: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    default: str = "float32"


CASES = [
    Case(
        np.ones((3, 3), f4),
        """\
tensor([[1., 1., 1.],
        [1., 1., 1.],
        [1., 1., 1.]])""",
    ),
    Case(np.array(27.0, f4), "tensor(27.)"),
    Case(np.array(3), "tensor(3)"),
    Case(np.array(True), "tensor(True)"),
    Case(np.array([1.5, -2.25, 1000.0], f4), "tensor([   1.5000,   -2.2500, 1000.0000])"),
    Case(np.array([1.0, 2.0, -30.0]), "tensor([  1.,   2., -30.], dtype=torch.float64)"),
    Case(
        np.array([[True, False], [False, False]]),
        """\
tensor([[ True, False],
        [False, False]])""",
    ),
    Case(
        np.arange(12).reshape(3, 4),
        """\
tensor([[ 0,  1,  2,  3],
        [ 4,  5,  6,  7],
        [ 8,  9, 10, 11]])""",
    ),
    Case(np.array([-5, 100, 7], np.int8), "tensor([ -5, 100,   7], dtype=torch.int8)"),
    Case(np.array([5, 200], np.uint8), "tensor([  5, 200], dtype=torch.uint8)"),
    Case(np.array([[1, -2]], np.int16), "tensor([[ 1, -2]], dtype=torch.int16)"),
    Case(np.array([1, 2], np.int32), "tensor([1, 2], dtype=torch.int32)"),
    Case(np.array([0.1, 12.5, -3.0], np.float16), "tensor([ 0.1000, 12.5000, -3.0000], dtype=torch.float16)"),
    Case(np.array([70000, 1], np.uint32), "tensor([70000,     1], dtype=torch.uint32)"),
    Case(np.zeros(0, f4), "tensor([])"),
    Case(np.zeros((0, 3), f4), "tensor([], size=(0, 3))"),
    Case(np.zeros((2, 0)), "tensor([], size=(2, 0), dtype=torch.float64)"),
    Case(np.zeros(0, int), "tensor([], dtype=torch.int64)"),
    Case(np.zeros(0, bool), "tensor([], dtype=torch.bool)"),
    Case(np.zeros((0, 1), np.complex64), "tensor([], size=(0, 1), dtype=torch.complex64)"),
    Case(np.array([nan, 0.25]), "tensor([   nan, 0.2500], dtype=torch.float64)"),
    Case(np.array([nan, 1.0, inf, -inf], f4), "tensor([nan, 1., inf, -inf])"),
    Case(np.array([nan, nan], f4), "tensor([nan, nan])"),
    Case(np.array([0.0, -0.0, 5.0], f4), "tensor([0., -0., 5.])"),
    Case(np.array([inf, 1e10, 3.0], f4), "tensor([       inf, 1.0000e+10, 3.0000e+00])"),
    Case(np.array([1e-5, 1.0], f4), "tensor([1.0000e-05, 1.0000e+00])"),
    Case(np.array([1e-4, 0.09], f4), "tensor([1.0000e-04, 9.0000e-02])"),
    Case(np.array([0.5, 1e9]), "tensor([5.0000e-01, 1.0000e+09], dtype=torch.float64)"),
    Case(np.array([1.0, 1000.0], f4), "tensor([   1., 1000.])"),
    Case(np.array([1.0, 1001.0], f4), "tensor([1.0000e+00, 1.0010e+03])"),
    Case(np.array([1e8], f4), "tensor([100000000.])"),
    Case(np.array([123456789.0]), "tensor([1.2346e+08], dtype=torch.float64)"),
    Case(np.array([1.5, 1501.0], f4), "tensor([1.5000e+00, 1.5010e+03])"),
    Case(np.array([1e-300, 1e300]), "tensor([1.0000e-300, 1.0000e+300], dtype=torch.float64)"),
    Case(np.array([9.99995, 99999.5]), "tensor([1.0000e+01, 1.0000e+05], dtype=torch.float64)"),
    Case(
        np.array([[-18.1909, 1.4176], [1.5632, -0.6163]], f4),
        """\
tensor([[-18.1909,   1.4176],
        [  1.5632,  -0.6163]])""",
    ),
    Case(np.array(1e-7, f4), "tensor(1.0000e-07)"),
    Case(np.array(-12345.678), "tensor(-12345.6780, dtype=torch.float64)"),
    Case(np.array([1 + 2j, -0.5j], np.complex64), "tensor([1.+2.0000j, -0.-0.5000j])"),
    Case(
        np.array([[1e5 + 1j, 2 - 1e-5j]]),
        """\
tensor([[1.0000e+05+1.0000e+00j, 2.0000e+00-1.0000e-05j]],
       dtype=torch.complex128)""",
    ),
    Case(np.array([complex(nan, -inf), 1 - 1j]), "tensor([nan-infj, 1.-1.j], dtype=torch.complex128)"),
    Case(np.array(2 - 4j), "tensor(2.-4.j, dtype=torch.complex128)"),
    Case(
        np.array([1 + 0j, -2 - 3j, 100 + 20j] * 4, np.complex64),
        """\
tensor([  1.+0.j,  -2.-3.j, 100.+20.j,   1.+0.j,  -2.-3.j, 100.+20.j,   1.+0.j,
         -2.-3.j, 100.+20.j,   1.+0.j,  -2.-3.j, 100.+20.j])""",
    ),
    Case(
        np.arange(30) * 1.5,
        """\
tensor([ 0.0000,  1.5000,  3.0000,  4.5000,  6.0000,  7.5000,  9.0000, 10.5000,
        12.0000, 13.5000, 15.0000, 16.5000, 18.0000, 19.5000, 21.0000, 22.5000,
        24.0000, 25.5000, 27.0000, 28.5000, 30.0000, 31.5000, 33.0000, 34.5000,
        36.0000, 37.5000, 39.0000, 40.5000, 42.0000, 43.5000],
       dtype=torch.float64)""",
    ),
    Case(
        np.arange(24.0).reshape(2, 3, 4),
        """\
tensor([[[ 0.,  1.,  2.,  3.],
         [ 4.,  5.,  6.,  7.],
         [ 8.,  9., 10., 11.]],

        [[12., 13., 14., 15.],
         [16., 17., 18., 19.],
         [20., 21., 22., 23.]]], dtype=torch.float64)""",
    ),
    Case(
        np.arange(8, dtype=f4).reshape(2, 2, 1, 2),
        """\
tensor([[[[0., 1.]],

         [[2., 3.]]],


        [[[4., 5.]],

         [[6., 7.]]]])""",
    ),
    Case(
        np.linspace(-1, 1, 40).reshape(2, 20),
        """\
tensor([[-1.0000, -0.9487, -0.8974, -0.8462, -0.7949, -0.7436, -0.6923, -0.6410,
         -0.5897, -0.5385, -0.4872, -0.4359, -0.3846, -0.3333, -0.2821, -0.2308,
         -0.1795, -0.1282, -0.0769, -0.0256],
        [ 0.0256,  0.0769,  0.1282,  0.1795,  0.2308,  0.2821,  0.3333,  0.3846,
          0.4359,  0.4872,  0.5385,  0.5897,  0.6410,  0.6923,  0.7436,  0.7949,
          0.8462,  0.8974,  0.9487,  1.0000]], dtype=torch.float64)""",
    ),
    Case(np.arange(1001), "tensor([   0,    1,    2,  ...,  998,  999, 1000])"),
    Case(
        np.arange(1001.0) / 7,
        """\
tensor([0.0000e+00, 1.4286e-01, 2.8571e-01,  ..., 1.4257e+02, 1.4271e+02,
        1.4286e+02], dtype=torch.float64)""",
    ),
    Case(
        np.arange(2000).reshape(2, 1000),
        """\
tensor([[   0,    1,    2,  ...,  997,  998,  999],
        [1000, 1001, 1002,  ..., 1997, 1998, 1999]])""",
    ),
    Case(
        (np.arange(1500) * (1 + 0.5j)).reshape(500, 3),
        """\
tensor([[0.0000e+00+0.0000e+00j, 1.0000e+00+5.0000e-01j, 2.0000e+00+1.0000e+00j],
        [3.0000e+00+1.5000e+00j, 4.0000e+00+2.0000e+00j, 5.0000e+00+2.5000e+00j],
        [6.0000e+00+3.0000e+00j, 7.0000e+00+3.5000e+00j, 8.0000e+00+4.0000e+00j],
        ...,
        [1.4910e+03+7.4550e+02j, 1.4920e+03+7.4600e+02j, 1.4930e+03+7.4650e+02j],
        [1.4940e+03+7.4700e+02j, 1.4950e+03+7.4750e+02j, 1.4960e+03+7.4800e+02j],
        [1.4970e+03+7.4850e+02j, 1.4980e+03+7.4900e+02j, 1.4990e+03+7.4950e+02j]],
       dtype=torch.complex128)""",
    ),
    Case(np.ones(6, f4)[::2], "tensor([1., 1., 1.])"),
    Case(
        np.arange(6.0).reshape(2, 3).T,
        """\
tensor([[0., 3.],
        [1., 4.],
        [2., 5.]], dtype=torch.float64)""",
    ),
    Case(
        np.broadcast_to(np.array([1.5, 2.5], f4), (3, 2)),
        """\
tensor([[1.5000, 2.5000],
        [1.5000, 2.5000],
        [1.5000, 2.5000]])""",
    ),
    Case(
        np.ones((2, 2), f4),
        """\
tensor([[1., 1.],
        [1., 1.]], requires_grad=True)""",
        kwargs={"requires_grad": True},
    ),
    Case(
        np.full((2, 2), 3.0, f4),
        """\
tensor([[3., 3.],
        [3., 3.]], grad_fn=<AddBackward0>)""",
        kwargs={"grad_fn": "AddBackward0"},
    ),
    Case(
        np.array([3.0, 3.5, 8.0]) / 3,
        "tensor([1.0000, 1.1667, 2.6667], dtype=torch.float64, grad_fn=<AddBackward0>)",
        kwargs={"grad_fn": "AddBackward0"},
    ),
    Case(
        np.array([2.0, 3.5, 8.0, 1.25, 6.0]),
        """\
tensor([2.0000, 3.5000, 8.0000, 1.2500, 6.0000], dtype=torch.float64,
       grad_fn=<SubBackward0>)""",
        kwargs={"grad_fn": "SubBackward0"},
    ),
    Case(
        np.array([2.0, 3.5, 8.0, 1.25, 6.0, 7.5]),
        """\
tensor([2.0000, 3.5000, 8.0000, 1.2500, 6.0000, 7.5000], dtype=torch.float64,
       grad_fn=<MulBackward0>)""",
        kwargs={"grad_fn": "MulBackward0"},
    ),
    Case(
        np.zeros((0, 3)),
        "tensor([], size=(0, 3), dtype=torch.float64, requires_grad=True)",
        kwargs={"requires_grad": True},
    ),
    Case(
        np.arange(7.5),
        """\
tensor([0., 1., 2., 3., 4., 5., 6., 7.], dtype=torch.float64,
       requires_grad=True)""",
        kwargs={"requires_grad": True},
    ),
    Case(
        np.array([1.5, 2.0], f4),
        "Weight([1.5000, 2.0000], requires_grad=True)",
        kwargs={"requires_grad": True, "prefix": "Weight("},
    ),
    Case(
        np.array([1.5, 2.0, 1e6]),
        "tensor([1.50e+00, 2.00e+00, 1.00e+06], dtype=torch.float64)",
        options={"precision": 2, "sci_mode": True},
    ),
    Case(
        np.array([1.5e-9, 2.0, 1e6]),
        "tensor([      0.0000,       2.0000, 1000000.0000], dtype=torch.float64)",
        options={"sci_mode": False},
    ),
    Case(np.zeros(2, f4), "tensor([0., 0.])", options={"sci_mode": True}),
    Case(np.arange(40) % 7, "tensor([0, 1, 2,  ..., 2, 3, 4])", options={"threshold": 30}),
    Case(np.arange(40) % 7, "tensor([0, 1, 2,  ..., 2, 3, 4])", options={"threshold": 30, "profile": "full"}),
    Case(
        np.arange(42.0).reshape(7, 2, 3),
        """\
tensor([[[ 0.,  ...,  2.],
         [ 3.,  ...,  5.]],

        ...,

        [[36.,  ..., 38.],
         [39.,  ..., 41.]]], dtype=torch.float64)""",
        options={"threshold": 5, "edgeitems": 1},
    ),
    Case(
        np.zeros((2, 2, 1, 2), bool),
        """\
tensor([[[[False, False]],

         [[False, False]]],


        [[[False, False]],

         [[False, False]]]])""",
        options={"threshold": 5},
    ),
    Case(
        np.arange(60).reshape(6, 10),
        """\
tensor([[ 0,  1,  ...,  8,  9],
        [10, 11,  ..., 18, 19],
        ...,
        [40, 41,  ..., 48, 49],
        [50, 51,  ..., 58, 59]])""",
        options={"threshold": 10, "edgeitems": 2},
    ),
    Case(
        np.arange(12.0),
        """\
tensor([ 0.,  1.,  2.,  3.,
         4.,  5.,  6.,  7.,
         8.,  9., 10., 11.],
       dtype=torch.float64)""",
        options={"profile": "short", "linewidth": 30},
    ),
    Case(
        np.arange(12.0),
        "tensor([...], size=(12,), dtype=torch.float64)",
        options={"threshold": 5, "edgeitems": 0},
    ),
    Case(
        np.array([[1 + 2j, 0.5]] * 2),
        """\
tensor([[1.00000000+2.j, 0.50000000+0.j],
        [1.00000000+2.j, 0.50000000+0.j]],
       dtype=torch.complex128)""",
        options={"precision": 8, "linewidth": 40},
    ),
    Case(np.array([1.5, 2.0]), "tensor([1.5000, 2.0000])", default="float64"),
    Case(np.array([1.5, 2.0], f4), "tensor([1.5000, 2.0000], dtype=torch.float32)", default="float64"),
    Case(np.array([1j, 2.0]), "tensor([0.+1.j, 2.+0.j])", default="float64"),
    Case(
        np.array([0.5, 2.0], np.complex64),
        "tensor([0.5000+0.j, 2.0000+0.j], dtype=torch.complex64)",
        default="float64",
    ),
    Case(np.array([0.5], f2), "tensor([0.5000])", default="float16"),
]
