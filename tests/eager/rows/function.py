"""What does a custom Function do, as its author expects it?"""

from tests.eager.rows.case import leaf, name_of, raises, tree


def make(torch, forward, backward, **more):
    """A Function with these two static methods."""
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Fn", (torch.autograd.Function,), body | {name: staticmethod(f) for name, f in more.items()})


def exp_class(torch):
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, i):
            result = i.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, grad_output):
            (result,) = ctx.saved_tensors
            return grad_output * result

    return Exp


def s003_058(torch):
    x = leaf(torch, [0.0, 1.0])
    y = exp_class(torch).apply(x)
    shown = str(y), type(y.grad_fn).__name__, y.grad_fn.name()
    y.sum().backward()
    return shown, x.grad


def s003_059(torch):
    modes = []

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            modes.append(torch.is_grad_enabled())
            y = x * 2
            modes.append(y.requires_grad)
            return y

        @staticmethod
        def backward(ctx, g):
            return g * 1000

    x = leaf(torch, [1.0])
    y = Double.apply(x)
    applied = name_of(y.grad_fn), list(modes)
    modes.clear()
    direct = Double.forward(None, x)
    y.backward()
    return applied, name_of(direct.grad_fn), modes, x.grad


def s003_060(torch):
    Fn = make(torch, lambda ctx, x: x * 2, lambda ctx, g: g)
    x = leaf(torch, [1.0])
    plain = Fn.apply(torch.ones(1))
    with torch.no_grad():
        off = Fn.apply(x)
    return plain.grad_fn, off.requires_grad, plain.is_leaf, off


def s003_061(torch):
    seen = []

    def forward(ctx, x, y, number):
        seen.append(ctx.needs_input_grad)
        return x * y

    def backward(ctx, g):
        seen.append(ctx.needs_input_grad)
        return g, g, None

    Fn = make(torch, forward, backward)
    Fn.apply(leaf(torch, [1.0]), torch.ones(1), 3).backward()
    return seen


def s003_062(torch):
    seen = []

    def forward(ctx, x):
        return x * 5, x * 2

    def backward(ctx, g, h):
        seen.append([None if one is None else one.tolist() for one in (g, h)])
        return g * 5 + h * 2

    x = leaf(torch, [1.0, 1.0])
    make(torch, forward, backward).apply(x)[0].sum().backward()

    def forward_none(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 5, x * 2

    def backward_none(ctx, g, h):
        seen.append([g is None, None if h is None else h.tolist()])
        return h * 2

    y = leaf(torch, [1.0, 1.0])
    make(torch, forward_none, backward_none).apply(y)[1].sum().backward()
    return x.grad, y.grad, seen


def s003_063(torch):
    def forward(ctx, x):
        index = (x > 1).clone()
        other = x * 3
        ctx.mark_non_differentiable(index, other)
        return x * 2, index, other

    def backward(ctx, g, *rest):
        return g * 2

    x = leaf(torch, [1.0, 2.0])
    y, index, other = make(torch, forward, backward).apply(x)
    y.sum().backward()
    return y.requires_grad, index.requires_grad, other.requires_grad, other.grad_fn, index, x.grad


def s003_064(torch):
    class AddOne(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.add_(1)
            return x

        @staticmethod
        def backward(ctx, g):
            return g

    x = leaf(torch, [1.0, 2.0])
    y = x * 1
    z = AddOne.apply(y)
    state = z is y, name_of(y.grad_fn), tree(y.grad_fn), y.detach().clone(), y._version
    (y * 7).sum().backward()
    part = "a leaf Variable that requires grad has been used in an in-place operation."
    return state, x.grad, raises(lambda: AddOne.apply(leaf(torch, [1.0])), part)


def s003_065(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x**3

        @staticmethod
        def setup_context(ctx, inputs, output):
            (x,) = inputs
            ctx.save_for_backward(x)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 3 * x**2

    x = leaf(torch, [1.0, 2.0])
    y = Cube.apply(x)
    y.sum().backward()
    return y, x.grad


def s003_065_several(torch):
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(x, y, scale):
            return x * y * scale, x + y

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs[:2])
            ctx.scale, ctx.count = inputs[2], len(output)

        @staticmethod
        def backward(ctx, g, h):
            x, y = ctx.saved_tensors
            return g * y * ctx.scale + h, g * x * ctx.scale + h, None

    x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    a, b = Both.apply(x, y, 2.0)
    (a + b * 10).sum().backward()
    return x.grad, y.grad


def s003_072(torch):
    class Cubed(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**4

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 4 * x**3

    x, seen = leaf(torch, [1.0, 2.0], "float64"), []
    g = Cubed.apply(x)
    for _ in range(3):
        (g,) = torch.autograd.grad(g.sum(), x, create_graph=True)
        seen.append(g.detach())
    return seen


def s003_074(torch):
    class Ident(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = leaf(torch, [1.0, 1.0])
    y = Ident.apply(x)
    y.sum().backward()
    z = torch.ones(2)
    return y is x, name_of(y.grad_fn), x.grad, Ident.apply(z).requires_grad, y.data_ptr() == x.data_ptr()


def s003_075(torch):
    Fn = make(torch, lambda ctx, x: x * 2, lambda ctx, g: None)
    x = leaf(torch, [1.0])
    Fn.apply(x).backward()
    return x.grad, torch.autograd.grad(Fn.apply(x), x, allow_unused=True)


def s003_075_inner(torch):
    """A gradient that is None stops there: what is before gets none."""
    seen = []
    Fn = make(torch, lambda ctx, x: x * 2, lambda ctx, g: None)
    x = leaf(torch, [1.0])
    y = x * 3
    y.register_hook(lambda g: seen.append(g))
    Fn.apply(y).backward()
    return x.grad, seen


def s003_076(torch):
    seen = []
    Fn = make(torch, lambda ctx, x: x * 2, lambda ctx, g: (seen.append(torch.is_grad_enabled()), g * 2)[1])
    x = leaf(torch, [1.0])
    y = Fn.apply(x)
    y.backward(retain_graph=True)
    torch.autograd.grad(y, x, create_graph=True)
    return seen


def more_function_tuple_and_list(torch):
    Fn = make(torch, lambda ctx, x: (x * 2, x * 3), lambda ctx, g, h: g * 2 + h * 3)
    x = leaf(torch, [1.0])
    result = Fn.apply(x)
    (result[0] * 10 + result[1]).backward()
    return type(result), len(result), x.grad, [name_of(r.grad_fn) for r in result]


def more_function_non_tensor_output(torch):
    Fn = make(torch, lambda ctx, x: (x * 2, 7, "text", None), lambda ctx, g, *rest: g * 2)
    x = leaf(torch, [1.0])
    result = Fn.apply(x)
    result[0].backward()
    return result[1:], x.grad


def more_function_node_attributes(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.note = "kept"
        return x * 2

    x = leaf(torch, [3.0])
    node = make(torch, forward, lambda ctx, g: g * 2).apply(x).grad_fn
    return node.note, node.saved_tensors, isinstance(node, torch.autograd.graph.Node), node.needs_input_grad


def more_function_two_uses(torch):
    Exp = exp_class(torch)
    x = leaf(torch, [0.5], "float64")
    y = Exp.apply(Exp.apply(x)) * Exp.apply(x)
    y.backward()
    return y, x.grad


def more_function_saves_output_and_input(torch):
    def forward(ctx, x):
        y = x.tanh()
        ctx.save_for_backward(x, y)
        return y

    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * (1 - y * y) + x * 0

    x = leaf(torch, [0.5, -1.0], "float64")
    y = make(torch, forward, backward).apply(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return g, torch.autograd.grad(g.sum(), x)


def more_function_saves_intermediate(torch):
    def forward(ctx, x):
        middle = x * 3
        ctx.save_for_backward(middle)
        return middle**2

    def backward(ctx, g):
        (middle,) = ctx.saved_tensors
        return g * 2 * middle * 3

    x = leaf(torch, [1.0, 2.0])
    make(torch, forward, backward).apply(x).sum().backward()
    return x.grad


def more_function_of_inner(torch):
    Exp = exp_class(torch)
    x = leaf(torch, [0.5, 1.0], "float64")
    y = Exp.apply(x * 2).sum() + (Exp.apply(x)[0] * x[1])
    y.backward()
    return y, x.grad


def more_function_view_output(torch):
    Fn = make(torch, lambda ctx, x: x.view(2, 1), lambda ctx, g: g.view(2) * 3)
    x = leaf(torch, [1.0, 2.0])
    y = Fn.apply(x)
    y.sum().backward()
    return name_of(y.grad_fn), y, x.grad


def more_function_keyword_defaults(torch):
    class Power(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, power=2):
            ctx.save_for_backward(x)
            ctx.power = power
            return x**power

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * ctx.power * x ** (ctx.power - 1), None

    x = leaf(torch, [1.0, 2.0])
    Power.apply(x).sum().backward()
    first = x.grad.clone()
    x.grad = None
    Power.apply(x, 3).sum().backward()
    return first, x.grad


def more_function_subclass(torch):
    class Exp2(exp_class(torch)):
        @staticmethod
        def backward(ctx, g):
            return g * 0

    x = leaf(torch, [1.0])
    y = Exp2.apply(x)
    y.backward()
    return name_of(y.grad_fn), x.grad


def more_function_complex(torch):
    Fn = make(torch, lambda ctx, z: z * 2j, lambda ctx, g: g * -2j)
    z = leaf(torch, [1 + 1j], "complex128")
    Fn.apply(z).abs().sum().backward()
    return z.grad


def more_function_vjp_name(torch):
    class Fn(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 2

    x = leaf(torch, [1.0])
    Fn.apply(x).backward()
    return x.grad


def more_function_enable_grad_inside(torch):
    """A derivative by a nested graph, as checkpointing does it."""

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin() * x

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            inner = x.detach().requires_grad_()
            out = inner.sin() * inner
        return torch.autograd.grad(out, inner, g)[0]

    x = leaf(torch, [1.0, 2.0], "float64")
    make(torch, forward, backward).apply(x).sum().backward()
    return x.grad
