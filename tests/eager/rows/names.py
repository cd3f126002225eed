"""Are all names there that programs use?"""

from tests.eager.rows.case import each, leaf

TORCH = """Tensor abs arange asin atan2 autograd.Function autograd.backward autograd.detect_anomaly
autograd.function.once_differentiable autograd.grad autograd.gradcheck autograd.gradgradcheck
autograd.graph.Node autograd.graph.saved_tensors_hooks autograd.profiler.profile
autograd.profiler.record_function autograd.set_detect_anomaly bernoulli bmm cat channels_last
complex128 einsum empty empty_like enable_grad eye flatten float32 float64 full inference_mode
is_anomaly_enabled is_grad_enabled is_inference_mode_enabled log manual_seed maximum minimum no_grad
ones ones_like rand rand_like randn reciprocal relu set_grad_enabled set_num_threads sin sqrt stack
strided tensor where zeros zeros_like autograd.functional.jacobian autograd.functional.hessian
autograd.graph.save_on_cpu autograd.graph.disable_saved_tensors_hooks Size dtype
autograd.gradcheck.GradcheckError autograd.grad_mode.no_grad autograd.anomaly_mode.detect_anomaly
float16 int64 bool autograd.graph.get_gradient_edge autograd.graph.register_multi_grad_hook
is_tensor from_numpy as_tensor equal get_default_dtype set_default_dtype get_num_threads
contiguous_format preserve_format autograd.Variable
autograd.function.FunctionCtx is_floating_point is_complex result_type numel device""".split()

TENSOR = """T _version abs add add_ all amax any argmax as_strided backward chunk clamp clamp_ clone conj
contiguous copy_ cos cumsum data data_ptr detach detach_ div_ double dtype element_size eq equal exp
exp_ expand fill_ flatten flip gather grad grad_fn is_contiguous is_inference is_leaf isnan item
layout log logsumexp max mean min mul mul_ neg_ norm numel numpy permute pow pow_ prod ravel
real register_hook register_post_accumulate_grad_hook relu relu_ requires_grad requires_grad_
reshape resolve_conj retain_grad retains_grad roll shape sigmoid sigmoid_ sin softmax split sqrt
sqrt_ std storage_offset stride sub sub_ sum t tanh tanh_ to tolist transpose tril triu unbind
unsqueeze var view zero_ __iadd__ __imul__ ndim size dim float long int bool half type_as new_zeros
new_ones new_tensor new_full mT H device cpu is_complex is_floating_point unsqueeze_ squeeze
masked_fill index_select scatter_add nonzero sort topk argsort matmul mm mv dot bmm outer addmm
narrow movedim diagonal repeat expand_as view_as reshape_as cumprod sign floor ceil round trunc erf
log1p expm1 square rsqrt reciprocal lerp masked_select take where clamp_min clamp_max __array__
__len__ __iter__ __contains__ __hash__ __bool__ __float__ __int__ __index__ __deepcopy__ itemsize
nbytes""".split()


@each({name: name for name in TORCH})
def more_torch_name(torch, name):
    value = torch
    for part in name.split("."):
        value = getattr(value, part, None)
    return value is not None


@each({name: name for name in TENSOR})
def more_tensor_name(torch, name):
    return callable(getattr(leaf(torch, [[1.0]]), name)), name in dir(torch.Tensor)


def more_seed(torch):
    torch.manual_seed(3)
    a = torch.rand(3), torch.randn(2), torch.bernoulli(torch.full((5,), 0.5))
    torch.manual_seed(3)
    b = torch.rand(3), torch.randn(2), torch.bernoulli(torch.full((5,), 0.5))
    return [torch.equal(x, y) for x, y in zip(a, b)], [tuple(x.shape) for x in a]


def more_iteration(torch):
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    return len(x), [row.tolist() for row in x], 3.0 in x, [float(v) for v in x[0]], x[1, 1].item()


def more_constants(torch):
    t = torch.tensor([1.5])
    return (
        t.ndim,
        t.dtype,
        t.shape,
        t.is_floating_point(),
        t.size(),
        t.nbytes,
        t.itemsize,
        torch.get_default_dtype(),
    )


def more_hash_and_equality(torch):
    x = leaf(torch, [1.0])
    return len({x, x, x.detach()}), (x == x), x in {x: 1}, hash(x) == hash(x)


def more_numpy_functions(torch):
    import numpy as np

    x = torch.tensor([1.0, 4.0])
    return np.asarray(x), np.array(x).dtype, x.numpy().dtype, torch.as_tensor(np.ones(2)).dtype
