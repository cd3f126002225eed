"""Which graph does a computation record?"""

from tests.eager.rows.case import each, leaf, name_of, text, tree


def s000_001(torch):
    x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    out = (x * y).sum()
    ((mul, number),) = out.grad_fn.next_functions
    leaves = [node.variable for node, _ in mul.next_functions]
    return tree(out.grad_fn), number, leaves[0] is x, leaves[1] is y, name_of(mul.next_functions[0][0])


def s000_001_no_cycle(torch):
    x = leaf(torch, [1.0])
    y = x.exp()
    z = y * y + y
    seen, todo = [], [z.grad_fn]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.append(node)
        todo += [below for below, _ in node.next_functions if below is not None]
    return sorted(node.name() for node in seen)


def s000_002(torch):
    x, y = leaf(torch, [1.0, 20.0]), leaf(torch, [3.0, 2.0])
    product, power = x * y, leaf(torch, [1.0, 2.0]).exp()
    return product.grad_fn(torch.tensor([1.0, 2.0])), power.grad_fn(torch.ones(2))


def s000_003(torch):
    def f(x):
        if x.sum() > 0:
            for _ in range(2):
                x = x * 2
            return x * 2
        return -(x**2)

    seen = []
    for values in ([1.0, 2.0], [-1.0, -2.0]):
        x = leaf(torch, values)
        f(x).sum().backward()
        seen.append(x.grad)
    return seen


def s000_004(torch):
    sizes, gradients = [], []
    for times in (1, 3, 2):
        x = leaf(torch, [1.0])
        y = x
        for _ in range(times):
            y = y * 2
        node, size = y.grad_fn, 0
        while name_of(node) != "AccumulateGrad":
            node, size = node.next_functions[0][0], size + 1
        y.backward()
        sizes.append(size)
        gradients.append(x.grad)
    return gradients, sizes


def s000_005(torch):
    x = leaf(torch, [0.1, 1.5, 2.5], "float64")
    y = x.sin() * x + (x**2)
    before = text(y)
    y.backward(torch.tensor([3.0, -1.0, 1.5], dtype=torch.float64))
    return y, before, x.grad


def s000_006(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 2 + x * 5 + (x * x * x * 0) + x * x * 5
    y.sum().backward()
    return x.grad


def s000_007(torch):
    a = leaf(torch, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "float64")
    b = leaf(torch, [1.0, 2.0, 3.0], "float64")
    c = leaf(torch, [[1.0], [2.0]], "float64")
    (a * b + c * torch.ones(3, dtype=torch.float64)).sum().backward()
    return a.grad, b.grad, c.grad


@each(
    {
        "scalar": ([[1.0, 2.0], [3.0, 4.0]], 2.0),
        "row": ([[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]),
        "outer": ([[1.0], [2.0], [3.0]], [[4.0, 5.0]]),
        "extra axes": ([1.0, 2.0], [[[1.0, 2.0]], [[3.0, 4.0]]]),
    }
)
def s000_007_more(torch, first, second):
    seen = []
    for op in (torch.add, torch.sub, torch.mul, torch.div, torch.maximum):
        a, b = leaf(torch, first, "float64"), leaf(torch, second, "float64")
        op(a, b).sum().backward()
        seen += [a.grad, b.grad]
    return seen


def s001_001(torch):
    x, p = leaf(torch, [1.0]), torch.tensor([1.0])
    return x.is_leaf, (x * 2).is_leaf, p.is_leaf, (p * 2).is_leaf, (x * 2).detach().is_leaf


NAMES = {
    "add": lambda x, y: x + y,
    "add number": lambda x, y: x + 2,
    "radd": lambda x, y: 2 + x,
    "sub": lambda x, y: x - y,
    "sub number": lambda x, y: x - 2,
    "rsub": lambda x, y: 2 - x,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "rdiv": lambda x, y: 1 / x,
    "neg": lambda x, y: -x,
    "pow": lambda x, y: x**2,
    "pow tensor": lambda x, y: x**y,
    "rpow": lambda x, y: 2**x,
    "matmul": lambda x, y: x @ y,
    "matmul vector": lambda x, y: x @ y[0],
    "dot": lambda x, y: x[0] @ y[0],
    "mm": lambda x, y: x.mm(y),
    "bmm": lambda x, y: x[None].bmm(y[None]),
    "exp": lambda x, y: x.exp(),
    "log": lambda x, y: x.log(),
    "sin": lambda x, y: x.sin(),
    "cos": lambda x, y: x.cos(),
    "tanh": lambda x, y: x.tanh(),
    "sigmoid": lambda x, y: x.sigmoid(),
    "relu": lambda x, y: x.relu(),
    "sqrt": lambda x, y: x.sqrt(),
    "abs": lambda x, y: x.abs(),
    "clamp": lambda x, y: x.clamp(0, 1),
    "sum": lambda x, y: x.sum(),
    "sum dim": lambda x, y: x.sum(0),
    "mean": lambda x, y: x.mean(),
    "mean dim": lambda x, y: x.mean(0),
    "max": lambda x, y: x.max(),
    "max dim": lambda x, y: x.max(0)[0],
    "min": lambda x, y: x.min(),
    "amax": lambda x, y: x.amax(0),
    "prod": lambda x, y: x.prod(),
    "prod dim": lambda x, y: x.prod(0),
    "var": lambda x, y: x.var(),
    "std": lambda x, y: x.std(),
    "norm": lambda x, y: x.norm(),
    "cumsum": lambda x, y: x.cumsum(0),
    "logsumexp": lambda x, y: x.logsumexp(0),
    "softmax": lambda x, y: x.softmax(0),
    "log_softmax": lambda x, y: x.log_softmax(0),
    "view": lambda x, y: x.view(-1),
    "reshape": lambda x, y: x.reshape(4),
    "reshape copy": lambda x, y: x.t().reshape(4),
    "flatten": lambda x, y: x.flatten(),
    "ravel": lambda x, y: x.ravel(),
    "t": lambda x, y: x.t(),
    "T": lambda x, y: x.T,
    "mT": lambda x, y: x.mT,
    "transpose": lambda x, y: x.transpose(0, 1),
    "permute": lambda x, y: x.permute(1, 0),
    "unsqueeze": lambda x, y: x.unsqueeze(0),
    "squeeze": lambda x, y: x[None].squeeze(),
    "squeeze dim": lambda x, y: x[None].squeeze(0),
    "expand": lambda x, y: x[:1].expand(3, 2),
    "select": lambda x, y: x[0],
    "slice": lambda x, y: x[:1],
    "None index": lambda x, y: x[None],
    "index": lambda x, y: x[[0, 1]],
    "mask": lambda x, y: x[x > 1],
    "gather": lambda x, y: x.gather(0, (x[:1] * 0).detach().long()),
    "index_select": lambda x, y: x.index_select(0, (x[:1, 0] * 0).detach().long()),
    "as_strided": lambda x, y: x.as_strided((2,), (1,)),
    "unbind": lambda x, y: x.unbind()[0],
    "split": lambda x, y: x.split(1)[0],
    "chunk": lambda x, y: x.chunk(2)[0],
    "clone": lambda x, y: x.clone(),
    "contiguous": lambda x, y: x.t().contiguous(),
    "flip": lambda x, y: x.flip(0),
    "roll": lambda x, y: x.roll(1, 0),
    "tril": lambda x, y: x.tril(),
    "triu": lambda x, y: x.triu(),
    "diagonal": lambda x, y: x.diagonal(),
    "repeat": lambda x, y: x.repeat(2, 1),
    "to": lambda x, y: x.double(),
}


@each({name: (call,) for name, call in NAMES.items()})
def s001_003(torch, call):
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    y = leaf(torch, [[0.5, 1.5], [2.5, 3.5]])
    out = call(x, y)
    return name_of(out.grad_fn), out.grad_fn.name(), out


FUNCTIONS = {
    "maximum": lambda torch, x, y: torch.maximum(x, y),
    "minimum": lambda torch, x, y: torch.minimum(x, y),
    "where": lambda torch, x, y: torch.where(x > 1, x, y),
    "cat": lambda torch, x, y: torch.cat([x, y]),
    "stack": lambda torch, x, y: torch.stack([x, y]),
    "atan2": lambda torch, x, y: torch.atan2(x, y),
    "asin": lambda torch, x, y: torch.asin(x / 10),
    "reciprocal": lambda torch, x, y: torch.reciprocal(x),
    "einsum": lambda torch, x, y: torch.einsum("ij,jk->ik", x, y),
    "relu": lambda torch, x, y: torch.relu(x),
    "flatten": lambda torch, x, y: torch.flatten(x),
    "log1p": lambda torch, x, y: torch.log1p(x),
    "expm1": lambda torch, x, y: torch.expm1(x),
    "dot": lambda torch, x, y: torch.dot(x[0], y[0]),
    "outer": lambda torch, x, y: torch.outer(x[0], y[0]),
    "addmm": lambda torch, x, y: torch.addmm(x, x, y),
    "lerp": lambda torch, x, y: torch.lerp(x, y, 0.5),
    "square": lambda torch, x, y: torch.square(x),
    "rsqrt": lambda torch, x, y: torch.rsqrt(x),
    "trace": lambda torch, x, y: torch.trace(x),
    "complex": lambda torch, x, y: torch.complex(x, y),
}


@each({name: (call,) for name, call in FUNCTIONS.items()})
def s001_003_function(torch, call):
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    y = leaf(torch, [[0.5, 1.5], [2.5, 3.5]])
    out = call(torch, x, y)
    return name_of(out.grad_fn), out


def s001_004(torch):
    x = leaf(torch, [3.0])
    y, steps = x, 0
    while y.item() > 1:
        y, steps = y / 2, steps + 1
    return steps, y.item(), y.requires_grad, y.grad_fn is not None


def s001_022(torch):
    p, x = torch.tensor([1.0]), leaf(torch, [1.0])
    return p.requires_grad, (p * x).requires_grad, ((p * x) + p).requires_grad


def s002_014(torch):
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, i):
            return i.exp()

        @staticmethod
        def backward(ctx, g):
            return g

    y = Exp.apply(leaf(torch, [1.0]))
    return name_of(y.grad_fn), str(y), torch.ones(1).grad_fn


def s003_009(torch):
    x = leaf(torch, [1.0])
    nodes = [(x * 2).grad_fn for _ in range(2)]
    return (
        nodes[0] is nodes[1],
        type(nodes[0]) is type(nodes[1]),
        isinstance(nodes[0], torch.autograd.graph.Node),
    )


def s004_020(torch):
    a, b = leaf(torch, [2.0, 3.0]), leaf(torch, [6.0, 4.0])
    q = 3 * a**3 - b**2
    return q, str(q)


def s004_024(torch):
    a, b = leaf(torch, [2.0, 3.0]), leaf(torch, [6.0, 4.0])
    q = 3 * a**3 - b**2
    mul, power = (node for node, _ in q.grad_fn.next_functions)
    cube = mul.next_functions[0][0]
    leaves = [cube.next_functions[0][0], power.next_functions[0][0]]
    chain = [q.grad_fn.name(), mul.name(), cube.name(), leaves[0].name()]
    return tree(q.grad_fn), chain, leaves[0].variable is a, leaves[1].variable is b


def s004_025(torch):
    seen = []
    x = leaf(torch, [2.0])
    for f in (lambda x: 3 * x, lambda x: x**2, lambda x: torch.cat([x, x]).sum() * 2):
        x.grad = None
        f(x).backward()
        seen.append(x.grad)
    return seen


def s004_026(torch):
    x, y = torch.rand(5, 5), torch.rand(5, 5)
    z = torch.rand((5, 5), requires_grad=True)
    a, b = x + y, x + z
    return (
        f"Does `a` require gradients?: {a.requires_grad}",
        f"Does `b` require gradients?: {b.requires_grad}",
    )


TREES = {
    "polynomial": lambda torch, x, y: x**2 + 3 * x - y,
    "shared": lambda torch, x, y: x * y + x / y,
    "constant": lambda torch, x, y: (x * torch.ones(2) + torch.ones(2)).sum(),
    "detached": lambda torch, x, y: x.detach() * y,
    "cat": lambda torch, x, y: torch.cat([x, torch.ones(1), y]),
    "views": lambda torch, x, y: x[None].t().reshape(2) + y[:1],
    "same twice": lambda torch, x, y: x + x,
    "where": lambda torch, x, y: torch.where(x > 0, x, y),
    "reductions": lambda torch, x, y: x.max() - y.mean() + x.var(),
}


@each({name: (call,) for name, call in TREES.items()})
def more_trees(torch, call):
    return tree(call(torch, leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])).grad_fn)
