"""When do hooks run, with what, and what may they change?"""

from tests.eager.rows.case import leaf, raises


def recorder(seen):
    return lambda g: seen.append(g.tolist())


def s003_049(torch):
    x, seen = leaf(torch, [1.0, 1.0]), []
    y = x * 2
    y.register_hook(recorder(seen))
    (y * 3).sum().backward(retain_graph=True)
    (y * 5).sum().backward()
    return seen, x.grad


def s003_050(torch):
    x, z = leaf(torch, [1.0, 1.0]), leaf(torch, [1.0, 1.0])
    y = x * 1
    y.register_hook(lambda g: g * 10)
    (y * 3 + z * 3).sum().backward()
    w = leaf(torch, [1.0])
    w.register_hook(lambda g: None)
    (w * 4).backward()
    return x.grad, z.grad, w.grad


def s003_050_leaf(torch):
    x = leaf(torch, [1.0, 1.0])
    x.register_hook(lambda g: g * 2)
    (x * 3).sum().backward()
    return x.grad


def s003_051(torch):
    x, order = leaf(torch, [1.0, 1.0]), []
    y = x * 2
    y.register_hook(lambda g: (order.append(1), g * 2)[1])
    y.register_hook(lambda g: (order.append(2), g + 8)[1])
    y.register_hook(lambda g: (order.append(3), None)[1])
    (y * 6).sum().backward()
    return x.grad, order


def s003_052(torch):
    seen = []
    for use in ("none", "with", "removed"):
        x = leaf(torch, [1.0, 1.0])
        handle = x.register_hook(lambda g: g * 7)
        if use == "removed":
            handle.remove()
            handle.remove()
        if use == "with":
            with handle:
                (x * 3).sum().backward()
            seen.append(x.grad.clone())
            x.grad = None
        (x * 3).sum().backward()
        seen.append(x.grad)
    return seen


def s003_052_inside(torch):
    x, seen = leaf(torch, [1.0]), []
    y = x * 2

    def once(g):
        seen.append(g.item())
        handle.remove()

    handle = y.register_hook(once)
    y.register_hook(lambda g: seen.append("second"))
    y.backward(retain_graph=True)
    y.backward()
    return seen


def s003_053(torch):
    x = leaf(torch, [1.0, 1.0])
    part = "cannot register a hook on a tensor that doesn't require gradient"
    refused = raises(lambda: torch.ones(1).register_hook(lambda g: g), part)
    y = x * 2
    y.register_hook(lambda g: 3)
    number = raises(lambda: y.sum().backward(), "expected Variable, but hook returned 'int'")
    z = x * 2
    z.register_hook(lambda g: torch.ones(3))
    size = raises(lambda: z.sum().backward(), "hook '<lambda>' has changed the size of value")
    return refused, number, size


def s003_053_dtype(torch):
    x = leaf(torch, [1.0, 1.0])
    y = x * 2
    y.register_hook(lambda g: g.double())
    return raises(lambda: y.sum().backward(), "has changed the type of value")


def s003_053_error(torch):
    x = leaf(torch, [1.0])
    y = x * 2

    def wrong(g):
        raise ValueError("in the hook")

    y.register_hook(wrong)
    return raises(lambda: y.backward(), "in the hook"), x.grad


def s003_054(torch):
    x, seen, calls = leaf(torch, [1.0, 1.0]), [], []
    x.register_hook(recorder(seen))
    (x * torch.tensor([2.0, 3.0]) + x * torch.tensor([3.0, 4.0])).sum().backward()
    y = leaf(torch, [1.0, 1.0])
    y.register_hook(lambda g: (calls.append(1), g * 2)[1])
    (y * 5 + y * 2).sum().backward()
    result = torch.autograd.grad((y * 3).sum(), y)
    return seen, y.grad, result, len(calls)


def s003_055(torch):
    seen = []
    for retain_first in (True, False):
        x = leaf(torch, [1.0, 1.0])
        y = x * 2
        if retain_first:
            y.retain_grad()
        y.register_hook(lambda g: g * 10)
        if not retain_first:
            y.retain_grad()
        y.register_hook(lambda g: g * 10)
        y.sum().backward()
        seen += [y.grad, x.grad]
    return seen


def s003_056(torch):
    x, seen = leaf(torch, [1.0, 1.0]), []

    def clear(param):
        seen.append((param is x, param.grad.tolist()))
        param.grad = None

    handle = x.register_post_accumulate_grad_hook(clear)
    (x * 2).sum().backward()
    cleared = x.grad
    handle.remove()
    (x * 2).sum().backward()
    part = "post accumulate grad hooks cannot be registered on non-leaf tensors"
    return (
        seen,
        cleared,
        x.grad,
        raises(lambda: (x * 2).register_post_accumulate_grad_hook(clear), part),
        raises(lambda: torch.ones(1).register_post_accumulate_grad_hook(clear), "doesn't require gradient"),
    )


def s003_056_order(torch):
    x, order = leaf(torch, [1.0]), []
    x.register_post_accumulate_grad_hook(lambda p: order.append("post"))
    x.register_post_accumulate_grad_hook(lambda p: order.append("post 2"))
    x.register_hook(lambda g: order.append("hook"))
    y = x * 2
    accumulate = y.grad_fn.next_functions[0][0]
    accumulate.register_hook(lambda *a: order.append("node hook"))
    accumulate.register_prehook(lambda *a: order.append("node prehook"))
    y.backward()
    torch.autograd.grad(x * 2, x)
    return order


def s003_056_returns(torch):
    x = leaf(torch, [1.0])
    x.register_post_accumulate_grad_hook(lambda p: 3)
    return raises(lambda: (x * 2).backward(), "hook returned 'int'")


def s003_057(torch):
    x = leaf(torch, [1.0, 2.0], "float64")
    y = x.detach().clone().requires_grad_()
    out = x * x
    seen = []

    def hook(g):
        seen.append(g.detach().tolist())
        return g * x

    out.register_hook(hook)
    (g,) = torch.autograd.grad(out.sum(), x, create_graph=True)
    return g, torch.autograd.grad(g.sum(), x), seen


def s003_057_leaf(torch):
    x = leaf(torch, [1.0, 2.0], "float64")
    calls = []
    x.register_hook(lambda g: (calls.append(1), 2 * g)[1])
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    return g, h, len(calls)


def s003_102(torch):
    x, order = leaf(torch, [1.0]), []
    y = x * 2
    y.grad_fn.register_hook(lambda *a: order.append("hook"))
    y.grad_fn.register_prehook(lambda *a: order.append("prehook"))
    y.register_hook(lambda g: order.append("tensor hook"))
    (y * 3).backward()
    return order


def s003_102_retain(torch):
    x, order = leaf(torch, [1.0]), []
    y = x * 2
    y.grad_fn.register_prehook(lambda g: (order.append(("prehook", y.grad.tolist())), (g[0] * 5,))[1])
    y.retain_grad()
    y.register_hook(lambda g: (order.append("hook"), g * 10)[1])
    (y * 3).backward()
    return order, y.grad, x.grad


def s003_105(torch):
    x, seen = leaf(torch, [1.0, 1.0]), []
    y = x * 2
    y.register_hook(lambda g: seen.append(("old", g.tolist())))
    y.mul_(3)
    y.register_hook(lambda g: seen.append(("new", g.tolist())))
    y.sum().backward()
    return seen, x.grad


def s003_105_view(torch):
    x, seen = leaf(torch, [1.0, 1.0, 1.0]), []
    y = x * 2
    y.register_hook(lambda g: seen.append(("base", g.tolist())))
    view = y[:2]
    view.register_hook(lambda g: seen.append(("view", g.tolist())))
    y[0] = 7
    y.register_hook(lambda g: seen.append(("after", g.tolist())))
    (y * 2).sum().backward()
    return seen, x.grad


def s003_105_replace(torch):
    x = leaf(torch, [1.0])
    y = x * 2
    y.register_hook(lambda g: g * 100)
    y.add_(1)
    y.register_hook(lambda g: g + 1)
    (y * 3).backward()
    return x.grad


def more_hook_gets_no_graph(torch):
    x, seen = leaf(torch, [1.0]), []
    y = x * x
    y.register_hook(lambda g: seen.append((g.requires_grad, torch.is_grad_enabled())))
    y.backward(retain_graph=True)
    y.backward(create_graph=True)
    x.grad = None
    return seen


def more_hook_same_gradient_two_consumers(torch):
    x, z = leaf(torch, [1.0]), leaf(torch, [1.0])
    a, b = x * 1, z * 1
    a.register_hook(lambda g: g * 0)
    (a + b).backward()
    return x.grad, z.grad


def more_hook_on_view(torch):
    x, seen = leaf(torch, [1.0, 2.0, 3.0]), []
    v = x[:2]
    v.register_hook(lambda g: (seen.append(g.tolist()), g * 2)[1])
    (v * 3).sum().backward()
    return seen, x.grad


def more_hook_with_inputs(torch):
    x, seen = leaf(torch, [1.0]), []
    y = x * 2
    x.register_hook(recorder(seen))
    (y * 3).backward(inputs=[y])
    first = list(seen)
    (x * 3).backward(inputs=[x])
    return first, seen, y.grad


def more_hook_twice_the_same(torch):
    x, seen = leaf(torch, [1.0]), []
    hook = recorder(seen)
    x.register_hook(hook)
    x.register_hook(hook)
    (x * 2).backward()
    return seen


def more_hook_backward_inside(torch):
    x, z = leaf(torch, [1.0]), leaf(torch, [3.0])

    def hook(g):
        with torch.enable_grad():
            (z * z).backward()

    y = x * 2
    y.register_hook(hook)
    y.backward()
    return x.grad, z.grad


def more_hook_changes_in_place(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 1
    y.register_hook(lambda g: g.clone().mul_(4))
    (y * 2).sum().backward()
    return x.grad


def more_hook_after_graph(torch):
    """A hook counts from its registration on, also if the graph is there already."""
    x, seen = leaf(torch, [1.0]), []
    y = x * 2
    z = y * 3
    y.register_hook(recorder(seen))
    x.register_hook(recorder(seen))
    z.backward()
    return seen


def more_hook_order_in_graph(torch):
    x, order = leaf(torch, [1.0]), []
    a = x * 2
    b = a * 3
    c = b + a
    for name, t in (("x", x), ("a", a), ("b", b), ("c", c)):
        t.register_hook(lambda g, name=name: order.append((name, g.item())))
    c.backward()
    return order


def more_hook_multi_output(torch):
    x, seen = leaf(torch, [[1.0, 2.0], [3.0, 4.0]]), []
    first, second = x.unbind()
    first.register_hook(lambda g: (seen.append(g.tolist()), g * 10)[1])
    (first + second * 2).sum().backward()
    return seen, x.grad


def more_hook_unused_output(torch):
    x, seen = leaf(torch, [[1.0, 2.0], [3.0, 4.0]]), []
    first, second = x.unbind()
    second.register_hook(lambda g: seen.append(g))
    first.sum().backward()
    return seen, x.grad


def more_hook_not_pickled(torch):
    x = leaf(torch, [1.0])
    x.register_hook(lambda g: g * 2)
    y = x.clone().detach().requires_grad_()
    (y * 3).backward()
    return y.grad


def more_multi_grad_hook(torch):
    x, y, seen = leaf(torch, [1.0]), leaf(torch, [2.0]), []
    handle = torch.autograd.graph.register_multi_grad_hook(
        (x, y), lambda grads: seen.append([None if g is None else g.item() for g in grads])
    )
    (x * 3 + y * 5).backward()
    (x * 3).backward()
    handle.remove()
    (x * y).backward()
    return seen


def more_multi_grad_hook_any(torch):
    x, y, seen = leaf(torch, [1.0]), leaf(torch, [2.0]), []
    torch.autograd.graph.register_multi_grad_hook((x, y), lambda g: seen.append(g.item()), mode="any")
    (x * 3).backward()
    return seen
