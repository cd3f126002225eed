"""In which order do hooks run, and what may they return?"""

import pytest

import ast_ad
from ast_ad.torch import autograd
from ast_ad.torch.autograd import Variable
from ast_ad.torch.autograd.graph import get_gradient_edge, increment_version, register_multi_grad_hook


def leaf(*values):
    return ast_ad.tensor(list(values) or [1.0, 2.0], requires_grad=True)


class Lost(autograd.Function):
    """Sends no gradient back."""

    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, g):
        return None


def listed(grads):
    return tuple(None if g is None else g.tolist() for g in grads)


def test_the_order():
    seen = []

    def note(what, result=None):
        def hook(*args):
            seen.append(what)
            return result

        return hook

    x = leaf()
    y = x * 2
    node = y.grad_fn
    y.retain_grad()
    node.register_hook(note("post"))
    node.register_prehook(note("pre"))
    y.register_hook(note("first", ast_ad.full((2,), 5.0)))
    y.register_hook(note("second"))
    x.register_hook(note("leaf"))
    x.register_post_accumulate_grad_hook(note("accumulated"))
    y.sum().backward()
    assert seen == ["first", "second", "pre", "post", "leaf", "accumulated"]
    assert (y.grad.tolist(), x.grad.tolist()) == ([5.0, 5.0], [10.0, 10.0])


def test_hooks_are_called_without_a_gradient():
    seen = []
    x = leaf()
    a = x * 1
    a.register_hook(lambda g: seen.append(("tensor", g)))
    a.grad_fn.register_prehook(lambda out: seen.append(("pre", out)))
    a.grad_fn.register_hook(lambda into, out: seen.append(("post", into, out)))
    Lost.apply(a).sum().backward()
    assert seen == [("tensor", None), ("pre", (None,)), ("post", (None, None), (None,))]
    a.register_hook(lambda g: ast_ad.ones(2))
    with pytest.raises(RuntimeError, match="can't replace a None gradient with a non-None value"):
        Lost.apply(a).sum().backward()


RETURNED = {
    "int": (3, "TypeError: expected Variable, but hook returned 'int'"),
    "tuple": ((ast_ad.ones(2),), "TypeError: expected Variable, but hook returned 'tuple'"),
    "shape": (ast_ad.ones(5), "RuntimeError: hook '<lambda>' has changed the size of value"),
    "dtype": (
        ast_ad.ones(2, dtype=ast_ad.float64),
        "RuntimeError: hook '<lambda>' has changed the type of value (was torch.FloatTensor got "
        "torch.DoubleTensor)",
    ),
}


@pytest.mark.parametrize("case", RETURNED)
def test_what_a_tensor_hook_must_not_return(case):
    result, message = RETURNED[case]
    x = leaf()
    x.register_hook(lambda g: result)
    with pytest.raises((RuntimeError, TypeError)) as caught:
        (x * 3).sum().backward()
    assert f"{type(caught.value).__name__}: {caught.value}" == message


OF_NODES = {
    "int": (3, "TypeError: expected tuple, but hook returned 'int'"),
    "tensor": (ast_ad.ones(2), "TypeError: expected tuple, but hook returned 'Tensor'"),
    "length": (
        (None, None, None),
        "RuntimeError: hook '<lambda>' has returned an incorrect number of values (got 3",
    ),
    "item": ((3,), "TypeError: expected Variable, but hook returned 'int'"),
    "shape": ((ast_ad.ones(5),), "RuntimeError: hook '<lambda>' has changed the size of value"),
}


@pytest.mark.parametrize("case", OF_NODES)
def test_what_a_hook_of_a_node_must_not_return(case):
    result, message = OF_NODES[case]
    for register in ("register_hook", "register_prehook"):
        x = leaf()
        y = -x
        getattr(y.grad_fn, register)(lambda *grads: result)
        with pytest.raises((RuntimeError, TypeError)) as caught:
            y.sum().backward()
        assert f"{type(caught.value).__name__}: {caught.value}".startswith(message)


def test_a_post_accumulate_hook_returns_nothing():
    x = leaf()
    x.register_post_accumulate_grad_hook(lambda t: t)
    with pytest.raises(RuntimeError, match="Tensor post accumulate grad hooks should return None."):
        (x * 3).sum().backward()


def test_only_what_is_needed_runs_its_hooks():
    seen = []
    x, y = leaf(), leaf()
    z = x * y
    for name, t in (("x", x), ("y", y), ("z", z)):
        t.register_hook(lambda g, name=name: seen.append(name))
    autograd.grad((z + y).sum(), x)
    assert seen == ["z", "x"]


def test_a_gradient_that_is_asked_for_on_the_way_is_that_before_the_hooks():
    x = leaf()
    y = x * 2
    y.register_hook(lambda g: g * 10)
    assert listed(autograd.grad(y.sum(), [x, y], retain_graph=True)) == ([20.0, 20.0], [1.0, 1.0])
    assert listed(autograd.grad(y.sum(), y)) == ([10.0, 10.0],)


def test_a_hook_may_remove_itself():
    x = leaf()
    handle = x.register_hook(lambda g: handle.remove() or g * 3)
    x.register_hook(lambda g: g + 1)
    (x * 1).sum().backward()
    (x * 1).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_nodes_can_be_called():
    x = leaf()
    assert listed((x * 3).grad_fn(ast_ad.ones(2))) == ([3.0, 3.0], None)
    accumulator = (-x).grad_fn.next_functions[0][0]
    assert accumulator(ast_ad.ones(2)) == () and x.grad.tolist() == [1.0, 1.0]
    assert (-x).grad_fn(None) is None
    with pytest.raises(TypeError, match="expected 1 arguments, got 2 instead"):
        (-x).grad_fn(ast_ad.ones(2), ast_ad.ones(2))


# ----- hooks of several tensors, and edges


def test_a_hook_of_several_tensors():
    a, b, c, unused = leaf(), leaf(), leaf(), leaf()
    seen, first = [], []
    register_multi_grad_hook((a, b, c, unused), lambda grads: seen.append(listed(grads)))
    register_multi_grad_hook((a, b), lambda g: first.append(g.tolist()), mode="any")
    y = a * b
    z = y * c
    z.sum().backward(retain_graph=True)
    y.sum().backward(retain_graph=True)
    z.sum().backward(inputs=[a, c])
    full, part = [1.0, 4.0], [1.0, 2.0]
    assert seen == [(full, full, full, None), (part, part, None, None), (full, None, full, None)]
    assert first == [full, part, full]


def test_the_handle_of_several_hooks():
    a, b = leaf(), leaf()
    seen = []
    handle = register_multi_grad_hook((a, b), seen.append)
    handle.remove()
    (a * b).sum().backward()
    assert not seen
    with pytest.raises(ValueError, match=r"Expects mode to be one of \('all', 'any'\) but got x"):
        register_multi_grad_hook((a,), seen.append, mode="x")


def test_edges_stand_for_tensors():
    x = leaf()
    y = x * x
    at_x, at_y = get_gradient_edge(x), get_gradient_edge(y)
    assert (type(at_x.node).__name__, at_y.node is y.grad_fn, at_y.output_nr) == ("AccumulateGrad", True, 0)
    z = (y * 3).sum()
    assert listed(autograd.grad(z, [at_y, at_x], retain_graph=True)) == ([3.0, 3.0], [6.0, 12.0])
    z.backward(inputs=[at_x], retain_graph=True)
    autograd.backward(at_y, grad_tensors=ast_ad.ones(2))
    assert x.grad.tolist() == [8.0, 16.0]
    with pytest.raises(
        RuntimeError, match="It is not possible to get the gradient edge for a Tensor that does not"
    ):
        get_gradient_edge(ast_ad.ones(2))


def test_versions_may_be_counted_up():
    x = leaf() * 1
    y = x * x
    increment_version([x])
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
        y.sum().backward()


def test_callbacks_run_at_the_end():
    seen = []
    engine = Variable._execution_engine
    x = leaf()
    y = x * 2
    y.register_hook(lambda g: engine.queue_callback(lambda: seen.append(x.grad.tolist())))
    y.sum().backward()
    assert seen == [[2.0, 2.0]]
    with pytest.raises(RuntimeError, match="Final callbacks can only be installed during backward pass."):
        engine.queue_callback(print)
