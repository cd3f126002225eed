"""Which mistakes in a custom Function are noticed, and how?"""

from tests.eager.rows.case import each, leaf, raises
from tests.eager.rows.function import exp_class, make


def s003_066(torch):
    once = torch.autograd.function.once_differentiable

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @once
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]

    Fn = make(torch, forward, backward)
    x = leaf(torch, [1.0, 2.0], "float64")
    Fn.apply(x).sum().backward()
    (g,) = torch.autograd.grad((Fn.apply(x) ** 2).sum(), x, create_graph=True)
    part = "trying to differentiate twice a function that was marked with @once_differentiable"
    return x.grad, raises(lambda: g.sum().backward(), part)


def s003_067(torch):
    few = make(torch, lambda ctx, x, y: x * y, lambda ctx, g: g)
    many = make(torch, lambda ctx, x, y: x * y, lambda ctx, g: (g, g, g))
    nones = make(torch, lambda ctx, x: x * 1, lambda ctx, g: (g, None, None))
    x, y = leaf(torch, [1.0]), leaf(torch, [2.0])
    part = "function FnBackward returned an incorrect number of gradients"
    first = raises(lambda: few.apply(x, y).backward(), part, "(expected 2, got 1)")
    second = raises(lambda: many.apply(x, y).backward(), part, "(expected 2, got 3)")
    nones.apply(x).backward()
    return first, second, x.grad


def s003_068(torch):
    wrong = make(torch, lambda ctx, x: x * 1, lambda ctx, g: torch.ones(5))
    broadcast = make(torch, lambda ctx, x: x * 1, lambda ctx, g: torch.ones(4, 2))
    x = leaf(torch, [1.0, 2.0])
    part = "returned an invalid gradient at index 0 - got [5] but expected shape compatible with [2]"
    first = raises(lambda: wrong.apply(x).sum().backward(), part)
    broadcast.apply(x).sum().backward()
    return first, x.grad


def s003_068_dtype(torch):
    Fn = make(torch, lambda ctx, x: x * 1, lambda ctx, g: g.double() * 2)
    x = leaf(torch, [1.0, 2.0])
    Fn.apply(x).sum().backward()
    return x.grad


@each({"int": 3, "list": [1.0], "str": "g"})
def s003_068_type(torch, value):
    Fn = make(torch, lambda ctx, x: x * 1, lambda ctx, g: value)
    return raises(lambda: Fn.apply(leaf(torch, [1.0])).backward(), "expected Variable")


def s003_069(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    Fn = make(torch, forward, lambda ctx, g: g * 2 * ctx.saved_tensors[0])
    y = leaf(torch, [1.0, 2.0]) + 0
    z = Fn.apply(y)
    y.add_(1)
    part = "one of the variables needed for gradient computation has been modified by an inplace operation"
    return raises(
        lambda: z.sum().backward(), part, "[torch.FloatTensor [2]], which is output 0 of Add, is at version 1"
    )


def s003_070(torch):
    y = exp_class(torch).apply(leaf(torch, [1.0]))
    count = len(y.grad_fn.saved_tensors)
    y.backward()
    part = "Trying to backward through the graph a second time"
    return count, raises(lambda: y.grad_fn.saved_tensors, part), raises(lambda: y.backward(), part)


def s003_071(torch):
    class Fn(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    y = Fn.apply(leaf(torch, [1.0]))
    part = "You must implement either the backward or vjp method for your custom autograd.Function"
    return y, raises(lambda: y.backward(), part)


def s003_071_no_forward(torch):
    class Fn(torch.autograd.Function):
        @staticmethod
        def backward(ctx, g):
            return g

    return raises(lambda: Fn.apply(leaf(torch, [1.0])), "You must implement the forward function")


def s003_073(torch):
    class Old(torch.autograd.Function):
        def forward(self, x):
            return x

        def backward(self, g):
            return g

    class New(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g

    part = "Legacy autograd function with non-static forward method is deprecated"
    x = leaf(torch, [1.0])
    return raises(lambda: Old()(x), part), raises(lambda: New()(x), part)


def more_error_in_backward(torch):
    def backward(ctx, g):
        raise ValueError("mine")

    Fn = make(torch, lambda ctx, x: x * 1, backward)
    x, y = leaf(torch, [1.0]), leaf(torch, [1.0])
    out = Fn.apply(x) + y
    return raises(lambda: out.backward(), "mine"), torch.is_grad_enabled(), x.grad


def more_error_in_forward(torch):
    def forward(ctx, x):
        raise KeyError("mine")

    Fn = make(torch, forward, lambda ctx, g: g)
    return raises(lambda: Fn.apply(leaf(torch, [1.0])), "mine"), torch.is_grad_enabled()


def more_saved_after_forward_changed(torch):
    """What forward itself changes after saving it is noticed too."""

    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        y.mul_(2)
        return y

    Fn = make(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0])
    x = leaf(torch, [0.0, 1.0])
    Fn.apply(x).sum().backward()
    return x.grad


def more_output_changed_in_place(torch):
    y = exp_class(torch).apply(leaf(torch, [0.0, 1.0]))
    y.mul_(2)
    return raises(
        lambda: y.sum().backward(), "modified by an inplace operation", "is at version 1; expected version 0"
    )


def more_several_outputs_view_in_place(torch):
    Fn = make(torch, lambda ctx, x: (x.view(2, 1), x * 2), lambda ctx, g, h: g.view(2) + h)
    first, second = Fn.apply(leaf(torch, [1.0, 2.0]) * 1)
    return raises(lambda: first.add_(1), "is a view and is being modified inplace"), second.add_(1)


def more_double_backward_needs_graph(torch):
    def forward(ctx, x):
        ctx.x = x.detach()
        return x**3

    Fn = make(torch, forward, lambda ctx, g: g * 3 * ctx.x**2)
    x = leaf(torch, [2.0], "float64")
    (g,) = torch.autograd.grad(Fn.apply(x), x, create_graph=True)
    return g.detach(), g.requires_grad


def more_mark_dirty_not_returned(torch):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.add_(1)
        return x * 2

    Fn = make(torch, forward, lambda ctx, g: g * 2)
    return raises(lambda: Fn.apply(leaf(torch, [1.0]) * 1))


def more_save_list(torch):
    Fn = make(torch, lambda ctx, x: (ctx.save_for_backward([x]), x * 1)[1], lambda ctx, g: g)
    return raises(lambda: Fn.apply(leaf(torch, [1.0])), "save_for_backward can only save variables")


def more_none_for_needed(torch):
    Fn = make(torch, lambda ctx, x, y: x * y, lambda ctx, g: (g, None))
    x, y = leaf(torch, [1.0]), leaf(torch, [1.0])
    Fn.apply(x, y).backward()
    part = "at index 0 appears to not have been used in the graph"
    return x.grad, y.grad, raises(lambda: torch.autograd.grad(Fn.apply(x, y), y), part)
