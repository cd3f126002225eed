"""How is a tensor printed?"""

import math

from tests.eager.rows.case import each, leaf, text

INF, NAN = math.inf, math.nan


def s002_001(torch):
    return str(torch.ones(3, 3))


def s002_002(torch):
    return str(torch.ones(2, 2, requires_grad=True))


def s002_003(torch):
    return str(torch.ones(2, 2, requires_grad=True) + 2)


def s002_004(torch):
    x = torch.ones(2, 2, requires_grad=True)
    return str(x.grad_fn), text(str((x + 2).grad_fn))


def s002_005(torch):
    y = torch.ones(2, 2, requires_grad=True) + 2
    z = y * y * 3
    return str(z), str(z.mean())


def s002_006(torch):
    a = torch.tensor([[2.0, -1.0], [0.25, 4.0]])
    a = (a * 3) / (a - 1)
    before = a.requires_grad
    a.requires_grad_(True)
    b = (a * a).sum()
    return before, a.requires_grad, b.requires_grad, text(str(b.grad_fn)), str(a), str(b)


def s002_007(torch):
    a = torch.tensor([[-18.19089, 1.41763], [1.56321, -0.61634]], requires_grad=True)
    return str(a), str((a * a).sum())


def s002_008(torch):
    x = torch.ones(2, 2, requires_grad=True)
    y = x + 2
    (y * y * 3).mean().backward()
    return str(x.grad), str(x.requires_grad)


def s002_009(torch):
    x = torch.ones(2, 2, requires_grad=True)
    first = str(x.requires_grad), str((x**2).requires_grad)
    with torch.no_grad():
        return first, str((x**2).requires_grad)


def s002_010(torch):
    x = torch.ones(2, 2, requires_grad=True)
    y = x.detach()
    return str(x.requires_grad), str(y.requires_grad), str(x.eq(y).all())


def t(values, dtype=None, **options):
    return lambda torch: torch.tensor(values, dtype=dtype and getattr(torch, dtype), **options)


FORMS = {
    "scalar": t(27.0),
    "integer": t(3),
    "boolean": t(True),
    "float64 scalar": t(1.5, "float64"),
    "int32": t([1, 2], "int32"),
    "uint8": t([1, 200], "uint8"),
    "int8": t(5, "int8"),
    "int16": t([], "int16"),
    "booleans": t([True, False]),
    "boolean matrix": t([[True, False], [False, False]]),
    "integers": t([1, -20, 300]),
    "integer matrix": t([[1, -20], [300, 4]]),
    "empty": t([]),
    "empty float64": t([], "float64"),
    "empty matrix": lambda torch: torch.zeros(0, 3),
    "empty integer": t([], "int64"),
    "empty grad": t([], requires_grad=True),
    "nan": t(NAN),
    "inf": t([INF, -INF, NAN]),
    "inf and numbers": t([INF, 1.0, 2.5, NAN]),
    "inf and integers": t([INF, 1.0, -2.0]),
    "half": t([1.5, 2.25], "float16"),
    "whole": t([1.0, 2.0, 300.0]),
    "whole and part": t([1.0, 2.5]),
    "negative": t([-1.0, 2.0]),
    "fractions": t([0.12345678, 123.456789]),
    "small": t([1e-5, 1.0]),
    "smaller": t([1e-10, 1.0]),
    "large": t([1e5, 1.5]),
    "larger": t([1e9, 1.0]),
    "large whole": t([1e8, 1.0]),
    "large whole 2": t([123456789.0]),
    "large range": t([1e-3, 1e3]),
    "large range 2": t([1e-4, 1.1e4]),
    "tiny": t([1e-30, 1e30]),
    "denormal": t([1e-45]),
    "zero": t([0.0, -0.0]),
    "zeros and small": t([0.0, 1e-6]),
    "1000.5": t([1000.5]),
    "99999.5": t([99999.5, 1.0]),
    "100000.5": t([100000.5]),
    "1e15": t(1e15),
    "1e16": t(1e16, "float64"),
    "scientific": t([[1.5e-7, 2e3], [-4e5, 0.0]]),
    "float64 vector": t([1.5, 2.0], "float64"),
    "float64 grad": t([1.5, 2.0], "float64", requires_grad=True),
    "complex": t(1 + 2j),
    "complex vector": t([1 + 2j, 3.5 - 4j]),
    "complex64": t([1.25 - 2j, -100 + 0.5j], "complex64"),
    "complex128": t([1 + 2j], "complex128"),
    "complex whole": t([1 + 2j, -3 - 4j]),
    "complex nan": t([complex(NAN, INF), 1 + 1j]),
    "complex small": t([1e-6 + 1j]),
    "complex grad": t(1 + 2j, "complex64", requires_grad=True),
    "three axes": lambda torch: torch.arange(8.0).reshape(2, 2, 2),
    "four axes": lambda torch: torch.arange(16).reshape(2, 2, 2, 2),
    "column": lambda torch: torch.arange(3.0)[:, None],
    "one in one": t([[[1.0]]]),
    "range": lambda torch: torch.arange(10),
    "long line": lambda torch: torch.arange(30.0),
    "long line fractions": lambda torch: torch.arange(20.0) / 7,
    "long line grad": lambda torch: (torch.arange(20.0) / 8).requires_grad_(),
    "1000 elements": lambda torch: torch.arange(1000.0)[:30],
    "1001 elements": lambda torch: torch.arange(1001.0),
    "1001 integers": lambda torch: torch.arange(1001),
    "summary matrix": lambda torch: torch.arange(1200.0).reshape(30, 40),
    "summary long": lambda torch: torch.arange(2000.0).reshape(2, 1000),
    "summary tall": lambda torch: torch.arange(2000.0).reshape(1000, 2),
    "summary three": lambda torch: torch.arange(8000).reshape(20, 20, 20),
    "summary small corner": lambda torch: torch.cat([torch.tensor([0.5]), torch.arange(2000.0)]),
    "summary grad": lambda torch: torch.zeros(1001, requires_grad=True) * 2,
    "view": lambda torch: torch.ones(4, requires_grad=True).view(2, 2),
    "float64 result": lambda torch: torch.ones(2, dtype=torch.float64, requires_grad=True) * 1.25,
    "wide result": lambda torch: torch.ones(8, dtype=torch.float64, requires_grad=True) * 1.123456,
    "wider result": lambda torch: (torch.arange(9.0, dtype=torch.float64) * 1.1).requires_grad_() ** 2,
    "zeros": lambda torch: torch.zeros(2, 3),
    "full": lambda torch: torch.full((2,), 1e-3),
    "eye": lambda torch: torch.eye(3),
    "linspace": lambda torch: torch.linspace(0, 1, 5),
    "transposed": lambda torch: torch.arange(6.0).reshape(2, 3).t(),
}


@each({name: (make,) for name, make in FORMS.items()})
def s002_015(torch, make):
    x = make(torch)
    return str(x), repr(x) == str(x)


SMALL = {
    "size": lambda torch: torch.zeros(2, 3).shape,
    "empty size": lambda torch: torch.tensor(1.0).shape,
    "one": lambda torch: torch.zeros(4).size(),
    "dtype": lambda torch: [
        torch.float32,
        torch.int64,
        torch.bool,
        torch.complex64,
        torch.float64,
        torch.uint8,
    ],
    "layout": lambda torch: torch.strided,
    "format": lambda torch: torch.channels_last,
    "device": lambda torch: str(torch.ones(1).device),
    "aliases": lambda torch: [torch.double, torch.float, torch.long, torch.int, torch.cfloat, torch.half],
}


@each({name: (make,) for name, make in SMALL.items()})
def s002_015_other(torch, make):
    value = make(torch)
    return [str(one) for one in value] if isinstance(value, list) else str(value)


def s002_015_format(torch):
    x = torch.tensor(1.23456)
    return f"{x:.2f}", f"{x}", f"{torch.tensor(3):03d}", f"{x:8.3f}|", f"{torch.ones(2)}"


def s002_015_list(torch):
    return str([torch.tensor(1.0), torch.ones(2)]), str({"a": torch.tensor([1])}), str((torch.tensor(True),))


def base(torch):
    return leaf(torch, [1.0, 1.0])


GRAD_FN = {
    "neg": lambda torch: -base(torch),
    "select": lambda torch: torch.ones(2, 2, requires_grad=True)[0],
    "view": lambda torch: torch.ones(2, 2, requires_grad=True).view(4),
    "div": lambda torch: leaf(torch, 4.0) / 2,
    "sum": lambda torch: base(torch).sum(),
    "exp": lambda torch: base(torch).exp(),
    "detach": lambda torch: base(torch).exp().detach(),
    "clone": lambda torch: base(torch).clone(),
    "pow": lambda torch: base(torch) ** 2,
    "unbind": lambda torch: base(torch).unbind()[0],
    "slice": lambda torch: base(torch)[1:],
    "max": lambda torch: torch.ones(2, 2, requires_grad=True).max(0)[0],
    "t": lambda torch: torch.ones(2, 3, requires_grad=True).t(),
    "three axes": lambda torch: torch.ones(2, 2, 2, requires_grad=True) * 3,
}


@each({name: (make,) for name, make in GRAD_FN.items()})
def s002_016(torch, make):
    return str(make(torch))


def s002_016_copy_slices(torch):
    y = leaf(torch, [1.0, 2.0]) * 1
    view = y[:1]
    y[0] = 5
    return str(y), str(view)


def s002_016_in_place(torch):
    y = leaf(torch, [1.0, 2.0]) * 1
    y.add_(1)
    first = str(y)
    y.detach_()
    return first, str(y)


def s002_016_inference(torch):
    with torch.inference_mode():
        return str(torch.ones(2)), str(torch.ones(2, requires_grad=True) * 2)


def s002_016_result(torch):
    return str(torch.tensor([[1.0, 3.0], [4.0, 2.0]]).max(1)), str(torch.tensor([3.0, 1.0]).sort())


@each(
    {
        "4 digits": {"precision": 2},
        "6": {"precision": 6},
        "edge": {"threshold": 5},
        "lines": {"linewidth": 40},
    }
)
def more_set_printoptions(torch, options):
    torch.set_printoptions(**options)
    try:
        return str(torch.arange(12.0) / 7), str(torch.tensor(1 / 3))
    finally:
        torch.set_printoptions(profile="default")


def more_set_printoptions_sci(torch):
    torch.set_printoptions(sci_mode=True)
    try:
        return str(torch.tensor([1.0, 2.5]))
    finally:
        torch.set_printoptions(profile="default", sci_mode=None)
