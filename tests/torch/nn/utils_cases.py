"""Tools: clipping, parameters as a vector, packed sequences, calls with other parameters, initial values."""

from importlib import import_module

from tests.torch.nn.behaviours import case
from tests.torch.nn.module_cases import layer

INF = float("inf")


def with_grads(torch, *grads):
    """Parameters that have these gradients."""
    found = []
    for g in grads:
        found.append(torch.nn.Parameter(torch.ones(2 if g is None else len(g))))
        if g is not None:
            found[-1].grad = torch.tensor(g)
    return found


@case
def clipping_of_norms(torch):
    utils = torch.nn.utils
    for order in (2, 1, INF, -INF, 0, 3, 2.5, "inf"):
        ps = with_grads(torch, [1.0, -2.0, 3.0], None, [4.0, 5.0])
        yield utils.clip_grad_norm_(ps, 2.5, order), [p.grad for p in ps]
        yield [p.grad._version for p in ps if p.grad is not None]
    yield utils.clip_grad_norm_([], 1), utils.clip_grad_norm_((p for p in ()), 1)
    yield lambda: utils.clip_grad_norm_(with_grads(torch, [INF]), 1, error_if_nonfinite=True)
    (p,) = with_grads(torch, [INF, 1.0])
    yield utils.clip_grad_norm_(p, 1), p.grad
    (p,) = with_grads(torch, [1.0, 1.0])
    yield utils.clip_grad_norm_(p, 100), p.grad
    p, q = with_grads(torch, [1.0, 2.0], [3.0])
    p = torch.nn.Parameter(p.detach().double())
    p.grad = torch.tensor([1.0, 2.0], dtype=torch.float64)
    yield utils.clip_grad_norm_([p, q], 1), p.grad, q.grad
    yield utils.get_total_norm(with_grads(torch, [1.0])), utils.get_total_norm([])
    (p,) = with_grads(torch, [3.0, 4.0])
    yield utils.clip_grads_with_norm_(p, 1, torch.tensor(10.0)), p.grad


@case
def clipping_of_values(torch):
    ps = with_grads(torch, [1.0, -2.0, 3.0], None, [4.0, -5.0])
    yield torch.nn.utils.clip_grad_value_(ps, 2), [p.grad for p in ps]


@case
def vectors(torch):
    utils = torch.nn.utils
    a, b = torch.nn.Parameter(torch.ones(2, 2)), torch.nn.Parameter(torch.zeros(3))
    v = utils.parameters_to_vector([a, b])
    yield v, v.grad_fn.next_functions[0][0].name()
    w = torch.arange(7.0)
    utils.vector_to_parameters(w, [a, b])
    w.add_(1)
    yield a, b
    yield lambda: utils.vector_to_parameters([1.0], [a])


@case
def packing(torch):
    rnn = torch.nn.utils.rnn
    x = torch.arange(24.0).reshape(4, 3, 2).requires_grad_()
    p = rnn.pack_padded_sequence(x, [4, 2, 1])
    yield p
    padded, lengths = rnn.pad_packed_sequence(p)
    yield padded, lengths, rnn.pad_packed_sequence(p, batch_first=True)
    (padded * torch.arange(24.0).reshape(4, 3, 2)).sum().backward()
    yield x.grad
    p = rnn.pack_padded_sequence(x, [1, 4, 2], enforce_sorted=False)
    yield p, rnn.pad_packed_sequence(p, total_length=6, padding_value=-1.0)
    x.grad = None
    (p.data * p.data).sum().backward()
    yield x.grad
    p = rnn.pack_padded_sequence(x, torch.tensor([1, 3, 2, 2]), enforce_sorted=False, batch_first=True)
    yield p, rnn.pad_packed_sequence(p, True)
    yield rnn.pack_padded_sequence(torch.arange(6).reshape(2, 3), [2, 2, 1])
    for lengths in ([1, 4, 2], [4, 2], [4, 2, 0], [[4, 2, 0]]):
        yield lambda lengths=lengths: rnn.pack_padded_sequence(x, lengths)
    yield lambda: rnn.pack_padded_sequence(torch.zeros(0, 3), [1, 1, 1])
    yield lambda: rnn.pad_packed_sequence(p, total_length=1)
    yield lambda: rnn.PackedSequence(3, None)
    yield rnn.invert_permutation(torch.tensor([2, 0, 1])), rnn.invert_permutation(None)


@case
def sequences(torch):
    rnn = torch.nn.utils.rnn
    a, b = torch.ones(3, requires_grad=True), torch.full((2,), 2.0, requires_grad=True)
    yield rnn.pad_sequence([b, a]), rnn.pad_sequence([b, a], True, -1.0, "left")
    (rnn.pad_sequence([b, a], True) * torch.arange(3.0)).sum().backward()
    yield a.grad, b.grad
    yield rnn.pad_sequence([torch.ones(2, 3, dtype=torch.int64), torch.ones(1, 3, dtype=torch.int64)])
    p = rnn.pack_sequence([a, b])
    yield p, rnn.unpack_sequence(p), rnn.pack_sequence([b, a], enforce_sorted=False)
    yield rnn.unpad_sequence(rnn.pad_sequence([a, b], True), torch.tensor([3, 2]), batch_first=True)
    yield p.double(), p.double() is p, p.float() is p, p.to(torch.float32) is p, p.cpu() is p, p.is_cuda
    yield lambda: rnn.pack_sequence([b, a])
    yield lambda: rnn.pad_sequence(3)
    yield lambda: rnn.pad_sequence([])
    yield lambda: rnn.pad_sequence([torch.ones(2, 3), torch.ones(3, 4)])
    yield lambda: rnn.pad_sequence([torch.ones(2)], padding_side="x")


@case
def functional_calls(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = torch.nn.Parameter(torch.ones(2))
            self.tied = self.a
            self.sub = torch.nn.Module()
            self.sub.w = torch.nn.Parameter(torch.ones(2) * 2)
            self.register_buffer("count", torch.zeros(1))

        def forward(self, x, k=1.0):
            self.count = self.count + 1
            self.count.add_(1)
            return x * self.a + self.tied * k + self.sub.w + self.count

    call = import_module(f"{torch.__name__}.func").functional_call
    n, x, zeros = Net(), torch.ones(2), torch.zeros(2)
    yield call(n, {}, x), n.count
    given = {"a": zeros, "count": torch.ones(1)}
    yield call(n, given, x), given, n.count, n.a
    yield call(n, {"a": zeros}, x, tie_weights=False), call(n, {"a": zeros, "tied": zeros}, x)
    yield call(n, ({"a": zeros}, {"sub.w": zeros}), (x,), {"k": 3.0})
    for wrong in ({"a": zeros, "tied": x}, ({"a": zeros}, {"a": zeros}), 3, [3], {"z.z": zeros}, {"a": 3}):
        yield lambda wrong=wrong: call(n, wrong, x)
    yield lambda: call(n, {"z": zeros}, x, strict=True)
    w = torch.zeros(2, requires_grad=True)
    call(n, {"a": w * 2}, x).sum().backward()
    yield w.grad, n.a.grad, n.a

    def fails():
        call(layer(torch), {"weight": zeros}, "x")

    yield torch.nn.utils.stateless.__name__.rpartition(".")[2]


@case
def initial_values(torch):
    init = torch.nn.init
    p = torch.nn.Parameter(torch.zeros(2, 3))
    yield init.ones_(p) is p, p, init.zeros_(p), init.constant_(p, 2.5), init.eye_(p), p.grad_fn, p._version
    yield (
        init.dirac_(torch.zeros(4, 2, 3)),
        init.dirac_(torch.zeros(4, 2, 1, 3), 2),
        init.dirac_(torch.zeros(1, 1, 2, 2, 2)),
    )
    for name in ("linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu", "other"):
        yield lambda name=name: init.calculate_gain(name)
    yield init.calculate_gain("leaky_relu", 0.2), init.calculate_gain("leaky_relu", 2)
    yield lambda: init.calculate_gain("leaky_relu", True)
    yield lambda: init.calculate_gain("leaky_relu", "x")
    vector = torch.zeros(3)
    for fill in (init.eye_, init.dirac_, init.xavier_uniform_, init.kaiming_normal_, init.orthogonal_):
        yield lambda fill=fill: fill(vector)
    yield lambda: init.sparse_(vector, 0.1)
    yield lambda: init.dirac_(torch.zeros(3, 2, 1), 2)
    yield lambda: init.kaiming_uniform_(p, mode="fan")
    yield lambda: init.kaiming_uniform_(p, nonlinearity="other")
    yield init.kaiming_uniform_(torch.zeros(0, 3)), init.orthogonal_(torch.zeros(0, 3))
    yield lambda: init.uniform_(p, 2, 1)
    yield lambda: init.normal_(p, 0, -1)
    yield init.sparse_(torch.ones(4, 3), 0.3, std=0.0), init.uniform(torch.zeros(2), 0, 0)
