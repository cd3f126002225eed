"""Which layers make one step of a recurrent network? Cells, which the caller runs along the sequence."""

from __future__ import annotations

import math
from typing import Any

from ....eager.operations.creation import empty, zeros
from ....eager.operations.recurrent import gru_cell, lstm_cell, rnn_relu_cell, rnn_tanh_cell
from ....eager.tensor import Tensor
from .. import init
from ..parameter import Parameter
from .module import Module

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "RNNCellBase"]


def draw_weights(module: Any) -> None:
    """Draw all weights evenly from ``±1 / sqrt(hidden_size)``."""
    bound = 1.0 / math.sqrt(module.hidden_size) if module.hidden_size > 0 else 0
    for weight in module.parameters():
        init.uniform_(weight, -bound, bound)


class RNNCellBase(Module):
    """What cells have in common: weights for the input and for the state, and biases for both.

    All are evenly distributed in ``±1 / sqrt(hidden_size)`` at first.

    Args:
        input_size: the length of the last dimension of the input.
        hidden_size: the length of the last dimension of the state.
        bias: whether there are ``bias_ih`` and ``bias_hh``.
        num_chunks: how many gates there are, whose weights stand below each other.
    """

    __constants__ = ["input_size", "hidden_size", "bias"]

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(empty(rows, input_size, dtype=dtype))
        self.weight_hh = Parameter(empty(rows, hidden_size, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(empty(rows, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        nonlinearity = self.__dict__.get("nonlinearity", "tanh")
        return text if nonlinearity == "tanh" else f"{text}, nonlinearity={nonlinearity}"

    def reset_parameters(self) -> None:
        """Draw new parameters."""
        draw_weights(self)

    def _check(self, what: str, t: Tensor) -> None:
        if t.dim() not in (1, 2):
            raise ValueError(f"{self._get_name()}: Expected {what} to be 1D or 2D, got {t.dim()}D instead")

    def _start(self, input: Tensor) -> Tensor:
        start: Tensor = zeros(input.size(0), self.hidden_size, dtype=input.dtype)
        return start

    def _weights(self) -> tuple[Any, ...]:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _step(self, function: Any, input: Tensor, hx: Tensor | None) -> Tensor:
        """The new state, of a cell that has one."""
        self._check("input", input)
        if hx is not None:
            self._check("hidden", hx)
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        if hx is None:
            state = self._start(x)
        else:
            state = hx if batched else hx.unsqueeze(0)
        out: Tensor = function(x, state, *self._weights())
        return out if batched else out.squeeze(0)


class RNNCell(RNNCellBase):
    """``h' = tanh(W_ih x + b_ih + W_hh h + b_hh)``, or relu.

    Shapes: ``(N, input_size), (N, hidden_size) -> (N, hidden_size)``; ``N`` may be missing.

    Args:
        input_size: the length of the last dimension of the input.
        hidden_size: the length of the last dimension of the state.
        bias: whether there are biases.
        nonlinearity: "tanh" or "relu".

    >>> import ast_ad
    >>> cell = RNNCell(10, 20)
    >>> cell(ast_ad.ones(3, 10), ast_ad.zeros(3, 20)).shape
    torch.Size([3, 20])
    """

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The new state, ``(batch, hidden_size)`` or without a batch; ``hx``: the old one, zeros if None."""
        functions = {"tanh": rnn_tanh_cell, "relu": rnn_relu_cell}
        if self.nonlinearity not in functions:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(functions[self.nonlinearity], input, hx)


class _Gated(RNNCellBase):
    """A cell whose weights are those of several gates, stacked."""

    _gates: int

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, self._gates, device, dtype)


class GRUCell(_Gated):
    """A gated recurrent unit (Cho et al. 2014): ``h' = (1 - z) n + z h``.

    Shapes: ``(N, input_size), (N, hidden_size) -> (N, hidden_size)``; ``N`` may be missing.

    ``r`` and ``z`` are logistic functions of ``W_ih x + b_ih + W_hh h + b_hh``, and with the last third of
    the weights ``n = tanh(W_ih x + b_ih + r (W_hh h + b_hh))``.

    Args:
        input_size: the length of the last dimension of the input.
        hidden_size: the length of the last dimension of the state.
        bias: whether there are biases.

    >>> import ast_ad
    >>> GRUCell(10, 20)(ast_ad.ones(3, 10)).shape
    torch.Size([3, 20])
    """

    _gates = 3

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The new state, ``(batch, hidden_size)`` or without a batch; ``hx``: the old one, zeros if None."""
        return self._step(gru_cell, input, hx)


class LSTMCell(_Gated):
    """Long short-term memory: ``c' = f c + i g`` and ``h' = o tanh(c')``.

    Shapes: ``(N, input_size) -> (N, hidden_size), (N, hidden_size)``; ``N`` may be missing.

    The gates ``i``, ``f``, ``g``, ``o`` are ``W_ih x + b_ih + W_hh h + b_hh`` after a logistic function, or
    tanh for ``g``.

    Args:
        input_size: the length of the last dimension of the input.
        hidden_size: the length of the last dimension of the state.
        bias: whether there are biases.

    >>> import ast_ad
    >>> h, c = LSTMCell(10, 20)(ast_ad.ones(3, 10))
    >>> h.shape, c.shape
    (torch.Size([3, 20]), torch.Size([3, 20]))
    """

    _gates = 4

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        """The new state and the new cell; ``hx``: the old ones, zeros if None."""
        self._check("input", input)
        for i, state in enumerate(hx or ()):
            self._check(f"hx[{i}]", state)
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        if hx is None:
            states = [self._start(x)] * 2
        else:
            states = [state if batched else state.unsqueeze(0) for state in hx]
        h, c = lstm_cell(x, states, *self._weights())
        return (h, c) if batched else (h.squeeze(0), c.squeeze(0))
