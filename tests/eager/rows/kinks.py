"""What is the derivative where a function has none, and where it has one?"""

import math

from tests.eager.rows.case import each, leaf, raises

INF, NAN = math.inf, math.nan

SMOOTH = {
    "sin": lambda torch, x: x.sin(),
    "cos": lambda torch, x: x.cos(),
    "tan": lambda torch, x: x.tan(),
    "exp": lambda torch, x: x.exp(),
    "log": lambda torch, x: (x + 3).log(),
    "sqrt": lambda torch, x: (x + 3).sqrt(),
    "tanh": lambda torch, x: x.tanh(),
    "sigmoid": lambda torch, x: x.sigmoid(),
    "abs": lambda torch, x: x.abs(),
    "relu": lambda torch, x: x.relu(),
    "square": lambda torch, x: x**2,
    "cube": lambda torch, x: x**3,
    "power": lambda torch, x: (x + 3) ** 1.5,
    "reciprocal": lambda torch, x: x.reciprocal(),
    "rdiv": lambda torch, x: 2 / x,
    "asin": lambda torch, x: (x / 3).asin(),
    "acos": lambda torch, x: (x / 3).acos(),
    "atan": lambda torch, x: x.atan(),
    "sinh": lambda torch, x: x.sinh(),
    "cosh": lambda torch, x: x.cosh(),
    "log1p": lambda torch, x: (x + 3).log1p(),
    "expm1": lambda torch, x: x.expm1(),
    "log2": lambda torch, x: (x + 3).log2(),
    "log10": lambda torch, x: (x + 3).log10(),
    "exp2": lambda torch, x: x.exp2(),
    "rsqrt": lambda torch, x: (x + 3).rsqrt(),
    "erf": lambda torch, x: x.erf(),
    "asinh": lambda torch, x: x.asinh(),
    "acosh": lambda torch, x: (x + 4).acosh(),
    "atanh": lambda torch, x: (x / 3).atanh(),
    "softmax": lambda torch, x: x.softmax(0),
    "logsumexp": lambda torch, x: x.logsumexp(0),
    "neg": lambda torch, x: -x,
    "rpow": lambda torch, x: 3**x,
    "lerp": lambda torch, x: torch.lerp(x, x * x, 0.3),
    "hypot": lambda torch, x: torch.hypot(x, x * x),
    "logaddexp": lambda torch, x: torch.logaddexp(x, x * x),
    "sinc": lambda torch, x: torch.sinc(x),
    "atan2": lambda torch, x: torch.atan2(x, x * x + 1),
    "fmod": lambda torch, x: x.fmod(0.25),
    "remainder": lambda torch, x: x.remainder(0.25),
}


def value_and_gradient(torch, call, values):
    x = leaf(torch, values, "float64")
    y = call(torch, x)
    y.sum().backward()
    return y, x.grad


@each({name: (call,) for name, call in SMOOTH.items()})
def s000_027(torch, call):
    return value_and_gradient(torch, call, [0.3, -2.0])


AT = {
    "028 relu": (lambda torch, x: x.relu(), 0.0),
    "028 torch.relu": (lambda torch, x: torch.relu(x), [0.0, -0.0, 1.0, -1.0]),
    "028 clamp min": (lambda torch, x: x.clamp(min=0), [0.0, -1.0, 1.0]),
    "029 abs": (lambda torch, x: x.abs(), 0.0),
    "029 torch.abs": (lambda torch, x: torch.abs(x), [0.0, -0.0, 1.0, -1.0]),
    "030 norm": (lambda torch, x: x.norm(), [0.0, 0.0]),
    "030 norm 1": (lambda torch, x: x.norm(1), [0.0, 3.0]),
    "030 norm 2": (lambda torch, x: x.norm(2), [0.0, 0.0]),
    "030 norm inf": (lambda torch, x: x.norm(INF), [3.0, 3.0, 1.0]),
    "030 norm 3": (lambda torch, x: x.norm(3), [0.0, 0.0]),
    "030 norm dim": (lambda torch, x: x.norm(dim=1), [[0.0, 0.0], [3.0, 4.0]]),
    "030 vector_norm": (lambda torch, x: torch.linalg.vector_norm(x), [0.0, 0.0]),
    "031 maximum": (lambda torch, x: torch.maximum(x, torch.ones(2, dtype=x.dtype)), [1.0, 2.0]),
    "031 maximum other": (
        lambda torch, x: torch.maximum(torch.tensor([1.0, 2.0], dtype=x.dtype), x),
        [1.0, 1.0],
    ),
    "031 max": (lambda torch, x: x.max(), [1.0, 3.0, 3.0]),
    "031 amax": (lambda torch, x: x.amax(), [1.0, 3.0, 3.0]),
    "031 amax dim": (lambda torch, x: x.amax(1), [[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]]),
    "033 -abs": (lambda torch, x: -x.abs(), 0.0),
    "033 -relu": (lambda torch, x: -x.relu(), 0.0),
    "033 minimum": (lambda torch, x: torch.minimum(x, torch.ones((), dtype=x.dtype)), 1.0),
    "033 min": (lambda torch, x: x.min(), [3.0, 3.0]),
    "033 amin": (lambda torch, x: x.amin(0), [[3.0, 1.0], [3.0, 2.0]]),
    "034 sqrt": (lambda torch, x: x.sqrt(), 0.0),
    "034 power": (lambda torch, x: x**0.5, 0.0),
    "034 power 1.5": (lambda torch, x: x**1.5, 0.0),
    "035 log": (lambda torch, x: x.log(), 0.0),
    "035 1/x": (lambda torch, x: 1 / x, 0.0),
    "035 asin": (lambda torch, x: x.asin(), [1.0, -1.0]),
    "035 acos": (lambda torch, x: x.acos(), 1.0),
    "035 x**-1": (lambda torch, x: x**-1, 0.0),
    "035 rsqrt": (lambda torch, x: x.rsqrt(), 0.0),
    "035 log1p": (lambda torch, x: x.log1p(), -1.0),
    "036 clamp": (lambda torch, x: x.clamp(-1, 1), [-2.0, -1.0, 0.0, 1.0, 2.0]),
    "036 clamp max": (lambda torch, x: x.clamp(max=1), [0.0, 1.0, 2.0]),
    "036 torch.clamp": (lambda torch, x: torch.clamp(x, min=0.0, max=1.0), [-1.0, 0.0, 1.0, 2.0]),
    "037 sign": (lambda torch, x: x.sign(), [0.0, 2.5, -3.0]),
    "037 floor": (lambda torch, x: x.floor(), [0.0, 1.5, -2.5]),
    "037 ceil": (lambda torch, x: x.ceil(), [0.0, 1.5, -2.5]),
    "037 round": (lambda torch, x: x.round(), [0.0, 1.5, -2.5]),
    "037 trunc": (lambda torch, x: x.trunc(), [0.0, 1.5, -2.5]),
    "038 sqrt": (lambda torch, x: x.sqrt(), -1.0),
    "039 log": (lambda torch, x: x.log(), -1.0),
    "040 sin": (lambda torch, x: x.sin(), NAN),
    "040 exp": (lambda torch, x: x.exp(), NAN),
    "040 square": (lambda torch, x: x**2, NAN),
    "040 abs": (lambda torch, x: x.abs(), NAN),
    "040 relu": (lambda torch, x: x.relu(), NAN),
    "040 sign": (lambda torch, x: x.sign(), NAN),
    "040 tanh": (lambda torch, x: x.tanh(), NAN),
    "040 clamp": (lambda torch, x: x.clamp(-1, 1), NAN),
    "040 max": (lambda torch, x: x.max(), [1.0, NAN]),
    "040 maximum": (lambda torch, x: torch.maximum(x, torch.ones((), dtype=x.dtype)), NAN),
    "041 where": (lambda torch, x: torch.where(x > 0, x.sqrt(), torch.zeros_like(x)), [0.0, 4.0]),
    "042 x**0": (lambda torch, x: x**0, 0.0),
    "042 x**0.0": (lambda torch, x: x**0.0, 0.0),
    "042 x**1": (lambda torch, x: x**1, 0.0),
    "042 x**2": (lambda torch, x: x**2, 0.0),
    "042 x**2 at -3": (lambda torch, x: x**2, -3.0),
    "042 0**x": (lambda torch, x: 0**x, [0.0, 1.0, 2.0]),
    "042 base 0": (lambda torch, x: torch.zeros(2, dtype=x.dtype) ** x, [1.0, 2.0]),
    "042 x**x": (lambda torch, x: x**x, [3.0, 1.0]),
    "043 one 0": (lambda torch, x: x.prod(), [0.0, 2.0, 3.0]),
    "043 two 0": (lambda torch, x: x.prod(), [0.0, 0.0, 3.0]),
    "043 no 0": (lambda torch, x: x.prod(), [4.0, 2.0, 3.0]),
    "043 dim": (lambda torch, x: x.prod(1), [[0.0, 2.0], [3.0, 4.0]]),
    "043 cumprod": (lambda torch, x: x.cumprod(0), [2.0, 0.0, 3.0]),
    "more std 0": (lambda torch, x: x.std(), [2.0, 2.0]),
    "more atan2 0": (lambda torch, x: torch.atan2(x, x), 0.0),
    "more sigmoid big": (lambda torch, x: x.sigmoid(), [100.0, -100.0]),
    "more logsumexp -inf": (lambda torch, x: x.logsumexp(0), [-INF, 1.0]),
    "more median": (lambda torch, x: x.median(), [3.0, 1.0, 2.0]),
    "more sort": (lambda torch, x: x.sort()[0] * torch.tensor([1.0, 2, 3], dtype=x.dtype), [3.0, 1.0, 2.0]),
    "more cummax": (lambda torch, x: x.cummax(0)[0], [1.0, 3.0, 2.0]),
}


@each(AT)
def s000_028(torch, call, values):
    return value_and_gradient(torch, call, values)


def s000_031_both(torch):
    seen = []
    for op in (torch.maximum, torch.minimum, torch.fmax, torch.max, torch.min):
        a, b = leaf(torch, [1.0, 2.0], "float64"), leaf(torch, [1.0, 1.0], "float64")
        op(a, b).sum().backward()
        seen += [a.grad, b.grad]
    return seen


def s000_032(torch):
    x = leaf(torch, [[1.0, 3.0, 3.0], [5.0, 5.0, 2.0]])
    values, indices = x.max(1)
    values.sum().backward()
    return values, indices, x.grad


def s000_032_min(torch):
    x = leaf(torch, [[1.0, 1.0, 3.0], [5.0, 2.0, 2.0]])
    result = x.min(dim=1, keepdim=True)
    result.values.sum().backward()
    return result.values, result.indices, x.grad


def s000_042_exponent(torch):
    x, p = leaf(torch, [0.0, 3.0], "float64"), leaf(torch, [2.0, 2.0], "float64")
    y = x**p
    y.sum().backward()
    return y, x.grad, p.grad


def s000_044(torch):
    x = leaf(torch, [0.0, 1.0, 1.0])
    y = torch.bernoulli(x)
    y.sum().backward()
    return y.requires_grad, x.grad, torch.rand_like(x).requires_grad


def s000_044_others(torch):
    x = leaf(torch, [0.25, 0.5, 0.25])
    flags = [
        torch.randn_like(x).requires_grad,
        torch.rand(3).requires_grad,
        torch.zeros_like(x).requires_grad,
    ]
    return flags, torch.multinomial(x, 1).requires_grad


COMPARISONS = {
    "gt": lambda x: x > 1,
    "ge": lambda x: x >= 1,
    "lt": lambda x: x < 1,
    "le": lambda x: x <= 1,
    "eq": lambda x: x == 1,
    "ne": lambda x: x != 1,
    "eq method": lambda x: x.eq(x),
    "argmax": lambda x: x.argmax(),
    "argmin": lambda x: x.argmin(0),
    "argsort": lambda x: x.argsort(),
    "long": lambda x: x.long(),
    "int": lambda x: x.int(),
    "bool": lambda x: x.bool(),
    "isnan": lambda x: x.isnan(),
    "isfinite": lambda x: x.isfinite(),
    "all": lambda x: (x > 0).all(),
    "any": lambda x: (x > 5).any(),
    "max index": lambda x: x.max(0)[1],
    "nonzero": lambda x: x.nonzero(),
    "sum of bool": lambda x: (x > 1).sum(),
    "count_nonzero": lambda x: x.count_nonzero(),
}


@each({name: (call,) for name, call in COMPARISONS.items()})
def s000_045(torch, call):
    y = call(leaf(torch, [1.0, 2.0, 0.5]))
    return y, y.is_leaf


def s000_045_backward(torch):
    y = leaf(torch, [1.0, 2.0]) > 1
    return raises(lambda: y.sum().backward(), "does not require grad and does not have a grad_fn")
