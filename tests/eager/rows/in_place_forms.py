"""Does every in-place form what its out-of-place form does?"""

import operator

from tests.eager.rows.case import each, leaf

IN_PLACE = {
    "add_": lambda y, v: y.add_(v),
    "iadd": lambda y, v: operator.iadd(y, v),
    "sub_": lambda y, v: y.sub_(v),
    "isub": lambda y, v: operator.isub(y, v),
    "mul_": lambda y, v: y.mul_(v),
    "imul": lambda y, v: operator.imul(y, v),
    "div_": lambda y, v: y.div_(v),
    "itruediv": lambda y, v: operator.itruediv(y, v),
    "pow_": lambda y, v: y.pow_(2),
    "ipow": lambda y, v: operator.ipow(y, 3),
    "pow_ tensor": lambda y, v: y.pow_(v),
    "neg_": lambda y, v: y.neg_(),
    "exp_": lambda y, v: y.exp_(),
    "log_": lambda y, v: y.log_(),
    "sqrt_": lambda y, v: y.sqrt_(),
    "sin_": lambda y, v: y.sin_(),
    "cos_": lambda y, v: y.cos_(),
    "abs_": lambda y, v: y.abs_(),
    "sigmoid_": lambda y, v: y.sigmoid_(),
    "tanh_": lambda y, v: y.tanh_(),
    "relu_": lambda y, v: y.relu_(),
    "clamp_": lambda y, v: y.clamp_(0, 4),
    "clamp_min_": lambda y, v: y.clamp_min_(3),
    "fill_": lambda y, v: y.fill_(3.0),
    "zero_": lambda y, v: y.zero_(),
    "copy_": lambda y, v: y.copy_(v),
    "reciprocal_": lambda y, v: y.reciprocal_(),
    "round_": lambda y, v: y.round_(),
    "floor_": lambda y, v: y.floor_(),
    "add_ alpha": lambda y, v: y.add_(v, alpha=3),
    "sub_ number": lambda y, v: y.sub_(1),
    "add_ itself": lambda y, v: y.add_(y),
    "addcmul_": lambda y, v: y.addcmul_(v, v, value=2),
    "lerp_": lambda y, v: y.lerp_(v, 0.25),
    "masked_fill_": lambda y, v: y.masked_fill_(y > 3, 0.0),
    "square_": lambda y, v: y.square_(),
}


@each({name: (call,) for name, call in IN_PLACE.items()})
def s003_041(torch, call):
    x, v = leaf(torch, [1.0, 2.0, 3.0], "float64"), leaf(torch, [1.0, 0.5, 2.0], "float64")
    y = x * 2
    before = y._version
    same = call(y, v) is y
    counted = y._version - before
    y.sum().backward()
    return same, counted, y, x.grad, v.grad


INDICES = {
    "integer": (lambda torch: 1, 7.0),
    "negative": (lambda torch: -1, 7.0),
    "slice": (lambda torch: slice(1, 3), [7.0, 8.0]),
    "step": (lambda torch: slice(None, None, 2), [7.0, 8.0]),
    "slice number": (lambda torch: slice(1, 3), 7.0),
    "mask": (lambda torch: torch.tensor([True, False, True, False]), [9.0, 8.0]),
    "mask number": (lambda torch: torch.tensor([True, False, True, False]), 9.0),
    "list": (lambda torch: [0, 2], [5.0, 6.0]),
    "tensor": (lambda torch: torch.tensor([2, 0]), [5.0, 6.0]),
    "Ellipsis": (lambda torch: Ellipsis, 1.0),
    "all": (lambda torch: slice(None), 1.0),
    "tuple": (lambda torch: (slice(0, 2),), [3.0, 4.0]),
}


@each(INDICES)
def s003_042(torch, index, value):
    x = leaf(torch, [1.0, 2.0, 3.0, 4.0], "float64")
    y = x * 2
    y[index(torch)] = value if isinstance(value, float) else torch.tensor(value, dtype=torch.float64)
    y.sum().backward()
    return y, x.grad


@each(INDICES)
def s003_042_value(torch, index, value):
    x, v = leaf(torch, [1.0, 2.0, 3.0, 4.0], "float64"), leaf(torch, value, "float64")
    y = x * 2
    y[index(torch)] = v * 3
    (y * y).sum().backward()
    return y, x.grad, v.grad


def s003_042_rows(torch):
    x, v = leaf(torch, [[1.0, 2.0], [3.0, 4.0]]), leaf(torch, [5.0, 6.0])
    y = x * 1
    y[0] = v
    y[:, 1] = v
    y[1, 0] = 0
    (y * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    return y, x.grad, v.grad
