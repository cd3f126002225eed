"""Does the autograd engine behave as PyTorch's does where programs look closely: hooks, sweeps, nodes?"""

import gc
import warnings
import weakref

import pytest

import ast_ad as torch
from ast_ad.torch import _C
from ast_ad.torch.autograd.function import Function, once_differentiable
from ast_ad.torch.autograd.gradcheck import GradcheckError
from ast_ad.torch.autograd.graph import GradientEdge, get_gradient_edge, saved_tensors_hooks
from ast_ad.torch.utils.checkpoint import (
    CheckpointError,
    GraphExecGroup,
    checkpoint,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)

grad = torch.autograd.grad


def leaf(*values):
    return torch.tensor(list(values), requires_grad=True)


def described(node):
    """A graph as text: the names of its nodes."""
    if node is None:
        return "None"
    return f"{type(node).__name__}({', '.join(described(after) for after, _ in node.next_functions)})"


# ----- which nodes run


def test_backward_runs_the_nodes_of_its_inputs_with_all_their_hooks():
    x = leaf(2.0)
    y = x * 3
    called = []
    y.register_hook(lambda g: called.append("tensor"))
    y.grad_fn.register_prehook(lambda g: called.append("before"))
    y.grad_fn.register_hook(lambda g, h: called.append("after"))
    (y * y).backward(inputs=[y])
    assert called == ["tensor", "before", "after"]
    assert y.grad == 12 and y.retains_grad and x.grad is None
    grad(y * y, y)
    assert called == ["tensor", "before", "after", "tensor"]


def test_an_edge_among_the_inputs_of_backward_retains_nothing():
    y = leaf(2.0) * 3
    torch.autograd.backward(y * y, inputs=get_gradient_edge(y))
    assert not y.retains_grad


def test_the_order_and_the_number_of_sweeps():
    x = leaf(1.0)
    y = x.sin()
    seen = []

    def hook(g):
        seen.append(_C._current_graph_task_id())
        nodes = _C._current_graph_task_execution_order()
        assert [type(node).__name__ for node in nodes] == ["ExpBackward0", "SinBackward0", "AccumulateGrad"]

    z = y.exp()
    z.register_hook(hook)
    with torch.autograd.set_multithreading_enabled(False):
        z.backward(retain_graph=True)
        z.backward()
    assert seen[1] == seen[0] + 1 and _C._current_graph_task_id() == -1
    with pytest.raises(RuntimeError, match="only be called during the backward pass"):
        _C._will_engine_execute_node(z.grad_fn)


def test_sweeps_within_sweeps_to_any_depth():
    class Countdown(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.left = float(x.detach())
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            if ctx.left > 0:
                with torch.enable_grad():
                    Countdown.apply(leaf(ctx.left - 1)[0]).backward()
            return g

    x = leaf(400.0)
    Countdown.apply(x[0]).backward()
    assert x.grad == 1


# ----- materialized gradients


def test_materialized_zeros_are_differentiable_with_create_graph():
    x, a = leaf(0.5), leaf(1.0)
    first = grad(x * a, x, create_graph=True)
    (second,) = grad(first, x, create_graph=True, materialize_grads=True)
    assert second == 0 and second.requires_grad
    assert grad(second, x, materialize_grads=True)[0] == 0
    assert not grad(x * a, leaf(1.0), materialize_grads=True)[0].requires_grad
    edge = GradientEdge(a.exp().grad_fn, 0)
    with pytest.raises(RuntimeError, match="when the given input is a GradientEdge"):
        grad(x * x, edge, materialize_grads=True)


def test_outputs_without_gradient_may_be_left_none():
    class Both(Function):
        @staticmethod
        def forward(ctx, x):
            y, z = x.clone(), x.clone()
            ctx.mark_non_differentiable(z)
            ctx._materialize_non_diff_grads = False
            return y, z

        @staticmethod
        def backward(ctx, g, none):
            assert none is None
            return g

    x = leaf(1.0)
    Both.apply(x)[0].backward()
    assert x.grad == 1


# ----- accumulation


def test_hooks_after_accumulation_see_the_memory_of_the_gradient():
    x = leaf(1.0)
    node = x.view_as(x).grad_fn.next_functions[0][0]
    x.register_post_accumulate_grad_hook(lambda t: t.grad.add_(1) and None)
    seen = []
    node.register_hook(lambda inputs, outputs: seen.append(outputs[0].item()))
    x.sum().backward()
    assert seen == [2]


@pytest.mark.filterwarnings("ignore:Using backward")
def test_graphs_of_gradients():
    x, seed = leaf(1.0, 2.0), torch.ones((), requires_grad=True)
    (x * x).sum().backward(seed, create_graph=True)
    half = "MulBackward0(ExpandBackward0(AccumulateGrad()), AccumulateGrad())"
    assert described(x.grad.grad_fn) == f"CopyBackwards(None, AddBackward0({half}, {half}))"


def test_results_of_once_differentiable_have_an_edge_each():
    class Product(Function):
        @staticmethod
        def forward(ctx, x, k, y):
            return x * y

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            return g, None, g

    x = leaf(2.0)
    y = leaf(3.0)
    for g in grad(Product.apply(x, 2, y), (x, y), leaf(1.0), create_graph=True):
        assert described(g.grad_fn) == "Error(AccumulateGrad(), None, AccumulateGrad())"


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64, None])
def test_grad_dtype(dtype):
    class Widened(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g.double()

    x = leaf(1.0)
    assert x.grad_dtype is torch.float32
    x.grad_dtype = dtype
    assert x.grad_dtype is dtype
    Widened.apply(x).backward()
    assert x.grad.dtype is (dtype or torch.float64)
    with pytest.raises(RuntimeError, match="Cannot set grad_dtype"):
        x.grad_dtype = torch.float32
    with pytest.raises(RuntimeError, match="only be accessed on leaf"):
        (x * 2).grad_dtype  # noqa: B018


# ----- hooks of saved tensors


def test_hooks_entered_during_a_sweep_end_with_it():
    def unpack(t):
        hooks().__enter__()
        return t

    within = saved_tensors_hooks(lambda t: t, unpack)
    hooks = weakref.ref(within)
    with within:
        leaf(1.0).sin().sum().backward()
    kept = weakref.ref(unpack)
    gc.disable()
    try:
        del within, unpack
        assert kept() is None
    finally:
        gc.enable()


def test_node_hooks_registered_while_unpacking_run_without_what_went_in():
    shown = []

    def unpack(t):
        node = _C._current_autograd_node()
        node.register_hook(lambda inputs, outputs: shown.append(outputs) or (inputs[0] / 2,))
        return t

    x = leaf(0.0)
    with saved_tensors_hooks(lambda t: t, unpack):
        x.exp().sum().backward()
    assert shown == [(None,)] and x.grad == 0.5


def test_nodes_show_options_and_indices():
    x = torch.ones(2, 3, requires_grad=True)
    assert x.sum(1, keepdim=True).grad_fn._saved_dim == (1,)
    assert x.sum(1, keepdim=True).grad_fn._saved_keepdim is True
    assert x[:, 1].grad_fn._saved_dim == 1 and x[:, 1].grad_fn._saved_index == 1
    assert x[1:].grad_fn._saved_start == 1 and x.t().reshape(6).grad_fn._saved_self_sym_sizes == (3, 2)
    y = x[:, torch.tensor([0, 2, 2])]
    none, index = y.grad_fn._saved_indices
    assert none is None and index.tolist() == [0, 2, 2]
    with pytest.raises(RuntimeError, match="None is forbidden"):
        y.grad_fn._raw_saved_indices[0].register_hooks(id, id)
    y.grad_fn._raw_saved_indices[1].register_hooks(lambda t: t.numpy() + 0, torch.from_numpy)
    y.sum().backward()
    assert x.grad.tolist() == [[1, 0, 2]] * 2


def test_one_node_for_variance_and_mean():
    x = leaf(1.0, 2.0, 4.0)
    for several, spread in ((torch.var_mean, torch.var), (torch.std_mean, torch.std)):
        s, m = several(x)
        assert s.grad_fn is m.grad_fn and m.output_nr == 1
        (g,) = grad(s + 2 * m, x, create_graph=True)
        (expected,) = grad(spread(x) + 2 * x.mean(), x, create_graph=True)
        assert torch.allclose(g, expected)
        assert torch.allclose(grad((g * g).sum(), x)[0], grad((expected**2).sum(), x)[0], atol=1e-6)


def test_checkpoints_leave_nothing_behind_and_keep_constants():
    kept, constants = [], []

    class Copy(Function):
        @staticmethod
        def forward(ctx, x, k):
            y = x.clone()
            ctx.save_for_backward(y, k)
            kept.append(weakref.ref(y))
            return y

        @staticmethod
        def backward(ctx, g):
            constants.append(ctx.saved_tensors[1])
            return g, None

    k = torch.ones(2)
    gc.disable()
    try:
        checkpoint(Copy.apply, leaf(1.0, 2.0), k, use_reentrant=False).sum().backward()
        assert len(kept) == 2 and all(ref() is None for ref in kept) and constants[0] is k
    finally:
        gc.enable()


def test_checkpoints_that_save_more_the_second_time():
    calls = []

    def fickle(x):
        calls.append(x)
        return x.sin() if len(calls) == 1 else x.sin().sin()

    with set_checkpoint_early_stop(False), set_checkpoint_debug_enabled(True):
        y = checkpoint(fickle, leaf(1.0), use_reentrant=False)
        with pytest.raises(CheckpointError, match="because you passed `debug=True`(.|\n)*more tensors"):
            y.backward()


def test_sweeps_of_a_group_do_not_overlap():
    y = checkpoint(torch.exp, leaf(1.0), use_reentrant=False)
    with GraphExecGroup():
        y.backward(retain_graph=True)
        with pytest.raises(CheckpointError, match="two backward calls that overlap"):
            y.backward()
        with pytest.raises(RuntimeError, match="cannot be nested"), GraphExecGroup():
            pass


# ----- modes, names, warnings


def test_decorated_classes():
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):

        @torch.no_grad()
        class Made:
            def __init__(self):
                self.recorded = torch.is_grad_enabled()

    assert not Made().recorded and torch.is_grad_enabled()


def test_warnings_are_given_once_or_always():
    torch.set_warn_always(True)
    try:
        for _ in range(2):
            with pytest.warns(UserWarning, match="create_graph=True will create a reference cycle"):
                leaf(1.0).backward(create_graph=True)
    finally:
        torch.set_warn_always(False)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        leaf(1.0).backward(create_graph=True)


def test_classes_of_tensors_of_one_dtype():
    x = torch.LongTensor([1, 2])
    assert x.dtype is torch.int64 and isinstance(x, torch.LongTensor) and not isinstance(x, torch.IntTensor)
    assert isinstance(x.type(torch.DoubleTensor), torch.DoubleTensor) and x.type("torch.LongTensor") is x
    assert torch.FloatTensor(2, 3).shape == (2, 3) and x.new(torch.Size([3])).shape == (3,)
    with pytest.raises(TypeError):
        torch.FloatTensor(x)


def test_attributes_that_stay():
    x = leaf(1.0)
    for name in ("data", "requires_grad", "_grad_fn", "_backward_hooks"):
        with pytest.raises(RuntimeError):
            delattr(x, name)
    with pytest.raises(RuntimeError, match="must be floating point or complex dtype"):
        x.data = torch.tensor([1])
    with pytest.warns(UserWarning, match="volatile was removed"):
        assert not x.volatile
    with torch.no_grad():
        assert x.numpy().tolist() == [1]


def test_view_names_and_version_counters():
    def changed():
        y = torch.ones(2, 2, requires_grad=True).clone().view(4)
        return type(y.add_(1).grad_fn).__name__

    assert changed() == "AsStridedBackward0"
    with torch.autograd._force_original_view_tracking(True):
        assert changed() == "ViewBackward0" and torch.autograd.is_view_replay_enabled()
    x = torch.ones(2)
    with torch.autograd._unsafe_preserve_version_counter(x):
        x.add_(1)
    assert x._version == 0 and x[0] == 2


def test_warnings_of_anomalies_that_are_errors_do_not_hide_the_error(capsys):
    x = leaf(1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            y = x + 1
            z = y**2
            y += 1
            warnings.simplefilter("error")
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                z.sum().backward()
    assert "Error detected in PowBackward0" in capsys.readouterr().err


def test_fast_gradcheck_runs_backward_twice():
    class Wavering(Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return g * (1 + 1e-6 * torch.rand_like(g))

    x = torch.ones(3, dtype=torch.float64, requires_grad=True)
    with pytest.raises(GradcheckError, match="Backward is not reentrant"):
        torch.autograd.gradcheck(Wavering.apply, x, fast_mode=True, check_batched_grad=False)


def test_nodes_tell_the_shapes_of_their_outputs():
    (first,) = torch.ones(2, 3, requires_grad=True).exp().grad_fn._input_metadata
    assert first.shape == (2, 3) and first.dtype is torch.float32 and str(first.device) == "cpu"
