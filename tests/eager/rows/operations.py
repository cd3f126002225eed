"""Do the operations of torch have the right values, names, gradients and second derivatives?

Every operation takes tensors of float64 with moderate values; their shapes stand behind it.
"""

from tests.eager.rows.case import each, name_of, numbers

Shapes = tuple[tuple[int, ...], ...]
M, V, S = (2, 3), (3,), ()


def index(torch, *values):
    return torch.tensor(list(values))


OPERATIONS = {
    "add_broadcast": (lambda t, x, y: x + y, (M, V)),
    "sub": (lambda t, x, y: x - y, (M, M)),
    "mul": (lambda t, x, y: x * y, (M, (2, 1))),
    "div": (lambda t, x, y: x / y, (M, V)),
    "pow": (lambda t, x: x**3, (M,)),
    "pow_tensor": (lambda t, x, y: x**y, (M, V)),
    "rpow": (lambda t, x: 2**x, (M,)),
    "neg": (lambda t, x: -x, (M,)),
    "matmul": (lambda t, x, y: x @ y, (M, (3, 2))),
    "matmul_vector": (lambda t, x, y: x @ y, (M, V)),
    "vector_matmul": (lambda t, x, y: x @ y, (V, (3, 2))),
    "matmul_batch": (lambda t, x, y: x @ y, ((2, 2, 3), (3, 2))),
    "dot": (lambda t, x, y: t.dot(x, y), (V, V)),
    "mv": (lambda t, x, y: t.mv(x, y), (M, V)),
    "mm": (lambda t, x, y: t.mm(x, y), (M, (3, 2))),
    "bmm": (lambda t, x, y: t.bmm(x, y), ((2, 2, 3), (2, 3, 2))),
    "outer": (lambda t, x, y: t.outer(x, y), (V, (2,))),
    "addmm": (lambda t, x, y, z: t.addmm(x, y, z), ((2, 2), M, (3, 2))),
    "einsum": (lambda t, x, y: t.einsum("ij,kj->ik", x, y), (M, M)),
    "einsum_trace": (lambda t, x: t.einsum("ii->i", x) * 1, ((3, 3),)),
    "exp": (lambda t, x: x.exp(), (M,)),
    "log": (lambda t, x: x.log(), (M,)),
    "sin": (lambda t, x: x.sin(), (M,)),
    "cos": (lambda t, x: x.cos(), (M,)),
    "tanh": (lambda t, x: x.tanh(), (M,)),
    "sigmoid": (lambda t, x: x.sigmoid(), (M,)),
    "sqrt": (lambda t, x: x.sqrt(), (M,)),
    "abs": (lambda t, x: (x - 1).abs(), (M,)),
    "relu": (lambda t, x: (x - 1).relu(), (M,)),
    "clamp": (lambda t, x: x.clamp(0.7, 1.5), (M,)),
    "clamp_tensor": (lambda t, x, y: t.clamp(x, min=y), (M, M)),
    "maximum": (lambda t, x, y: t.maximum(x, y), (M, M)),
    "minimum": (lambda t, x, y: t.minimum(x, y), (M, V)),
    "where": (lambda t, x, y: t.where(x > 1, x, y), (M, M)),
    "atan2": (lambda t, x, y: t.atan2(x, y), (M, M)),
    "reciprocal": (lambda t, x: t.reciprocal(x), (M,)),
    "asin": (lambda t, x: (x / 3).asin(), (M,)),
    "sum": (lambda t, x: x.sum(), (M,)),
    "sum_dim": (lambda t, x: x.sum(1), (M,)),
    "sum_keepdim": (lambda t, x: x.sum(dim=(0, 1), keepdim=True), (M,)),
    "sum_negative": (lambda t, x: x.sum(-1), (M,)),
    "mean": (lambda t, x: x.mean(), (M,)),
    "mean_dim": (lambda t, x: x.mean(0, keepdim=True), (M,)),
    "var": (lambda t, x: x.var(), (M,)),
    "var_dim": (lambda t, x: x.var(1, unbiased=False), (M,)),
    "std": (lambda t, x: x.std(), (M,)),
    "std_dim": (lambda t, x: x.std(dim=0, keepdim=True), (M,)),
    "var_correction": (lambda t, x: x.var(dim=1, correction=0), (M,)),
    "prod": (lambda t, x: x.prod(), (M,)),
    "prod_dim": (lambda t, x: x.prod(1), (M,)),
    "max": (lambda t, x: x.max(), (M,)),
    "max_dim": (lambda t, x: x.max(1)[0], (M,)),
    "min": (lambda t, x: x.min(), (M,)),
    "amax": (lambda t, x: x.amax(0), (M,)),
    "amin": (lambda t, x: x.amin(dim=(0, 1)), (M,)),
    "norm": (lambda t, x: x.norm(), (M,)),
    "norm_3": (lambda t, x: x.norm(3), (M,)),
    "norm_dim": (lambda t, x: x.norm(dim=1), (M,)),
    "cumsum": (lambda t, x: x.cumsum(1), (M,)),
    "cumprod": (lambda t, x: x.cumprod(1), (M,)),
    "logsumexp": (lambda t, x: x.logsumexp(1), (M,)),
    "softmax": (lambda t, x: x.softmax(1), (M,)),
    "log_softmax": (lambda t, x: x.log_softmax(-1), (M,)),
    "cat": (lambda t, x, y: t.cat([x, y], dim=1), (M, (2, 2))),
    "stack": (lambda t, x, y: t.stack([x, y], 1), (M, M)),
    "split": (lambda t, x: x.split(2, dim=1)[0] * 2, (M,)),
    "chunk": (lambda t, x: x.chunk(2)[1], (M,)),
    "unbind": (lambda t, x: x.unbind(1)[2], (M,)),
    "view": (lambda t, x: x.view(3, 2), (M,)),
    "reshape": (lambda t, x: x.reshape(-1), (M,)),
    "reshape_t": (lambda t, x: x.t().reshape(-1), (M,)),
    "flatten": (lambda t, x: x.flatten(1), ((2, 3, 2),)),
    "ravel": (lambda t, x: x.ravel(), (M,)),
    "t": (lambda t, x: x.t(), (M,)),
    "transpose": (lambda t, x: x.transpose(0, 1), (M,)),
    "permute": (lambda t, x: x.permute(2, 0, 1), ((2, 3, 2),)),
    "unsqueeze": (lambda t, x: x.unsqueeze(1), (M,)),
    "squeeze": (lambda t, x: x.squeeze(1), ((2, 1, 3),)),
    "expand": (lambda t, x: x.expand(2, 3), ((1, 3),)),
    "flip": (lambda t, x: x.flip(1), (M,)),
    "roll": (lambda t, x: x.roll(1, 1), (M,)),
    "tril": (lambda t, x: x.tril(), ((3, 3),)),
    "triu": (lambda t, x: x.triu(1), ((3, 3),)),
    "diag": (lambda t, x: x.diag(), ((3, 3),)),
    "diag_vector": (lambda t, x: t.diag(x), (V,)),
    "gather": (lambda t, x: x.gather(1, t.tensor([[0, 0], [2, 1]])), (M,)),
    "index_select": (lambda t, x: x.index_select(1, index(t, 2, 0, 2)), (M,)),
    "index": (lambda t, x: x[index(t, 0, 1, 1)], (M,)),
    "index_pairs": (lambda t, x: x[index(t, 0, 1), index(t, 2, 2)], (M,)),
    "slice": (lambda t, x: x[:, 1:], (M,)),
    "mask": (lambda t, x: x[x > 1], (M,)),
    "masked_fill": (lambda t, x: x.masked_fill(x > 1, 0.0), (M,)),
    "scatter_add": (lambda t, x, y: x.scatter_add(1, t.tensor([[0, 1], [2, 2]]), y), (M, (2, 2))),
    "scatter": (lambda t, x, y: x.scatter(1, t.tensor([[0, 1], [2, 1]]), y), (M, (2, 2))),
    "index_add": (lambda t, x, y: x.index_add(0, index(t, 0, 0), y), (M, M)),
    "as_strided": (lambda t, x: x.as_strided((2, 2), (1, 2)), (M,)),
    "repeat": (lambda t, x: x.repeat(2, 2), (M,)),
    "clone": (lambda t, x: x.clone() * 2, (M,)),
    "sort": (lambda t, x: x.sort(dim=1)[0], (M,)),
    "topk": (lambda t, x: x.topk(2)[0], (M,)),
    "trace": (lambda t, x: t.trace(x), ((3, 3),)),
    "inverse": (lambda t, x: t.linalg.inv(x + 3 * t.eye(3, dtype=x.dtype)), ((3, 3),)),
    "det": (lambda t, x: t.linalg.det(x), ((3, 3),)),
    "solve": (lambda t, x, y: t.linalg.solve(x + 3 * t.eye(3, dtype=x.dtype), y), ((3, 3), (3, 2))),
    "cholesky": (lambda t, x: t.linalg.cholesky(x @ x.mT + t.eye(3, dtype=x.dtype)), ((3, 3),)),
    "lerp": (lambda t, x, y: t.lerp(x, y, 0.3), (M, M)),
    "addcmul": (lambda t, x, y, z: t.addcmul(x, y, z, value=0.5), (M, M, M)),
    "addcdiv": (lambda t, x, y, z: t.addcdiv(x, y, z, value=0.5), (M, M, M)),
    "cross": (lambda t, x, y: t.linalg.cross(x, y), (V, V)),
    "log1p": (lambda t, x: x.log1p(), (M,)),
    "expm1": (lambda t, x: x.expm1(), (M,)),
    "rsqrt": (lambda t, x: x.rsqrt(), (M,)),
    "square": (lambda t, x: x.square(), (M,)),
    "erf": (lambda t, x: x.erf(), (M,)),
    "hypot": (lambda t, x, y: t.hypot(x, y), (M, M)),
    "logaddexp": (lambda t, x, y: t.logaddexp(x, y), (M, M)),
    "diff": (lambda t, x: t.diff(x), (M,)),
    "kron": (lambda t, x, y: t.kron(x, y), ((2, 2), (1, 2))),
    "tensordot": (lambda t, x, y: t.tensordot(x, y, dims=1), (M, (3, 2))),
    "broadcast_to": (lambda t, x: t.broadcast_to(x, (2, 3)), (V,)),
    "softplus": (lambda t, x: (1 + x.exp()).log(), (M,)),
    "take": (lambda t, x: t.take(x, index(t, 0, 4, 4)), (M,)),
    "movedim": (lambda t, x: x.movedim(0, 1), (M,)),
    "median": (lambda t, x: x.flatten()[:5].median(), (M,)),
    "nansum": (lambda t, x: t.nansum(x, 1), (M,)),
    "scalar_mul": (lambda t, x, y: x * y, (S, M)),
}


def inputs(torch, shapes: Shapes):
    arrays = [numbers(*shape, seed=n) for n, shape in enumerate(shapes)]
    return [torch.tensor(a, dtype=torch.float64).requires_grad_() for a in arrays]


def weights(torch, y):
    return torch.tensor(numbers(*y.shape, seed=9), dtype=torch.float64)


@each(OPERATIONS)
def s000_027_operation(torch, call, shapes):
    """Value, name of the node, gradients."""
    xs = inputs(torch, shapes)
    y = call(torch, *xs)
    grads = torch.autograd.grad(y, xs, weights(torch, y), materialize_grads=True)
    return y.detach(), name_of(y.grad_fn), grads


FACTORS = ("inverse", "solve", "cholesky")  # LAPACK's order of elements is nobody's business


@each({name: entry for name, entry in OPERATIONS.items() if name not in FACTORS})
def s003_001_operation(torch, call, shapes):
    y = call(torch, *inputs(torch, shapes))
    return y.stride(), y.is_contiguous(), y.is_leaf


@each(OPERATIONS)
def s003_081_operation(torch, call, shapes):
    """The derivative of a function of the gradients."""
    xs = inputs(torch, shapes)
    y = call(torch, *xs)
    grads = torch.autograd.grad(y, xs, weights(torch, y) * (y.detach() + 1), create_graph=True)
    total = sum((g * g).sum() for g in grads)
    total = total + sum((0 * x).sum() for x in xs)  # also if the gradients are constant
    second = torch.autograd.grad(total, xs, materialize_grads=True)
    return [x.detach() * 0 + g for x, g in zip(xs, second)]


SAME = {
    "torch.sin": lambda t, x: (t.sin(x), x.sin()),
    "torch.exp": lambda t, x: (t.exp(x), x.exp()),
    "torch.sum": lambda t, x: (t.sum(x, 0), x.sum(dim=0)),
    "torch.mean": lambda t, x: (t.mean(x, 1), x.mean(1)),
    "torch.add": lambda t, x: (t.add(x, x, alpha=2), x + 2 * x),
    "torch.sub": lambda t, x: (t.sub(x, 1), x - 1),
    "torch.mul": lambda t, x: (t.mul(x, 3), 3 * x),
    "torch.div": lambda t, x: (t.div(x, 2), x / 2),
    "torch.pow": lambda t, x: (t.pow(x, 2), x**2),
    "torch.neg": lambda t, x: (t.neg(x), -x),
    "torch.matmul": lambda t, x: (t.matmul(x, x.T), x @ x.t()),
    "torch.transpose": lambda t, x: (t.transpose(x, 0, 1), x.mT),
    "torch.reshape": lambda t, x: (t.reshape(x, (3, 2)), x.reshape((3, 2))),
    "torch.clamp": lambda t, x: (t.clamp(x, max=1), x.clamp(max=1)),
    "torch.abs": lambda t, x: (t.abs(x), abs(x)),
    "torch.max": lambda t, x: (t.max(x), x.max()),
    "torch.squeeze": lambda t, x: (t.squeeze(x[None]), x[None].squeeze()),
    "torch.unsqueeze": lambda t, x: (t.unsqueeze(x, 0), x[None]),
    "torch.permute": lambda t, x: (t.permute(x, (1, 0)), x.permute((1, 0))),
    "torch.cumsum": lambda t, x: (t.cumsum(x, dim=0), x.cumsum(dim=0)),
    "torch.softmax": lambda t, x: (t.softmax(x, dim=1), x.softmax(dim=1)),
    "torch.norm": lambda t, x: (t.norm(x), t.linalg.norm(x)),
    "torch.flip": lambda t, x: (t.flip(x, (0,)), x.flip((0,))),
    "torch.split": lambda t, x: (*t.split(x, 1), *x.split(1)),
    "torch.chunk": lambda t, x: (*t.chunk(x, 2, dim=1), *x.chunk(2, 1)),
    "torch.clone": lambda t, x: (t.clone(x), x.clone()),
    "torch.sqrt": lambda t, x: (t.sqrt(x), x.sqrt()),
    "torch.rsub": lambda t, x: (t.rsub(x, 1), 1 - x),
    "torch.square": lambda t, x: (t.square(x), x.square()),
    "floor_divide": lambda t, x: ((x // 1).detach(), t.floor_divide(x.detach(), 1)),
    "mod": lambda t, x: (x % 1, t.remainder(x, 1)),
    "divmod": lambda t, x: (t.div(x, 0.3, rounding_mode="floor"), t.div(x, 0.3, rounding_mode="trunc")),
    "true_divide": lambda t, x: (t.true_divide(x, 2), t.divide(x, 2)),
    "any all": lambda t, x: (t.any(x > 1), t.all(x > 0), (x > 1).any(1), (x > 1).all(dim=0)),
    "logic": lambda t, x: (~(x > 1), (x > 1) & (x < 2), (x > 1) | (x < 2), (x > 1) ^ (x < 2)),
    "isclose": lambda t, x: (t.isclose(x, x), t.tensor(t.allclose(x, x)), t.tensor(t.equal(x, x))),
    "argmax": lambda t, x: (t.argmax(x), x.argmax(1), t.argmin(x, dim=0)),
}


@each({name: (call,) for name, call in SAME.items()})
def more_same(torch, call):
    return call(torch, inputs(torch, (M,))[0])


PROMOTED = {
    "float + int": lambda t: t.ones(2) + t.ones(2, dtype=t.int64),
    "int + float number": lambda t: t.ones(2, dtype=t.int64) + 1.5,
    "int / int": lambda t: t.tensor([1, 2]) / t.tensor([2, 4]),
    "float32 + float64": lambda t: t.ones(2) + t.ones(2, dtype=t.float64),
    "float32 + float64 scalar": lambda t: t.ones(2) + t.tensor(1.0, dtype=t.float64),
    "bool + bool": lambda t: t.tensor([True, False]) + t.tensor([True, True]),
    "bool sum": lambda t: t.tensor([True, True]).sum(),
    "int32 sum": lambda t: t.tensor([1, 2], dtype=t.int32).sum(),
    "int exp": lambda t: t.tensor([1, 2]).exp(),
    "int mean": lambda t: t.tensor([1.0, 2.0]).mean(dtype=t.float64),
    "float16": lambda t: t.ones(2, dtype=t.float16) * t.ones(2),
    "complex": lambda t: t.ones(2) * 1j,
    "float64 complex": lambda t: t.ones(2, dtype=t.float64) + 1j,
    "int pow": lambda t: t.tensor([1, 2, 3]) ** 2,
    "number first": lambda t: 2.5 * t.tensor([1, 2]),
    "arange": lambda t: t.arange(3),
    "arange float": lambda t: t.arange(0.5, 2.0, 0.5),
    "tensor of ints and floats": lambda t: t.tensor([1, 2.5]),
    "full int": lambda t: t.full((2,), 3),
    "where": lambda t: t.where(t.tensor([True, False]), 1.0, 0.0),
    "maximum": lambda t: t.maximum(t.ones(2), t.zeros(2, dtype=t.float64)),
    "cat": lambda t: t.cat([t.ones(1), t.ones(1, dtype=t.float64)]),
    "from numpy": lambda t: t.tensor(numbers(2)),
    "floor div": lambda t: t.tensor([7, -7]) // 2,
    "sqrt of bool": lambda t: t.tensor([True]).sqrt(),
}


@each({name: (make,) for name, make in PROMOTED.items()})
def more_dtypes(torch, make):
    y = make(torch)
    return y, y.dtype
