"""What does a node keep for backward, how can it be seen, and who may change it?"""

import gc
import weakref

import numpy as np

from tests.eager.rows.case import each, leaf, name_of, raises

TWICE = "Trying to backward through the graph a second time"


def square(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2 * x

    return Square


def s000_008(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    y = square(torch).apply(x)
    y.sum().backward()
    return y, x.grad


def s000_009(torch):
    seen = []

    class Three(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(b, None, a)
            return a * b

        @staticmethod
        def backward(ctx, g):
            saved = ctx.saved_tensors
            seen.append((type(saved), len(saved), saved[0] is y, saved[1], saved[2] is x))
            return g * saved[0], g * saved[2]

    x, y = leaf(torch, [2.0]), leaf(torch, [3.0])
    Three.apply(x, y).backward()
    return seen, x.grad, y.grad


@each({"int": (3, "int"), "array": (np.ones(1), "numpy.ndarray"), "list": ([1], "list"), "str": ("s", "str")})
def s000_010(torch, value, name):
    class Fn(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(value)
            return x * 1

    part = f"save_for_backward can only save variables, but argument 0 is of type {name}"
    return raises(lambda: Fn.apply(leaf(torch, [1.0])), part)


def s000_011(torch):
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor, label):
            ctx.factor, ctx.label = factor, label
            return x * factor

        @staticmethod
        def backward(ctx, g):
            assert ctx.label == "label"
            return g * ctx.factor, None, None

    x = leaf(torch, [1.0, 2.0])
    Scale.apply(x, 5.0, "label").sum().backward()
    return x.grad


def s000_012(torch):
    x = leaf(torch, [1.0, -2.0, 3.0, 0.5, 0.0])
    y = x.pow(2)
    return x.equal(y.grad_fn._saved_self), x is y.grad_fn._saved_self, str(x is y.grad_fn._saved_self)


def s000_013(torch):
    x = leaf(torch, [1.0, -2.0, 3.0, 0.5, 0.0])
    y = x.exp()
    return y.equal(y.grad_fn._saved_result), y is y.grad_fn._saved_result


def s000_014(torch):
    y = leaf(torch, [1.0, 2.0]).exp()
    saved = y.grad_fn._saved_result
    return saved.data_ptr() == y.data_ptr(), saved.grad_fn is y.grad_fn, saved.requires_grad, saved


ATTRIBUTES = {
    "mul": lambda x, y: x * y,
    "mul number": lambda x, y: x * 2,
    "pow": lambda x, y: x**2,
    "pow tensor": lambda x, y: x**y,
    "exp": lambda x, y: x.exp(),
    "log": lambda x, y: x.log(),
    "sin": lambda x, y: x.sin(),
    "tanh": lambda x, y: x.tanh(),
    "sigmoid": lambda x, y: x.sigmoid(),
    "sqrt": lambda x, y: x.sqrt(),
    "div": lambda x, y: x / y,
    "relu": lambda x, y: x.relu(),
    "abs": lambda x, y: x.abs(),
    "neg": lambda x, y: -x,
    "add": lambda x, y: x + y,
    "sum": lambda x, y: x.sum(),
    "matmul": lambda x, y: x[None] @ y[:, None],
    "max": lambda x, y: x.max(),
}


@each({name: (call,) for name, call in ATTRIBUTES.items()})
def s000_015(torch, call):
    node = call(leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])).grad_fn
    names = [name for name in dir(node) if name.startswith("_saved") and "sym" not in name]
    return [name for name in names if isinstance(getattr(node, name), torch.Tensor)]


def s000_015_exponent(torch):
    node = (leaf(torch, [1.0, 2.0]) ** 2).grad_fn
    return [name for name in dir(node) if name.startswith("_saved")], node._saved_exponent


def s000_015_constant(torch):
    x, c = leaf(torch, [1.0, 2.0]), torch.tensor([3.0, 4.0])
    node = (x * c).grad_fn
    return node._saved_self, node._saved_other is c


def s000_016(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x.exp()
    y.sum().backward(retain_graph=True)
    kept = y.grad_fn._saved_result
    y.sum().backward()
    return kept, raises(lambda: y.grad_fn._saved_result, TWICE, "Specify retain_graph=True")


def s000_016_pow(torch):
    y = leaf(torch, [1.0, 2.0]) ** 2
    y.sum().backward()
    return raises(
        lambda: y.grad_fn._saved_self, TWICE, "directly access saved tensors after they have already"
    )


@each(
    {"exp": (lambda x: x.exp(),), "mul": (lambda x: (x * x) * 3,), "view": (lambda x: x.tanh().view(2, 1),)}
)
def s000_017(torch, call):
    gc.collect()
    gc.disable()
    try:
        y = call(leaf(torch, [1.0, 2.0]))
        watch = weakref.ref(y)
        del y
        return watch() is None
    finally:
        gc.enable()


def hooks(torch, log, pack=None, unpack=None):
    def packed(x):
        log.append("pack")
        return pack(x) if pack else x

    def unpacked(x):
        log.append("unpack")
        return unpack(x) if unpack else x

    return torch.autograd.graph.saved_tensors_hooks(packed, unpacked)


def s000_018(torch):
    x, log = leaf(torch, [1.0, 2.0, 3.0]), []
    with hooks(torch, log):
        y = x**2
    before = list(log)
    y.sum().backward()
    return before, log, x.grad


def s000_018_outside(torch):
    x, log = leaf(torch, [1.0, 2.0]), []
    with hooks(torch, log):
        y = x + 1
    z = y.exp()
    z.sum().backward()
    return log


@each({name: (call,) for name, call in ATTRIBUTES.items() if name not in ("mul number", "max", "abs")})
def s000_018_counts(torch, call):
    log = []
    with hooks(torch, log):
        out = call(leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0]))
    packed = len(log)
    out.sum().backward()
    return packed, len(log)


def s000_019(torch):
    x, store = leaf(torch, [1.0, 2.0, 3.0]), {}

    def pack(t):
        store[len(store)] = t.detach().numpy().copy()
        return len(store) - 1

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda key: torch.from_numpy(store[key])):
        y = x**3
    y.sum().backward()
    return x.grad, sorted(store)


def s000_020(torch):
    x, seen = leaf(torch, [1.0, 2.0]), []

    def pack(t):
        seen.append(t)
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t * 2):
        y = x**2
    y.sum().backward()
    return seen[0], x.grad


def s000_020_saved_attribute(torch):
    x = leaf(torch, [1.0, 2.0])
    with torch.autograd.graph.saved_tensors_hooks(lambda t: 7, lambda k: torch.tensor([float(k), 1.0])):
        y = x**2
    return y.grad_fn._saved_self


def s000_021(torch):
    x, log = leaf(torch, [1.0]), []
    with hooks(torch, log):
        y = x**2
    y.backward(retain_graph=True)
    y.backward()
    return log, x.grad


def s000_022(torch):
    x, log = leaf(torch, [1.0]), []
    save = torch.autograd.graph.saved_tensors_hooks

    def named(name):
        return lambda t: (log.append(name), t)[1]

    with save(named("outer"), lambda t: t):
        with save(named("inner"), lambda t: t):
            x**2
        x.exp()
    return log


@each({"int": 3, "None": None, "str": "text"})
def s000_023(torch, value):
    x = leaf(torch, [1.0])
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: value):
        y = x**2
    part = f"unpack_hook expected to be a Tensor but got result of type {type(value).__name__}"
    return raises(lambda: y.backward(), part)


def s000_023_pack_raises(torch):
    def pack(t):
        raise ValueError("no room")

    def run():
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            leaf(torch, [1.0]) ** 2

    return raises(run, "no room"), raises(run, "no room"), (leaf(torch, [1.0]) ** 2)


def s000_024(torch):
    x, log = leaf(torch, [1.0, 2.0]), []
    with hooks(torch, log):
        y = square(torch).apply(x)
    y.sum().backward()
    return [entry for n, entry in enumerate(log) if entry not in log[:n]], x.grad


def s000_025(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x**2
    y.grad_fn._raw_saved_self.register_hooks(lambda t: t.detach() * 5, lambda t: t)
    y.sum().backward()
    return x.grad


def s000_025_twice(torch):
    y = leaf(torch, [1.0, 2.0]) ** 2
    raw = y.grad_fn._raw_saved_self
    raw.register_hooks(lambda t: t, lambda t: t)
    again = raises(lambda: raw.register_hooks(lambda t: t, lambda t: t), "hooks have already been set")
    return (
        name_of(raw),
        again,
        raises(lambda: (leaf(torch, [1.0]) ** 2).grad_fn._raw_saved_self.register_hooks(1, 2)),
    )


def s000_025_freed(torch):
    y = leaf(torch, [1.0, 2.0]) ** 2
    raw = y.grad_fn._raw_saved_self
    y.sum().backward()
    return raises(lambda: raw.register_hooks(lambda t: t, lambda t: t), "after it has been freed")


def s000_026(torch):
    graph = torch.autograd.graph

    def use():
        with graph.disable_saved_tensors_hooks("not here please"):
            with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
                pass

    x = leaf(torch, [1.0, 2.0])
    refused = raises(use, "not here please")
    with graph.save_on_cpu():
        y = x**3
    y.sum().backward()
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        after = (x**2).sum()
    return refused, x.grad, after


def s000_026_disable_inside(torch):
    graph = torch.autograd.graph

    def use():
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            with graph.disable_saved_tensors_hooks("no hooks"):
                pass

    return raises(use, "no hooks")


def s000_026_decorator(torch):
    @torch.autograd.graph.disable_saved_tensors_hooks("none")
    def f(x):
        return (x**2).sum()

    return f(leaf(torch, [1.0, 2.0]))


def more_saved_after_detach_in_hook(torch):
    x = leaf(torch, [1.0, 2.0])
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach() * 0 + 10, lambda t: t):
        y = x * x
    y.sum().backward()
    return x.grad


def more_saved_hooks_twice_used(torch):
    x, log = leaf(torch, [2.0]), []
    with hooks(torch, log):
        y = x * x
    y.backward()
    return log, x.grad


def more_saved_hooks_double_backward(torch):
    x, log = leaf(torch, [2.0], "float64"), []
    with hooks(torch, log):
        y = x**3
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        (h,) = torch.autograd.grad(g, x)
    return g, h, "pack" in log and "unpack" in log


def more_saved_version(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 1
    z = y**2
    y.add_(1)
    return raises(
        lambda: z.grad_fn._saved_self,
        "modified by an inplace operation",
        "is at version 1; expected version 0",
    )


def more_saved_two_graphs(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x.exp()
    a, b = y * 2, y * y
    a.sum().backward()
    return raises(lambda: b.sum().backward(), TWICE), x.grad
