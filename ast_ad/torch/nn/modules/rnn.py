"""Which layers read sequences one element after the other? Recurrent networks of one layer or several."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

from ....eager.operations import recurrent
from ....eager.operations.creation import empty, zeros
from ....eager.tensor import Tensor
from ..parameter import Parameter
from .module import Module
from .rnn_cells import draw_weights
from .utils import told

__all__ = ["GRU", "LSTM", "RNN", "RNNBase"]

_FUNCTIONS: dict[str, Any] = {
    "LSTM": recurrent.lstm,
    "GRU": recurrent.gru,
    "RNN_TANH": recurrent.rnn_tanh,
    "RNN_RELU": recurrent.rnn_relu,
}
_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
NO_DROPOUT = (
    "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
    "greater than 1, but got dropout={} and num_layers={}"
)


def _check_options(
    mode: str, sizes: dict[str, Any], flags: dict[str, Any], dropout: Any, proj_size: int
) -> None:
    probability = isinstance(dropout, numbers.Number) and not isinstance(dropout, bool)
    if not probability or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being "
            "zeroed"
        )
    if dropout > 0 and sizes["num_layers"] == 1:
        warnings.warn(NO_DROPOUT.format(dropout, 1), stacklevel=4)
    for name in ("input_size", "hidden_size"):
        if not isinstance(sizes[name], int):
            raise TypeError(f"{name} should be of type int, got: {type(sizes[name]).__name__}")
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise TypeError(f"{name} should be of type bool, got: {type(flag).__name__}")
    for name, size in sizes.items():
        if size <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= sizes["hidden_size"]:
        raise ValueError("proj_size has to be smaller than hidden_size")
    if mode not in _GATES:
        raise ValueError(f"Unrecognized RNN mode: {mode}")


class RNNBase(Module):
    """What recurrent networks have in common; the parameters of ``LSTM`` describe all arguments.

    Parameters, for each layer ``k`` and, with the suffix ``_reverse``, for its other direction:
    ``weight_ih_l[k]``, ``weight_hh_l[k]``, ``bias_ih_l[k]``, ``bias_hh_l[k]``, and ``weight_hr_l[k]`` with a
    projection. They are evenly distributed in ``±1 / sqrt(hidden_size)`` at first.
    """

    __constants__ = [
        "mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout", "bidirectional",
        "proj_size",
    ]  # fmt: skip

    def __init__(
        self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        sizes = {"input_size": input_size, "hidden_size": hidden_size, "num_layers": num_layers}
        _check_options(mode, sizes, {"batch_first": batch_first, "bias": bias}, dropout, proj_size)
        self.mode, self.input_size, self.hidden_size, self.num_layers = (
            mode,
            input_size,
            hidden_size,
            num_layers,
        )
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[: self._directions]:
                self._add_weights(layer, suffix, dtype)
        self._flat_weights_names = [name for names in self._all_weights for name in names]
        self.reset_parameters()

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def _out_size(self) -> int:
        return self.proj_size if self.proj_size > 0 else self.hidden_size

    def _add_weights(self, layer: int, suffix: str, dtype: Any) -> None:
        """Make the parameters of a layer and direction, and note their names."""
        rows = _GATES[self.mode] * self.hidden_size
        width = self.input_size if layer == 0 else self._out_size * self._directions
        shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, width), "weight_hh": (rows, self._out_size)}
        if self.bias:
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        if self.proj_size > 0:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        names = [f"{name}_l{layer}{suffix}" for name in shapes]
        for name, shape in zip(names, shapes.values(), strict=True):
            setattr(self, name, Parameter(empty(*shape, dtype=dtype)))
        self._all_weights.append(names)

    @property
    def _flat_weights(self) -> list[Any]:
        return [getattr(self, name) for name in self._flat_weights_names]

    @property
    def all_weights(self) -> list[list[Any]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def flatten_parameters(self) -> None:
        """Nothing: where weights lie in memory makes no difference here."""

    def reset_parameters(self) -> None:
        """Draw new parameters."""
        draw_weights(self)

    def extra_repr(self) -> str:
        options = told(
            self, proj_size=0, num_layers=1, bias=True, batch_first=False, dropout=0, bidirectional=False
        )
        return ", ".join([f"{self.input_size}, {self.hidden_size}", *options])

    # ----- checks of what comes in
    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Refuse an input of another dtype, rank or length than the weights expect."""
        dtype = self._flat_weights[0].dtype
        if input.dtype != dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). Convert input: "
                f"input.to({dtype}), or convert model: model.to({input.dtype})"
            )
        rank = 2 if batch_sizes is not None else 3
        if input.dim() != rank:
            raise RuntimeError(f"input must have {rank} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                "input.size(-1) must be equal to input_size. Expected "
                f"{self.input_size}, got {input.size(-1)}"
            )

    def _batch(self, input: Tensor, batch_sizes: Any) -> int:
        if batch_sizes is not None:
            return int(batch_sizes[0])
        return int(input.size(0 if self.batch_first else 1))

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape of the first states for this input."""
        return self.num_layers * self._directions, self._batch(input, batch_sizes), self._out_size

    def check_hidden_size(
        self, hx: Tensor, expected_hidden_size: tuple[int, int, int],
        msg: str = "Expected hidden size {}, got {}",
    ) -> None:  # fmt: skip
        """Refuse first states of another shape."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Refuse arguments that don't fit the network."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The states with the elements of the batch in another order."""
        return hx if permutation is None else hx.index_select(1, permutation)

    # ----- running
    def _given(self, hx: Any, batched: bool) -> Any:
        """The first states with a dimension for the batch."""
        if hx.dim() != (3 if batched else 2):
            raise RuntimeError(
                f"For {_kind(batched)} input, hx should also be {3 if batched else 2}-D but got {hx.dim()}-D "
                "tensor"
            )
        return hx if batched else hx.unsqueeze(1)

    def _zeros(self, input: Tensor, batch: int) -> Any:
        """The first states where none are given."""
        return zeros(self.num_layers * self._directions, batch, self._out_size, dtype=input.dtype)

    def _without_batch(self, hidden: Any) -> Any:
        return hidden.squeeze(1)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The outputs of the last layer at each step, and the last states of all layers.

        Args:
            input: ``(length, batch, input_size)``, with ``batch_first`` ``(batch, length, input_size)``,
                without a batch ``(length, input_size)``; or a packed sequence.
            hx: the first states, ``(num_layers * directions, batch, hidden_size)``, zeros if None; of an LSTM
                a pair of states and cells.

        Raises:
            ValueError: the input has another rank or dtype.
            RuntimeError: the shapes don't fit.
        """
        if isinstance(input, tuple):
            return self._forward_packed(input, hx)
        if input.dim() not in (2, 3):
            tensor = "tensor " if self.mode.startswith("RNN") else ""
            raise ValueError(
                f"{self._get_name()}: Expected input to be 2D or 3D, got {input.dim()}D {tensor}instead"
            )
        batched = input.dim() == 3
        x = input if batched else input.unsqueeze(0 if self.batch_first else 1)
        hx = self._zeros(x, self._batch(x, None)) if hx is None else self._given(hx, batched)
        self.check_forward_args(x, hx, None)
        out, hidden = self._run(x, hx, None)
        if batched:
            return out, hidden
        return out.squeeze(0 if self.batch_first else 1), self._without_batch(hidden)

    def _forward_packed(self, input: Any, hx: Any) -> Any:
        data, batch_sizes, sorted_indices, unsorted_indices = input
        if hx is None:
            hx = self._zeros(data, int(batch_sizes[0]))
        else:
            hx = self.permute_hidden(hx, sorted_indices)
        if self.mode != "LSTM":  # of which PyTorch leaves it to the operation
            self.check_forward_args(data, hx, batch_sizes)
        out, hidden = self._run(data, hx, batch_sizes)
        packed = type(input)(out, batch_sizes, sorted_indices, unsorted_indices)
        return packed, self.permute_hidden(hidden, unsorted_indices)

    def _run(self, data: Tensor, hx: Any, batch_sizes: Tensor | None) -> tuple[Any, Any]:
        how = self.bias, self.num_layers, self.dropout, self.training, self.bidirectional
        function = _FUNCTIONS[self.mode]
        if batch_sizes is not None:
            out, *hidden = function(data, batch_sizes, hx, self._flat_weights, *how)
        else:
            out, *hidden = function(data, hx, self._flat_weights, *how, self.batch_first)
        return out, hidden[0] if len(hidden) == 1 else tuple(hidden)


def _kind(batched: bool) -> str:
    return "batched 3-D" if batched else "unbatched 2-D"


class RNN(RNNBase):
    """``h = tanh(W_ih x + b_ih + W_hh h + b_hh)`` at each step, or relu, in one layer or several.

    Shapes: ``(T, N, input_size) -> (T, N, hidden_size), (num_layers, N, hidden_size)``; ``batch_first=True``:
    ``(N, T, input_size) -> (N, T, hidden_size), (num_layers, N, hidden_size)``; ``bidirectional=True``:
    ``(T, N, input_size) -> (T, N, 2 * hidden_size), (2 * num_layers, N, hidden_size)``; ``N`` may be missing.

    Args:
        input_size: the length of the last dimension of the input.
        hidden_size: the length of the last dimension of the states.
        num_layers: how many layers there are, each of which reads the outputs of the one before.
        nonlinearity: "tanh" or "relu".
        bias: whether there are biases.
        batch_first: whether the dimension of the batch comes before that of the steps.
        dropout: with which probability outputs of all layers but the last are zeroed in training.
        bidirectional: whether each layer reads from both ends.

    >>> import ast_ad
    >>> out, h = RNN(10, 20, 2)(ast_ad.ones(5, 3, 10))
    >>> out.shape, h.shape
    (torch.Size([5, 3, 20]), torch.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            nonlinearity, args = args[3], args[:3] + args[4:]
        else:
            nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)
        self.nonlinearity = nonlinearity


class GRU(RNNBase):
    """Gated recurrent units (Cho et al. 2014): ``h = (1 - z) n + z h`` at each step, with the gates

    ``r``, ``z`` = logistic(``W_ih x + b_ih + W_hh h + b_hh``) and, with the last third of the weights,
    ``n`` = tanh(``W_ih x + b_ih + r (W_hh h + b_hh)``). The arguments are those of ``RNN``.

    Shapes: ``(T, N, input_size) -> (T, N, hidden_size), (num_layers, N, hidden_size)``; ``batch_first=True``:
    ``(N, T, input_size) -> (N, T, hidden_size), (num_layers, N, hidden_size)``; ``bidirectional=True``:
    ``(T, N, input_size) -> (T, N, 2 * hidden_size), (2 * num_layers, N, hidden_size)``; ``N`` may be missing.

    >>> import ast_ad
    >>> out, h = GRU(10, 20, bidirectional=True)(ast_ad.ones(5, 3, 10))
    >>> out.shape, h.shape
    (torch.Size([5, 3, 40]), torch.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


class LSTM(RNNBase):
    """Long short-term memory (Hochreiter and Schmidhuber 1997): ``c = f c + i g`` and ``h = o tanh(c)``.

    Shapes: ``(T, N, input_size) -> (T, N, hidden_size), (num_layers, N, hidden_size)``; ``batch_first=True``:
    ``(N, T, input_size) -> (N, T, hidden_size), (num_layers, N, hidden_size)``; ``bidirectional=True``:
    ``(T, N, input_size) -> (T, N, 2 * hidden_size), (2 * num_layers, N, hidden_size)``; ``N`` may be missing.
    The last states come as a pair with the last cells, which have their shape.

    The gates ``i``, ``f``, ``g``, ``o`` are ``W_ih x + b_ih + W_hh h + b_hh`` after a logistic function, or
    tanh for ``g``.

    Args:
        input_size: the length of the last dimension of the input.
        hidden_size: the length of the last dimension of the cells.
        num_layers: how many layers there are, each of which reads the outputs of the one before.
        bias: whether there are biases.
        batch_first: whether the dimension of the batch comes before that of the steps.
        dropout: with which probability outputs of all layers but the last are zeroed in training.
        bidirectional: whether each layer reads from both ends.
        proj_size: the length to which ``h`` is projected by one more weight (Sak et al. 2014); 0: it is not.

    >>> import ast_ad
    >>> out, (h, c) = LSTM(10, 20, 2, batch_first=True)(ast_ad.ones(3, 5, 10))
    >>> out.shape, h.shape, c.shape
    (torch.Size([3, 5, 20]), torch.Size([2, 3, 20]), torch.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape of the first cells for this input."""
        return self.num_layers * self._directions, self._batch(input, batch_sizes), self.hidden_size

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Refuse arguments that don't fit the network."""
        self.check_input(input, batch_sizes)
        expected = self.get_expected_hidden_size(input, batch_sizes)
        self.check_hidden_size(hidden[0], expected, "Expected hidden[0] size {}, got {}")
        expected = self.get_expected_cell_size(input, batch_sizes)
        self.check_hidden_size(hidden[1], expected, "Expected hidden[1] size {}, got {}")

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The states and cells with the elements of the batch in another order."""
        return hx if permutation is None else tuple(s.index_select(1, permutation) for s in hx)

    def _given(self, hx: Any, batched: bool) -> Any:
        ranks = hx[0].dim(), hx[1].dim()
        if ranks != ((3, 3) if batched else (2, 2)):
            raise RuntimeError(
                f"For {_kind(batched)} input, hx and cx should also be {3 if batched else 2}-D but got "
                f"({ranks[0]}-D, {ranks[1]}-D) tensors"
            )
        return hx if batched else (hx[0].unsqueeze(1), hx[1].unsqueeze(1))

    def _zeros(self, input: Tensor, batch: int) -> Any:
        cells = zeros(self.num_layers * self._directions, batch, self.hidden_size, dtype=input.dtype)
        return super()._zeros(input, batch), cells

    def _without_batch(self, hidden: Any) -> Any:
        return hidden[0].squeeze(1), hidden[1].squeeze(1)
