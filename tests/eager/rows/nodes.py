"""What can be seen of the nodes of a graph, and done to them?"""

from tests.eager.rows.case import each, leaf, name_of, raises, text
from tests.eager.rows.function import exp_class


def s003_092(torch):
    Node = torch.autograd.graph.Node
    x = leaf(torch, [1.0])
    y = x * 2
    z = exp_class(torch).apply(x)
    accumulate = y.grad_fn.next_functions[0][0]
    nodes = (y.grad_fn, z.grad_fn, accumulate)
    return (
        [isinstance(n, Node) for n in nodes],
        [issubclass(type(n), Node) for n in nodes],
        y.grad_fn is y.grad_fn,
    )


def s003_093(torch):
    x = leaf(torch, [1.0])
    nodes = [(x * 2).grad_fn, x.sum().grad_fn, exp_class(torch).apply(x).grad_fn]
    return [(n.name(), type(n).__name__) for n in nodes]


def s003_094(torch):
    node = (leaf(torch, [1.0]) * 2).grad_fn
    empty = dict(node.metadata)
    node.metadata["mine"] = 5
    with torch.autograd.set_detect_anomaly(True):
        other = (leaf(torch, [1.0]) * 2).grad_fn
    return empty, node.metadata["mine"], list(other.metadata)


def s003_095(torch):
    x, c = leaf(torch, [1.0]), torch.ones(1)
    y = x * 2
    z = y + x
    accumulate = x.grad_fn, z.grad_fn.next_functions[1]
    first, second = torch.ones(2, 2, requires_grad=True).unbind()
    return (
        text(z.grad_fn.next_functions),
        name_of(accumulate[1][0]),
        (c * x).grad_fn.next_functions[0],
        (x * c).grad_fn.next_functions[1],
        (second * 1).grad_fn.next_functions[0][1],
        type(z.grad_fn.next_functions),
    )


NEXT = {
    "mul number": lambda t, x: x * 2,
    "rmul": lambda t, x: 2 * x,
    "add number": lambda t, x: x + 1,
    "sub": lambda t, x: 1 - x,
    "pow": lambda t, x: x**2,
    "cat": lambda t, x: t.cat([x, t.ones(1), x]),
    "stack": lambda t, x: t.stack([x, x]),
    "where": lambda t, x: t.where(x > 0, x, t.zeros(2)),
    "sum": lambda t, x: x.sum(),
    "matmul": lambda t, x: x @ t.ones(2),
    "view": lambda t, x: x.view(1, 2),
    "maximum": lambda t, x: t.maximum(x, t.zeros(2)),
    "clamp": lambda t, x: x.clamp(0, 1),
    "index": lambda t, x: x[[0, 1]],
    "div": lambda t, x: t.ones(2) / x,
    "max dim": lambda t, x: x.max(0)[0],
    "norm": lambda t, x: x.norm(),
}


@each({name: (call,) for name, call in NEXT.items()})
def s003_095_more(torch, call):
    node = call(torch, leaf(torch, [1.0, 2.0])).grad_fn
    return node.name(), [(name_of(below), number) for below, number in node.next_functions]


def s003_096(torch):
    x = leaf(torch, [1.0])
    y, z = x * 2, x + 3
    first, second = y.grad_fn.next_functions[0][0], z.grad_fn.next_functions[0][0]
    return first is second, first.variable is x, first.next_functions, type(first).__name__, first.name()


def s003_096_edge(torch):
    edge = torch.autograd.graph.get_gradient_edge
    x = leaf(torch, [1.0])
    y = x * 2
    of_leaf, of_inner = edge(x), edge(y)
    return (
        name_of(of_leaf.node),
        of_leaf.output_nr,
        of_inner.node is y.grad_fn,
        raises(lambda: edge(torch.ones(1))),
    )


def s003_097(torch):
    x, w, seen = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0]), []

    def hook(grad_inputs, grad_outputs):
        values = [[g.tolist() for g in gs] for gs in (grad_inputs, grad_outputs)]
        seen.append((type(grad_inputs), type(grad_outputs), *values))

    y = x * w
    y.grad_fn.register_hook(hook)
    (y * 2).sum().backward(retain_graph=True)
    (y * 3).sum().backward()
    return seen


def s003_097_none(torch):
    x, seen = leaf(torch, [1.0, 2.0]), []
    y = x * torch.ones(2)
    y.grad_fn.register_hook(lambda gi, go: seen.append([g is None for g in gi]))
    y.sum().backward()
    return seen


def s003_098(torch):
    x, w = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    y = x * w
    y.grad_fn.register_hook(lambda gi, go: (gi[0] * 10, gi[1]))
    z = x * 1
    z.grad_fn.register_hook(lambda gi, go: None)
    y.sum().backward()
    return x.grad, w.grad


def s003_099(torch):
    x, w = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    few = x * w
    few.grad_fn.register_hook(lambda gi, go: (gi[0],))
    part = "has returned an incorrect number of values (got 1, but expected 2)"
    number = raises(lambda: few.sum().backward(), "hook '<lambda>'", part)
    no_tuple = x * w
    no_tuple.grad_fn.register_hook(lambda gi, go: gi[0])
    kind = raises(lambda: no_tuple.sum().backward(), "expected tuple, but hook returned 'Tensor'")
    y = x * w
    handle = y.grad_fn.register_hook(lambda gi, go: (gi[0] * 9, gi[1] * 9))
    handle.remove()
    x.grad = None
    y.sum().backward()
    return number, kind, x.grad


def s003_100(torch):
    x, w, seen = leaf(torch, [1.0, 1.0]), leaf(torch, [2.0, 2.0]), []
    y = x * w
    y.grad_fn.register_prehook(lambda go: tuple(g * 7 for g in go))
    y.grad_fn.register_hook(lambda gi, go: seen.append((gi[0].tolist(), go[0].tolist())))
    y.sum().backward()
    return x.grad, seen


def s003_100_errors(torch):
    x = leaf(torch, [1.0, 1.0])
    y = x * 2
    y.grad_fn.register_prehook(lambda go: (go[0], go[0]))
    z = x * 2
    z.grad_fn.register_prehook(lambda go: 3)
    return raises(lambda: y.sum().backward(), "incorrect number of values"), raises(
        lambda: z.sum().backward()
    )


def s003_101(torch):
    x, seen = leaf(torch, [1.0, 1.0]), []
    y = x * 2
    node = y.grad_fn.next_functions[0][0]
    node.register_prehook(lambda go: (go[0] * 3,))
    node.register_hook(lambda gi, go: seen.append((gi, x.grad.tolist(), go[0].tolist())))
    y.sum().backward()
    return x.grad, seen


def s003_103(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 2
    z = y.exp()
    del y
    out = z.sum()
    del z
    out.backward()
    return x.grad


def s003_104(torch):
    x = leaf(torch, [1.5], "float64")
    y = x
    for n in range(5000):
        y = y * 1.0 + 0.0 if n % 2 else y + 0.0
    y.backward()
    return x.grad


def s003_104_dropped(torch):
    """A long graph that nobody wants any more goes without a crash."""
    y = leaf(torch, [1.5])
    for _ in range(20000):
        y = y + 1
    del y
    return "gone"


def s003_104_wide(torch):
    x = leaf(torch, [1.5], "float64")
    total = x * 0
    for n in range(1000):
        total = total + x * n
    total.backward()
    return x.grad


def more_deep_shared(torch):
    """Two to the power of 60 paths, 60 nodes."""
    x = leaf(torch, [1.0], "float64")
    y = x
    for _ in range(60):
        y = y + y
    y.backward()
    return x.grad


def more_node_called(torch):
    x = leaf(torch, [1.0, 2.0])
    add = (x + x).grad_fn
    return add(torch.tensor([3.0, 4.0])), (x.sum()).grad_fn(torch.tensor(2.0))


def more_sequence_numbers(torch):
    x = leaf(torch, [1.0])
    y = x * 2
    z = y * 3
    return z.grad_fn._sequence_nr() > y.grad_fn._sequence_nr()


def more_node_repr(torch):
    x = leaf(torch, [1.0])
    y = x.exp()
    return text(y.grad_fn), text(y.grad_fn.next_functions[0][0]), text(str(exp_class(torch).apply(x).grad_fn))


def more_node_hook_on_multi_output(torch):
    x, seen = leaf(torch, [[1.0, 2.0], [3.0, 4.0]]), []
    first, second = x.unbind()
    first.grad_fn.register_hook(lambda gi, go: seen.append([g is None for g in go]))
    first.grad_fn.register_prehook(lambda go: seen.append(len(go)))
    first.sum().backward()
    return seen, x.grad


def more_node_hook_during_grad(torch):
    x, seen = leaf(torch, [1.0]), []
    y = x * 2
    z = y * 3
    y.grad_fn.register_hook(lambda gi, go: seen.append("y"))
    torch.autograd.grad(z, y, retain_graph=True)
    torch.autograd.grad(z, x)
    return seen


def more_node_equality(torch):
    x = leaf(torch, [1.0])
    y = x * 2
    below = (y + 1).grad_fn.next_functions[0][0]
    return below is y.grad_fn, below == y.grad_fn, len({below, y.grad_fn}), hash(below) == hash(y.grad_fn)
