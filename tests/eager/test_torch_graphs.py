"""Do graphs, what they save, and views behave as PyTorch's do? Each test is a bug that was there once."""

import io
import pickle
import weakref

import numpy as np
import pytest

import ast_ad as torch
from ast_ad.torch.autograd import Function
from ast_ad.torch.autograd.graph import Node, allow_mutation_on_saved_tensors, saved_tensors_hooks


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def identity(x):
    return x


# ----- Functions and views


class Look(Function):
    @staticmethod
    def forward(ctx, x, pure):
        ctx._is_pure_view = pure
        return x[:1]

    @staticmethod
    def backward(ctx, g):
        return torch.cat([g, torch.zeros(1)]), None


@pytest.mark.parametrize("x", [torch.ones(2), leaf(1.0, 2.0) * 1])
def test_a_view_of_a_function_must_not_change(x):
    v = Look.apply(x, False)
    with pytest.raises(RuntimeError, match="created inside a custom Function"):
        v += 1 if x.requires_grad else leaf(1.0)


def test_a_pure_view_is_like_any_view():
    a = leaf(1.0, 2.0)
    x = a * 3
    Look.apply(x, True).mul_(5)
    x.sum().backward()
    assert a.grad.tolist() == [15, 3]


def test_a_pure_view_has_one_input_and_one_output():
    class Two(Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx._is_pure_view = True
            return x[:1], y * 2

    with pytest.raises(RuntimeError, match="one input Tensor and one output"):
        Two.apply(leaf(1.0), leaf(2.0))


def test_a_changed_view_that_is_saved_makes_no_cycle():
    class Keep(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            ctx.save_for_backward(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    def run():
        x = (leaf(3.0) * 1).view(1)
        Keep.apply(x)
        return weakref.ref(x)

    assert run()() is None


def test_marking_a_view_dirty_that_is_no_input():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            out = x.clone()[:]
            ctx.mark_dirty(out)
            return out

    with pytest.raises(RuntimeError, match="was not an input"):
        Wrong.apply(leaf(1.0) * 2)


# ----- what is saved


def test_saved_tensors_of_a_function_show_none_and_hooks():
    class Keep(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, None)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    x = leaf(2.0)
    y = Keep.apply(x)
    first, second = y.grad_fn._raw_saved_tensors
    assert isinstance(first, torch.autograd.SavedTensor) and first.data is x and first.unpack_hook is None
    with pytest.raises(RuntimeError, match="None is forbidden"):
        second.register_hooks(identity, identity)
    for hooks in [(identity,), (1, 1)]:
        with pytest.raises(TypeError, match="incompatible function arguments"):
            first.register_hooks(*hooks)
    first.register_hooks(lambda t: t * 2, identity)
    y.backward()
    assert x.grad.tolist() == [4]
    with pytest.raises(RuntimeError, match="from Python is forbidden"):
        torch.autograd.SavedTensor()


def test_saved_tensors_that_go_when_they_are_read():
    class Once(Function):
        clear_saved_tensors_on_access = True

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return ctx.saved_tensors[0] * ctx.saved_tensors[0]

    with pytest.raises(RuntimeError, match="can only be accessed once"):
        Once.apply(leaf(1.0)).backward()


def test_hooks_of_the_tensor_are_shown():
    with saved_tensors_hooks(identity, identity):
        y = leaf(2.0).exp()
    assert y.grad_fn._raw_saved_result.unpack_hook is identity
    assert y.exp().grad_fn._raw_saved_result.unpack_hook is None


@pytest.mark.parametrize("through_view", [False, True])
def test_what_is_saved_is_copied_once_before_it_changes(through_view):
    with allow_mutation_on_saved_tensors() as kept:
        x = leaf(2.0, 3.0)
        a = x * 1
        y, z = a**2, a**2
        assert len(kept.cloned) == 0
        (a[:1] if through_view else a).mul_(10)
        assert len(kept.cloned) == 1
        (y + z).sum().backward()
        assert x.grad.tolist() == [8, 12]
        del y, z
        assert len(kept.cloned) == 0


def test_copies_end_with_their_block():
    with allow_mutation_on_saved_tensors():
        y = leaf(2.0) ** 2
        with pytest.raises(RuntimeError, match="cannot be nested"), allow_mutation_on_saved_tensors():
            pass
    with pytest.raises(AssertionError, match="outside of the"):
        y.backward()


# ----- nodes


def test_nodes_are_nodes_without_the_base_class():
    node = leaf(1.0).exp().grad_fn
    assert isinstance(node, Node) and issubclass(type(node), Node) and Node not in type(node).mro()
    assert not isinstance(Node, Node) and not isinstance(1, Node)
    with pytest.raises(TypeError):
        Node()


def test_numbers_given_by_the_user_choose_among_ready_nodes():
    x = leaf(1.0, 2.0)
    a, b = x + 1, x * 2
    c = a * b + a
    a.grad_fn._set_sequence_nr(10**6)
    c.grad_fn._set_sequence_nr(1)
    order = []
    for name, t in (("a", a), ("b", b), ("c", c)):
        t.register_hook(lambda g, name=name: order.append(name))
    (c * a).sum().backward()
    assert order[0] == "c" and set(order) == {"a", "b", "c"}
    expected = (2 * (x + 1) * (2 * x + 1) + 2 * (x + 1) ** 2).detach()
    assert np.allclose(x.grad.numpy(), expected.numpy())


def test_gradients_that_raise_and_that_get_lost():
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match="too late"):
        torch._C._functions.DelayedError("too late", 1)(x).backward()
    torch._C._functions.UndefinedGrad()(x).backward()
    assert x.grad is None


# ----- views and memory


@pytest.mark.parametrize("part", ["view_as_real", "real", "imag"])
def test_changes_of_the_parts_of_complex_numbers_reach_the_base(part):
    a = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    b = a * 1
    v = getattr(torch, part)(b)
    v *= 3
    b.abs().sum().backward()
    weights = {"view_as_real": (3, 3), "real": (3, 1), "imag": (1, 3)}[part]
    z = a.detach().numpy()
    scaled = weights[0] * z.real + 1j * weights[1] * z.imag
    unit = scaled / abs(scaled)
    assert np.allclose(a.grad.numpy(), weights[0] * unit.real + 1j * weights[1] * unit.imag)


def test_a_view_made_without_recording_is_printed_as_invalid_once_it_changed():
    a = leaf(1.0)
    with torch.no_grad():
        b = a[:]
        b *= 2
    assert repr(b) == "tensor([2.], grad_fn=<Invalid>)"


def test_as_strided_in_place():
    x = leaf(1.0, 2.0, 3.0, 4.0)
    a = x * 1
    assert a.as_strided_((2,), (2,), 1) is a and a.tolist() == [2, 4]
    a.sum().backward()
    assert x.grad.tolist() == [0, 1, 0, 1]


def test_a_view_reshaped_in_place_unrecorded_is_derived_anew():
    x = torch.arange(6.0).requires_grad_()
    v = (x * 1).view(2, 3)
    with torch.no_grad():
        v.t_()
    (v * torch.arange(6.0).view(3, 2)).sum().backward()
    assert x.grad.tolist() == [0, 2, 4, 1, 3, 5]


def test_resizing_counts_as_a_change_only_if_it_is_one():
    x = torch.arange(6.0)
    x.resize_(2, 2).resize_(2, 2)
    assert x.tolist() == [[0, 1], [2, 3]] and x._version == 1
    x.resize_as_(torch.ones(6))
    assert x.tolist() == [0, 1, 2, 3, 4, 5] and x._version == 2
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        leaf(1.0).resize_(2)


def test_other_memory_in_place():
    x = leaf(1.0, 2.0, 3.0)
    for n in (2, 1):
        with torch.no_grad():
            x.set_(x[1:])
            x.grad = None
        torch.cat((x, x)).sum().backward()
        assert x.grad.tolist() == [2.0] * n
    assert torch.empty_strided((2, 2), (1, 3)).stride() == (1, 3)


def test_a_view_of_a_resized_base_says_so():
    x = torch.arange(4.0)
    v = x[1:]
    x.resize_(2)
    x.mul_(leaf(1.0))
    with pytest.raises(RuntimeError, match="Make the view"):
        v.sum()


def weighted(x):
    return (x * torch.arange(float(x.numel())).view(x.shape)).sum()


def test_views_find_their_way_to_a_base_that_was_reshaped_in_place():
    a = torch.arange(1.0, 7.0).requires_grad_()
    x = (a * 1).view(2, 3).clone()
    v = x.view(6)
    x.t_()
    v[1:3].mul_(2)
    v.add_(1)
    weighted(x).backward()
    assert a.grad.tolist() == [0, 4, 8, 1, 3, 5]


def test_views_of_views_of_a_base_without_history_that_was_reshaped():
    x, scale = torch.arange(1.0, 7.0).view(2, 3).clone(), leaf(2.0)
    v = x.view(6)
    x.t_()
    v[1:3].mul_(scale)
    weighted(x).backward()
    assert scale.grad.tolist() == [2 * 2 + 4 * 3]


def test_a_base_that_shows_elements_twice_since_is_refused():
    x = leaf(1.0, 2.0, 3.0) * 1
    v = x[:]
    x.as_strided_((2, 2), (1, 1))
    with pytest.raises(RuntimeError, match="Make the view"):
        v.mul_(3)


def test_unsafe_pieces_may_be_changed():
    x = leaf(1.0, 2.0, 3.0, 4.0)
    a, b = (x * 1).unsafe_chunk(2)
    assert a.grad_fn.name() == "UnsafeSplitBackward0" and not a._is_view()
    a.mul_(b)
    a.sum().backward()
    assert x.grad.tolist() == [3, 4, 1, 2]


def test_views_of_inference_tensors_are_not_recorded():
    with torch.inference_mode():
        x = leaf(1.0, 2.0)
    for v in (x.view(-1), x[0], x.unbind()[0]):
        assert v.is_inference() and not v.requires_grad and v.is_leaf


def test_a_view_made_without_recording_is_a_dead_end():
    x = leaf(1.0, 2.0)
    with torch.no_grad():
        v = x.view(-1)
    y = v * v
    assert y.requires_grad
    y.sum().backward()
    assert x.grad is None and v.grad is None


# ----- the rest


def test_files_hold_data_only():
    file = io.BytesIO()
    torch.save({"w": leaf(1.0, 2.0)}, file)
    found = torch.load(io.BytesIO(file.getvalue()))["w"]
    assert found.tolist() == [1, 2] and found.requires_grad
    with pytest.raises(pickle.PicklingError, match="builtin_function"):
        torch.save(print, io.BytesIO())
    with pytest.raises(pickle.UnpicklingError, match="a pickle, which is a program"):
        torch.load(io.BytesIO(pickle.dumps(print)))


def test_the_setting_of_threads_is_remembered():
    is_enabled = torch.autograd.is_multithreading_enabled
    with torch.autograd.set_multithreading_enabled(False):
        assert not is_enabled()
    assert is_enabled()


def test_what_is_saved_of_an_argument_must_not_be_detached_in_place():
    x = leaf(1.0)
    a = x * 2
    y, z = a.sin(), a.exp()
    z.detach_()
    (z * x).backward()
    assert np.allclose(x.grad.numpy(), np.exp(2.0))
    a.detach_()
    with pytest.raises(RuntimeError, match="detached in-place"):
        y.backward()


def test_results_are_written_to_out():
    x, out = torch.tensor([1.0, 2.0]), torch.zeros(2)
    assert torch.add(x, 1, alpha=2, out=out) is out and out.tolist() == [3, 4] and out._version == 1
    with pytest.warns(UserWarning, match="resized"):
        torch.stack((x, x), out=out)
    assert out.tolist() == [[1, 2], [1, 2]] and out._version == 2
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        torch.sin(leaf(1.0), out=out)
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.sin(x, out=torch.zeros(2, dtype=torch.long))
    values, places = torch.max(out, 0, out=(torch.empty(0), torch.empty(0, dtype=torch.long)))
    assert values.tolist() == [1, 2] and places.tolist() == [0, 0]


@pytest.mark.parametrize("dim", [None, 0])
@pytest.mark.parametrize("find", [torch.unique, torch.unique_consecutive])
def test_distinct_elements_have_a_history_that_cannot_be_differentiated(find, dim):
    values, places = find(leaf(1.0, 1.0, 2.0), return_inverse=True, dim=dim)
    assert values.requires_grad and not places.requires_grad
    with pytest.raises(NotImplementedError, match="the derivative for '_?unique"):
        values.sum().backward()


def test_tangents_are_given_back_and_printed():
    from ast_ad.torch.autograd import forward_ad

    x, direction = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, direction)
        assert forward_ad.unpack_dual(dual).tangent is direction
        assert repr(dual) == "tensor([1., 2.], tangent=tensor([3., 4.]))"
        assert repr(dual * 2) == "tensor([2., 4.], tangent=tensor([6., 8.]))"
        with pytest.raises(RuntimeError, match="itself has a forward gradient"):
            forward_ad.make_dual(x, dual)
        with pytest.raises(RuntimeError, match="out= function"):
            torch.add(dual, 1, out=x)


@pytest.mark.parametrize("fast_mode", [False, True])
def test_gradcheck_checks_tangents(fast_mode):
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    z = torch.tensor([1 + 2j, 2 - 1j], dtype=torch.complex128, requires_grad=True)
    options = {"check_forward_ad": True, "check_backward_ad": False, "fast_mode": fast_mode}

    def changed_in_place(x, z):
        out = x * z
        out[0] *= x[1]
        return out, x.sin()

    assert torch.autograd.gradcheck(changed_in_place, (x, z), **options)
    with pytest.raises(RuntimeError, match="forward mode mismatch for output 0 with respect to input 0"):
        torch.autograd.gradcheck(lambda x: x * x.detach(), (x,), **options)


class Triple(Function):
    """Only its ``jvp`` knows a derivative, and claims that it is 5."""

    @staticmethod
    def forward(ctx, x, extra):
        ctx.save_for_forward(x)
        out = x.clone()
        ctx.mark_non_differentiable(out)
        return x * 3, out, extra

    @staticmethod
    def jvp(ctx, tangent, extra):
        (x,) = ctx.saved_tensors
        assert extra is None and x.tolist() == [1, 2]
        return tangent * 5, None, None


def test_tangents_go_through_the_jvp_of_a_function():
    from ast_ad.torch.autograd.forward_ad import dual_level, make_dual, unpack_dual

    with dual_level():
        x = make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0]))
        y, constant, extra = Triple.apply(x, "extra")
        assert unpack_dual(y).tangent.tolist() == [5, 50] and unpack_dual(constant).tangent is None
        assert unpack_dual(y * x).tangent.tolist() == [5 * 1 + 3, 50 * 2 + 6 * 10]
        assert unpack_dual(Triple.apply(torch.ones(2) * 0 + x.detach(), 0)[0]).tangent is None


@pytest.mark.parametrize("honest", [True, False])
def test_the_jvp_of_a_function_that_changes_its_input_changes_the_tangent(honest):
    from ast_ad.torch.autograd.forward_ad import dual_level, make_dual, unpack_dual

    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def jvp(ctx, tangent):
            return tangent.mul_(2) if honest else tangent * 2

    with dual_level():
        direction = torch.tensor([1.0])
        x = make_dual(torch.tensor([3.0]), direction)
        if not honest:
            with pytest.raises(RuntimeError, match="modifying the forward mode gradients inplace"):
                Double.apply(x)
            return
        assert Double.apply(x) is x and x.tolist() == [6]
        assert unpack_dual(x).tangent is direction and direction.tolist() == [2]


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_recorded_gradients_are_as_precise_as_plain_ones(dtype):
    x = torch.tensor([1.0, 1.0, 1.0], dtype=dtype, requires_grad=True)
    (g,) = torch.autograd.grad(torch.norm(x, float("inf")), x, create_graph=True)
    assert g.detach().numpy().real.tolist() == [1 / 3] * 3
