"""How do recurrent networks run on tensors? Layer by layer, each direction of a layer one operation.

The functions have PyTorch's signatures: with ``batch_sizes`` after ``input`` for packed sequences, without
for padded ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...rules.networks import recurrent as rules
from ..dispatch import Operation, apply
from ..dtypes import scalar_name
from ..surface import FUNCTIONS, function
from ..tensor import Tensor

Weights = Sequence[Tensor]
_SAVED = ("input", "hx", "weight0", "weight1")
LSTM = Operation(rules.lstm_layer, "MkldnnRnnLayerBackward0", ("input", "hx", "cx", "weight0", "weight1"))
_WIDE_LSTM = Operation(rules.lstm_layer, "StackBackward0", LSTM.saved)
_PACKED_LSTM = Operation(rules.lstm_layer, "CatBackward0", LSTM.saved)
GRU = Operation(rules.gru_layer, "StackBackward0", _SAVED)
_PACKED_GRU = Operation(rules.gru_layer, "CatBackward0", _SAVED)
RNN = Operation(rules.rnn_layer, "StackBackward0", _SAVED)
_PACKED_RNN = Operation(rules.rnn_layer, "CatBackward0", _SAVED)
for _op in (_WIDE_LSTM, _PACKED_LSTM, GRU, _PACKED_GRU, RNN, _PACKED_RNN):
    _op.private = (0,)  # the outputs
_GATES = {LSTM: 4, _WIDE_LSTM: 4, _PACKED_LSTM: 4, GRU: 3, _PACKED_GRU: 3, RNN: 1, _PACKED_RNN: 1}


def _packed(
    batch_sizes: Any, hx: Any, params: Weights, has_biases: bool, num_layers: int, dropout: float,
    train: bool, bidirectional: bool,
) -> tuple[Any, ...]:  # fmt: skip
    sizes = tuple(int(n) for n in np.asarray(batch_sizes._array))
    return hx, params, has_biases, num_layers, dropout, train, bidirectional, False, sizes


def _padded(
    hx: Any, params: Weights, has_biases: bool, num_layers: int, dropout: float, train: bool,
    bidirectional: bool, batch_first: bool,
) -> tuple[Any, ...]:  # fmt: skip
    return hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first, None


def _read(args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments after the input, of either signature, and the sizes of the steps of packed sequences."""
    packed = "batch_sizes" in kwargs or len(args) > 2 and isinstance(args[2], (list, tuple))  # the weights
    return (_packed if packed else _padded)(*args, **kwargs)


def _network(
    op: Operation, input: Tensor, states: tuple[Tensor, ...], options: dict[str, Any], params: Weights,
    has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool, batch_first: bool,
    sizes: tuple[int, ...] | None,
) -> tuple[Any, ...]:  # fmt: skip
    """The output of the last layer, and the last states of all layers."""
    x = input.transpose(0, 1) if batch_first else input
    if x._array.shape[0] == 0:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    directions = 2 if bidirectional else 1
    first = [s.unbind(0) for s in states]
    last: list[list[Any]] = [[] for _ in states]
    count = len(params) // (num_layers * directions)
    for layer in range(num_layers):
        outs = []
        for k in range(layer * directions, (layer + 1) * directions):
            weights = _weights(params[k * count : (k + 1) * count], has_biases)
            args = (x, *(s[k] for s in first), *weights)
            _check(op, x, tuple(s[k] for s in first), [w for w in weights if w is not None], sizes)
            how = options | ({"sizes": sizes} if sizes is not None else {})
            found = apply(op, args, how | {"reverse": True} if k % directions else how)
            outs.append(found[0])
            for place, state in enumerate(last):
                state.append(found[1 + place])
        x = outs[0] if directions == 1 else FUNCTIONS["cat"](outs, -1)
        if dropout and train and layer < num_layers - 1:
            x = FUNCTIONS["dropout"](x, dropout, True)
    out = x.transpose(0, 1) if batch_first else x
    return out, *(FUNCTIONS["stack"](s, 0) for s in last)


def _weights(given: Weights, has_biases: bool) -> tuple[Any, ...]:
    """Both weights, both biases or None, and the weight of a projection if there is one."""
    return (*given[:4], *given[4:]) if has_biases else (*given[:2], None, None, *given[2:])


def _one_dtype(weight: Tensor, *tensors: Tensor | None) -> None:
    """Refuse tensors of another dtype than the weight's, as PyTorch words it."""
    for t in tensors:
        if t is not None and t._array.dtype != weight._array.dtype:
            raise RuntimeError(
                f"mat1 and mat2 must have the same dtype, but got {scalar_name(t._array.dtype)} and "
                f"{scalar_name(weight._array.dtype)}"
            )


def _check(op: Operation, x: Tensor, states: tuple[Tensor, ...], weights: list[Tensor], sizes: Any) -> None:
    """Refuse dtypes and shapes that don't fit, as PyTorch words it."""
    w_ih, w_hh = weights[0]._array, weights[1]._array
    _one_dtype(weights[0], x, *states, *weights)
    rows = x._array.size // max(x._array.shape[-1], 1)
    for array, w, height in ((x._array, w_ih, rows), (states[0]._array, w_hh, len(states[0]._array))):
        if array.shape[-1] != w.shape[1]:
            raise RuntimeError(
                f"mat1 and mat2 shapes cannot be multiplied ({height}x{array.shape[-1]} and "
                f"{w.shape[1]}x{w.shape[0]})"
            )
    n = x._array.shape[1] if sizes is None else sizes[0]
    for state in states:
        if state._array.shape[0] != n:
            raise RuntimeError(
                f"The size of tensor a ({n}) must match the size of tensor b ({state._array.shape[0]}) at "
                "non-singleton dimension 0"
            )
    if w_ih.shape[0] != w_hh.shape[0] or states[-1]._array.shape[1] * _GATES[op] != w_ih.shape[0]:
        raise RuntimeError(
            f"The size of tensor a ({w_ih.shape[0]}) must match the size of tensor b "
            f"({states[-1]._array.shape[1] * _GATES[op]}) at non-singleton dimension 1"
        )


@function(method=False)
def lstm(input: Tensor, *args: Any, **kwargs: Any) -> tuple[Any, Any, Any]:
    """The outputs of a long short-term memory network, its last states and its last cells.

    ``lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)``, or for
    packed sequences ``lstm(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train,
    bidirectional)``. ``hx`` is the pair of the first states and cells; ``params`` are the weights of each
    layer and direction: ``w_ih``, ``w_hh``, with biases ``b_ih`` and ``b_hh``, and ``w_hr`` if outputs are
    projected.
    """
    hx, *how = _read(args, kwargs)
    if len(hx) != 2:
        raise RuntimeError("lstm expects two hidden states")
    wide = input._array.dtype != np.float32
    op = _PACKED_LSTM if how[-1] is not None else _WIDE_LSTM if wide else LSTM
    out, h, c = _network(op, input, tuple(hx), {}, *how)
    return out, h, c


def _one_state(name: str, ops: tuple[Operation, Operation], **options: Any) -> Callable[..., Any]:
    def run(input: Tensor, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        hx, *how = _read(args, kwargs)
        out, h = _network(ops[how[-1] is not None], input, (hx,), options, *how)
        return out, h

    run.__name__ = run.__qualname__ = name
    run.__doc__ = f"""The outputs of a network of {name} layers, and its last states.

    The arguments are those of ``lstm``, except that ``hx`` is one tensor.
    """
    return function(method=False)(run)


gru = _one_state("gru", (GRU, _PACKED_GRU))
rnn_tanh = _one_state("rnn_tanh", (RNN, _PACKED_RNN))
rnn_relu = _one_state("rnn_relu", (RNN, _PACKED_RNN), relu=True)


# ----- one step -----


def _check_step(input: Tensor, hx: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor) -> None:
    x, features, size = input._array, w_ih._array.shape[1], w_hh._array.shape[1]
    if x.shape[1] != features:
        raise RuntimeError(f"input has inconsistent input_size: got {x.shape[1]} expected {features}")
    for i, h in enumerate(hx):
        if h._array.shape[0] != x.shape[0]:
            raise RuntimeError(
                f"Input batch size {x.shape[0]} doesn't match hidden{i} batch size {h._array.shape[0]}"
            )
        if h._array.shape[1] != size:
            raise RuntimeError(
                f"hidden{i} has inconsistent hidden_size: got {h._array.shape[1]}, expected {size}"
            )
    _one_dtype(w_ih, input, *hx, w_hh)


def _affine(x: Tensor, weight: Tensor, bias: Tensor | None) -> Any:
    return x.mm(weight.t()) if bias is None else FUNCTIONS["addmm"](bias, x, weight.t())


@function(method=False)
def lstm_cell(
    input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> tuple[Any, Any]:
    """One step of a long short-term memory layer: the new state and the new cell."""
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    _check_step(input, hx, w_ih, w_hh)
    h, c = hx
    i, f, g, o = (_affine(input, w_ih, b_ih) + _affine(h, w_hh, b_hh)).unsafe_chunk(4, 1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


@function(method=False)
def gru_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Any:
    """One step of a layer of gated recurrent units: the new state."""
    _check_step(input, (hx,), w_ih, w_hh)
    r, z, n = _affine(input, w_ih, b_ih).unsafe_chunk(3, 1)
    h_r, h_z, h_n = _affine(hx, w_hh, b_hh).unsafe_chunk(3, 1)
    n = (n + h_n * (h_r + r).sigmoid()).tanh()
    return (hx - n) * (h_z + z).sigmoid() + n


def _plain_cell(name: str) -> Callable[..., Any]:
    activation = name.split("_")[1]

    def run(
        input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor,
        b_ih: Tensor | None = None, b_hh: Tensor | None = None,
    ) -> Any:  # fmt: skip
        _check_step(input, (hx,), w_ih, w_hh)
        return getattr(_affine(input, w_ih, b_ih) + _affine(hx, w_hh, b_hh), activation)()

    run.__name__ = run.__qualname__ = name
    run.__doc__ = f"One step of a layer of {activation} units: the new state."
    return function(method=False)(run)


rnn_tanh_cell = _plain_cell("rnn_tanh_cell")
rnn_relu_cell = _plain_cell("rnn_relu_cell")
