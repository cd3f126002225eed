"""Does ``autograd.Function`` behave as PyTorch's? What is expected here was seen there."""

import gc
import weakref

import numpy as np
import pytest

import ast_ad
from ast_ad.torch import autograd
from ast_ad.torch.autograd import Function
from ast_ad.torch.autograd.function import BackwardCFunction, FunctionCtx, once_differentiable


def leaf(*values, dtype=None):
    return ast_ad.tensor(list(values) or [1.0, 2.0], dtype=dtype, requires_grad=True)


def function(forward, backward=None, **methods):
    """A Function of the name Fn."""
    given = {"forward": forward, **methods}
    if backward is not None:
        given["backward"] = backward
    return type("Fn", (Function,), {name: staticmethod(method) for name, method in given.items()})


def double(ctx, x):
    return x * 2


def pass_on(ctx, g):
    return g


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        return g * result


# ----- the node and the context


def test_the_context_is_the_node():
    seen = []

    def forward(ctx, x, k):
        ctx.k = k
        seen.append(ctx)
        assert ctx.needs_input_grad == (True, False)
        assert not ast_ad.is_grad_enabled()
        return x * k

    def backward(ctx, g):
        seen.append(ctx)
        return g * ctx.k, None

    x = leaf()
    y = function(forward, backward).apply(x, 3)
    y.backward(ast_ad.ones(2))
    assert seen[0] is seen[1] is y.grad_fn
    assert isinstance(y.grad_fn, (BackwardCFunction, FunctionCtx, autograd.graph.Node))
    assert type(y.grad_fn).__name__ == y.grad_fn.name() == "FnBackward"
    assert y.grad_fn.next_functions[0][0].variable is x
    assert y.grad_fn.k == 3
    assert x.grad.tolist() == [3.0, 3.0]


NAMES = (
    "number",
    "outputs",
    "edges",
    "live",
    "meta",
    "hooks",
    "values",
    "checks",
    "backward",
    "release",
    "slice",
)


@pytest.mark.parametrize("name", NAMES)
def test_attributes_of_a_context_do_not_disturb_the_engine(name):
    def forward(ctx, x):
        setattr(ctx, name, 5)
        return x * 2

    x = leaf()
    y = function(forward, lambda ctx, g: g * getattr(ctx, name)).apply(x)
    (y * y.detach()).sum().backward()
    assert x.grad.tolist() == [10.0, 20.0]
    assert getattr(y.grad_fn, name) == 5


def test_nothing_is_recorded_without_need():
    seen = []

    def forward(ctx, x):
        seen.append(ctx.needs_input_grad)
        return x * 2

    double_it = function(forward, pass_on)
    with ast_ad.no_grad():
        assert not double_it.apply(leaf()).requires_grad
    assert double_it.apply(leaf().detach()).grad_fn is None
    assert double_it.apply(leaf()).requires_grad
    assert seen == [(True,), (False,), (True,)]


def test_a_node_is_freed_with_its_output_and_outlives_it():
    y = Exp.apply(leaf())
    node = y.grad_fn
    del y
    assert node.saved_tensors[0].tolist() == pytest.approx([np.e, np.e**2])
    gone = weakref.ref(node)
    gc.disable()
    try:
        del node
        assert gone() is None
    finally:
        gc.enable()


def test_a_node_cannot_be_called():
    with pytest.raises(TypeError, match="'CubeBackward' object is not callable"):
        Cube.apply(leaf()).grad_fn(ast_ad.ones(2))


# ----- outputs


def test_what_forward_may_return():
    assert function(lambda ctx, x: None).apply(leaf()) is None
    assert function(lambda ctx, x: 3).apply(leaf()) == 3
    y, k, nothing = function(lambda ctx, x: (x * 2, 3, None)).apply(leaf())
    assert (y.requires_grad, k, nothing) == (True, 3, None)
    (listed,) = function(lambda ctx, x: [x * 2]).apply(leaf())
    assert not listed.requires_grad
    assert not function(lambda ctx, x: x > 1).apply(leaf()).requires_grad


def test_an_input_that_is_returned_becomes_another_tensor():
    x = leaf()
    y = function(lambda ctx, x: x, lambda ctx, g: g * 2).apply(x)
    assert y is not x and y._base is x and type(y.grad_fn).__name__ == "FnBackward"
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    plain = leaf().detach()
    assert function(lambda ctx, x: x).apply(plain)._base is plain


@pytest.mark.parametrize("forward", [lambda ctx, x: x, lambda ctx, x: x.view(-1)])
def test_views_of_inputs_must_not_be_changed(forward):
    y = function(forward, pass_on).apply(leaf() * 1)
    with pytest.raises(
        RuntimeError, match="Output 0 of Fn is a view and is being modified inplace. This view"
    ):
        y.add_(1)


def test_several_views_must_not_be_changed():
    a, _ = function(lambda ctx, x: (x[0], x[1]), lambda ctx, g, h: ast_ad.stack([g, h])).apply(leaf() * 1)
    with pytest.raises(RuntimeError, match="is the output of a function that returns multiple views"):
        a.mul_(2)


def test_gradients_of_unused_outputs():
    seen = []

    def run(materialize):
        def forward(ctx, x):
            ctx.set_materialize_grads(materialize)
            return x * 2, x * 3, 5

        def backward(ctx, g, h, k):
            seen.append((g if g is None else g.tolist(), h.tolist(), k))
            return h

        _, z, _ = function(forward, backward).apply(leaf())
        z.sum().backward()

    run(True)
    run(False)
    assert seen == [([0.0, 0.0], [1.0, 1.0], None), (None, [1.0, 1.0], None)]


def test_no_gradient_comes_as_zeros_and_goes_as_none():
    """None from a backward reaches the nodes behind, which turn it into zeros or pass it on."""
    seen = []

    def watch(materialize):
        def forward(ctx, x):
            ctx.set_materialize_grads(materialize)
            return x * 3

        def backward(ctx, g):
            seen.append(g if g is None else g.tolist())
            return g

        return function(forward, backward)

    lost = function(double, lambda ctx, g: None)
    x, y = leaf(), leaf()
    lost.apply(watch(True).apply(x)).sum().backward()
    lost.apply(watch(False).apply(y)).sum().backward()
    assert seen == [[0.0, 0.0], None]
    assert x.grad.tolist() == [0.0, 0.0] and y.grad is None
    assert autograd.grad(lost.apply(x * 2).sum(), x, allow_unused=True) == (None,)


def test_outputs_marked_as_constants():
    def forward(ctx, x):
        mask = (x > 1).to(x.dtype)
        ctx.mark_non_differentiable(mask)
        return mask, x * 3

    x = leaf()
    mask, y = function(forward, lambda ctx, g, h: g + h).apply(x)
    assert not mask.requires_grad and y.output_nr == 1
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


# ----- changes in place


def relu_in_place(ctx, x):
    ctx.mark_dirty(x)
    x[x < 0] = 0
    ctx.save_for_backward(x)
    return x


def relu_backward(ctx, g):
    (y,) = ctx.saved_tensors
    return g * (y > 0).to(g.dtype)


def test_an_input_changed_in_place_is_the_output():
    x = leaf(-1.0, 2.0)
    a = x * 3
    version = a._version
    y = function(relu_in_place, relu_backward).apply(a)
    assert y is a and type(a.grad_fn).__name__ == "FnBackward" and a._version == version + 2
    (y * y).sum().backward()
    assert x.grad.tolist() == [0.0, 36.0]


def test_a_view_changed_in_place_changes_the_history_of_its_base():
    x = leaf(-1.0, 2.0)
    a = x * 3
    v = a[1:]
    y = function(relu_in_place, relu_backward).apply(v)
    assert y is v and type(a.grad_fn).__name__ == "CopySlices"
    (a * a).sum().backward()
    assert x.grad.tolist() == [-18.0, 36.0]


def test_what_must_not_be_changed_in_place():
    relu = function(relu_in_place, relu_backward)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used in an in-place"):
        relu.apply(leaf())
    with pytest.raises(
        RuntimeError, match="a view of a leaf Variable that requires grad is being used in an"
    ):
        relu.apply(leaf()[:1])

    def forgetful(ctx, x):
        ctx.mark_dirty(x)
        return x * 2

    with pytest.raises(
        RuntimeError, match="Some elements marked as dirty during the forward method were not"
    ):
        function(forgetful).apply(leaf() * 1)


# ----- what backward returns

WRONG = {
    "too few": (lambda g: (), "returned an incorrect number of gradients (expected 1, got 0)"),
    "too many": (lambda g: (g, g), "returned an incorrect number of gradients (expected 1, got 2)"),
    "an int": (lambda g: 3, "expected Variable or None (got int)"),
    "an array": (lambda g: np.ones(2), "expected Variable or None (got numpy.ndarray)"),
    "a shape": (
        lambda g: ast_ad.ones(5),
        "invalid gradient at index 0 - got [5] but expected shape compatible",
    ),
    "one element": (lambda g: ast_ad.ones(1), "invalid gradient at index 0 - got [1] but expected shape"),
    "complex": (lambda g: g * 1j, "Expected isFloatingType(grad.scalar_type())"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_gradients(case):
    result, message = WRONG[case]
    y = function(double, lambda ctx, g: result(g)).apply(leaf())
    with pytest.raises(RuntimeError) as caught:
        y.sum().backward()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (lambda g: (g, None), [1.0, 1.0]),
        (lambda g: ast_ad.ones(3, 2), [3.0, 3.0]),
        (lambda g: g.to(ast_ad.float64), [1.0, 1.0]),
        (lambda g: ast_ad.tensor([4, 5]), [4.0, 5.0]),
    ],
)
def test_gradients_that_can_be_made_to_fit(result, expected):
    x = leaf()
    function(double, lambda ctx, g: result(g)).apply(x).sum().backward()
    assert x.grad.tolist() == expected and x.grad.dtype == x.dtype


def test_a_gradient_for_what_is_no_tensor():
    y = function(lambda ctx, x, k: x * k, lambda ctx, g: (g, g)).apply(leaf(), 2)
    with pytest.raises(
        RuntimeError, match="different than None at position 2, but the corresponding forward"
    ):
        y.sum().backward()


def test_a_summed_gradient_can_be_differentiated():
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 1

    x = leaf()
    y = function(forward, lambda ctx, g: ctx.saved_tensors[0].expand(3, 2) * g).apply(x)
    (g,) = autograd.grad(y.sum(), x, create_graph=True)
    g.sum().backward()
    assert (g.tolist(), x.grad.tolist()) == ([3.0, 6.0], [3.0, 3.0])


# ----- higher derivatives


@pytest.mark.parametrize("operation", [Cube.apply, Exp.apply])
def test_higher_derivatives(operation):
    x = leaf(0.5, 1.5, dtype=ast_ad.float64)
    assert autograd.gradcheck(operation, x)
    assert autograd.gradgradcheck(operation, x)


def test_third_derivative():
    x = leaf(2.0)
    value, expected = Cube.apply(x), [12.0, 12.0, 6.0]
    for number in expected:
        (value,) = autograd.grad(value, x, create_graph=True)
        assert value.tolist() == [number]


def test_once_differentiable():
    once = function(double, once_differentiable(lambda ctx, g: g * 2))
    x = leaf(2.0)
    (g,) = autograd.grad(once.apply(x), x, create_graph=True)
    assert not g.requires_grad
    (g,) = autograd.grad(once.apply(x) ** 2, x, create_graph=True)
    assert type(g.grad_fn).__name__ == "Error"
    with pytest.raises(
        RuntimeError, match="trying to differentiate twice a function that was marked with @once"
    ):
        g.backward()


def test_a_backward_that_runs_backward():
    class Checkpoint(Function):
        @staticmethod
        def forward(ctx, fn, *tensors):
            ctx.fn = fn
            ctx.save_for_backward(*tensors)
            return fn(*tensors)

        @staticmethod
        def backward(ctx, g):
            again = [t.detach().requires_grad_(t.requires_grad) for t in ctx.saved_tensors]
            with ast_ad.enable_grad():
                y = ctx.fn(*again)
            autograd.backward(y, g)
            return (None, *[t.grad for t in again])

    x, y = leaf(), leaf(3.0, 4.0)
    Checkpoint.apply(lambda a, b: a * b * a, x * 2, y).sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([24.0, 64.0], [4.0, 16.0])


# ----- saved tensors


def test_save_for_backward():
    def forward(ctx, x):
        assert ctx.saved_tensors == ()
        ctx.save_for_backward(x, None, x * 2)
        return x * 1

    x = leaf()
    y = function(forward, pass_on).apply(x)
    saved = y.grad_fn.saved_tensors
    assert saved[0] is x and saved[1] is None and saved[2].tolist() == [2.0, 4.0]
    y.sum().backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.grad_fn.saved_tensors  # noqa: B018


def test_only_tensors_are_saved():
    def forward(ctx, x):
        ctx.save_for_backward(x, 3)
        return x * 1

    with pytest.raises(
        TypeError, match="save_for_backward can only save variables, but argument 1 is of type int"
    ):
        function(forward).apply(leaf())


def test_saved_tensors_are_checked_for_changes():
    x = leaf()
    y = Cube.apply(x)
    with ast_ad.no_grad():
        x.add_(1)
    with pytest.raises(
        RuntimeError, match=r"\[torch.FloatTensor \[2\]\] is at version 1; expected version 0 ins"
    ):
        y.sum().backward()
    y = Exp.apply(leaf())
    y.mul_(2)
    with pytest.raises(RuntimeError, match="which is output 0 of Exp, is at version 1; expected version 0"):
        y.sum().backward()


# ----- the class


def test_forward_and_setup_context_apart():
    class Scale(Function):
        @staticmethod
        def forward(x, k=2):
            return x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            assert len(inputs) == 2 and not output.requires_grad
            ctx.k = inputs[1]

        @staticmethod
        def backward(ctx, g):
            return g * ctx.k, None

    x = leaf()
    (Scale.apply(x) + Scale.apply(x, k=5)).sum().backward()
    assert x.grad.tolist() == [7.0, 7.0]


def test_what_a_function_has_to_define():
    with pytest.raises(NotImplementedError, match="You must implement the forward function for custom"):
        type("Empty", (Function,), {}).apply(leaf())
    with pytest.raises(NotImplementedError, match="You must implement either the backward or vjp method"):
        function(double).apply(leaf()).sum().backward()
    with pytest.raises(
        RuntimeError, match="Implementing both 'backward' and 'vjp' for a custom Function is not"
    ):
        function(double, pass_on, vjp=pass_on).apply(leaf()).sum().backward()
    x = leaf()
    function(double, vjp=pass_on).apply(x).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_instances_are_of_the_past():
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        instance = Cube()
    with pytest.raises(
        RuntimeError, match="Legacy autograd function with non-static forward method is deprecated"
    ):
        instance(leaf())
