"""How do recurrent layers differentiate? Each layer and direction is one operation with its own sweep.

The sweeps of the first derivative are loops on arrays (``rules.loops.recurrent``). Each is an operation too,
whose equivalent program in NumPy gives the derivatives of higher order. What the sweep reads of the layer,
its gates and cells, are results of the layer.

``x`` is ``(length, batch, features)``; with ``sizes``, how many sequences take part in each step (longest
first), it is ``(sum(sizes), features)``. ``reverse``: from the last step to the first.

Index: rnn_layer lstm_layer gru_layer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import helpers
from ..loops import recurrent as kernels
from ..registry import composite, nondifferentiable, program, vjp

Sizes = Sequence[int] | None


def matrix(x: Any) -> Any:
    """A row for each step and each element of the batch."""
    return np.reshape(x, (math.prod(np.shape(x)[:-1]), np.shape(x)[-1]))


def projected(x: Any, w: Any, *biases: Any) -> Any:
    """The products of all steps' inputs with the weights, as a new matrix, and the sum of the biases."""
    found = np.matmul(matrix(x), w.T)
    given = [b for b in biases if b is not None]
    if given:
        found += sum(given[1:], given[0])
    return found


def check(x: Any, w_ih: Any, w_hh: Any, gates: int, *states: Any) -> None:
    """Raise ValueError unless all shapes fit: the last of the states has as many columns as a gate."""
    size, n = states[-1].shape[1], len(states[0])
    fits = w_ih.shape == (gates * size, x.shape[-1]) and w_hh.shape == (gates * size, states[0].shape[1])
    if not fits or any(len(s) != n for s in states) or x.ndim == 3 and x.shape[1] != n:
        shapes = [a.shape for a in (x, *states, w_ih, w_hh)]
        raise ValueError(f"shapes of input, states and weights do not fit: {shapes}")


def rows_before(n: int, total: int, sizes: Sizes, reverse: bool) -> Any:
    """For each row the row of the step before, counted from the initial states, which come first.

    >>> rows_before(2, 3, (2, 1), False)
    array([0, 1, 2])
    """
    return kernels.rows_before(n, total, kernels.spans(n, total, sizes, reverse))


nondifferentiable(rows_before)


@program
def states_before(first: Any, states: Any, sizes: Sizes, reverse: bool) -> Any:
    """The state before each step, for all of the ``states`` after a step and the ``first`` ones."""
    n, total = np.shape(first)[0], np.shape(states)[0]
    if sizes is None and reverse:
        return np.concatenate((states[n:], first), axis=0)
    if sizes is None:
        return np.concatenate((first, states[: total - n]), axis=0)
    return np.concatenate((first, states), axis=0)[rows_before(n, total, sizes, reverse)]


helpers.SHAPED_LIKE[states_before] = 1, (0, 1)


# ----- what the programs of the sweeps consist of -----


def by_step(a, n, sizes):
    """A matrix such that ``rows`` finds the rows of a step."""
    return np.reshape(a, (-1, n, np.shape(a)[1])) if sizes is None else a


def rows(a, t, sizes):
    return a[t] if sizes is None else a[sum(sizes[:t]) : sum(sizes[: t + 1])]


def first_rows(state, t, sizes):
    """The states of the elements that take part in a step."""
    return state if sizes is None else state[: sizes[t]]


def carried(new, state, t, sizes):
    """All states, those of the elements in a step the new ones."""
    return new if sizes is None else np.concatenate((new, state[sizes[t] :]), axis=0)


def backwards(a, sizes, reverse):
    """The steps, the last one of the layer first."""
    count = np.shape(a)[0] if sizes is None else len(sizes)
    return range(count) if reverse else range(count - 1, -1, -1)


def joined(parts, sizes, reverse):
    """The matrix of the cotangents of all steps, which were computed from the last step to the first."""
    if sizes is not None:
        return np.concatenate(parts if reverse else parts[::-1], axis=0)
    found = np.stack(parts, axis=0)
    return matrix(found if reverse else found[::-1])


# ----- one tanh or relu -----


def rnn_layer(
    x: Any, h0: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None,
    sizes: Sizes = None, reverse: bool = False, relu: bool = False,
) -> Any:  # fmt: skip
    """``h = tanh(w_ih x + b_ih + w_hh h + b_hh)`` (or relu) at each step: all of them, and the last.

    >>> x, w = np.ones((2, 1, 1)), np.ones((1, 1))
    >>> out, last = rnn_layer(x, np.zeros((1, 1)), w, w, relu=True)
    >>> out.ravel(), last
    (array([1., 2.]), array([[2.]]))
    """
    check(x, w_ih, w_hh, 1, h0)
    pre = projected(x, w_ih, b_ih, b_hh)
    steps = kernels.spans(len(h0), len(pre), sizes, reverse)
    out, last = kernels.rnn_forward(pre, h0, w_hh, steps, relu)
    return out.reshape(*x.shape[:-1], h0.shape[1]), last


@vjp(rnn_layer)
def rnn_layer_rule(g, ans, x, h0, w_ih, w_hh, b_ih=None, b_hh=None, sizes=None, reverse=False, relu=False):
    (g_out, g_last), (out, _) = g, ans
    g_pre, g_h0 = rnn_sweep(matrix(g_out), g_last, matrix(out), w_hh, sizes, reverse, relu)
    before = states_before(h0, matrix(out), sizes, reverse)
    g_x = np.reshape(g_pre @ w_ih, np.shape(x))
    g_b = np.sum(g_pre, axis=0)
    return g_x, g_h0, np.transpose(g_pre) @ matrix(x), np.transpose(g_pre) @ before, g_b, np.copy(g_b)


def rnn_sweep(
    g_out: Any,
    g_last: Any,
    out: Any,
    w_hh: Any,
    sizes: Sizes = None,
    reverse: bool = False,
    relu: bool = False,
) -> Any:
    """The cotangents of what comes into the activation, and of the initial state."""
    steps = kernels.spans(len(g_last), len(out), sizes, reverse)
    return kernels.rnn_backward(g_out, g_last, out, w_hh, steps, relu)


@composite(rnn_sweep)
def rnn_sweep_program(g_out, g_last, out, w_hh, sizes=None, reverse=False, relu=False):
    n = np.shape(g_last)[0]
    slope = by_step(np.where(out > 0, out * 0 + 1, 0) if relu else 1 - out * out, n, sizes)
    g_out, parts = by_step(g_out, n, sizes), []
    for t in backwards(g_out, sizes, reverse):
        g_pre = (first_rows(g_last, t, sizes) + rows(g_out, t, sizes)) * rows(slope, t, sizes)
        g_last = carried(g_pre @ w_hh, g_last, t, sizes)
        parts.append(g_pre)
    return joined(parts, sizes, reverse), g_last


# ----- long short-term memory -----


def lstm_layer(
    x: Any, h0: Any, c0: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None, w_hr: Any = None,
    sizes: Sizes = None, reverse: bool = False,
) -> Any:  # fmt: skip
    """All outputs, the last ones, the last cells; and all cells and gates (input, forget, cell, output).

    The gates are ``w_ih x + b_ih + w_hh h + b_hh`` after a logistic function, or tanh for the third;
    ``c = forget * c + input * cell`` and ``h = output * tanh(c)``, which ``w_hr`` projects if it is given
    (Hochreiter and Schmidhuber 1997; Gers et al. 2000; Sak et al. 2014).

    >>> x, w_ih, w_hh = np.ones((3, 2, 4)), np.ones((20, 4)), np.ones((20, 5))
    >>> out, h, c, _, _ = lstm_layer(x, *np.zeros((2, 2, 5)), w_ih, w_hh)
    >>> out.shape, h.shape, c.shape, bool((out[-1] == h).all())
    ((3, 2, 5), (2, 5), (2, 5), True)
    """
    check(x, w_ih, w_hh, 4, h0, c0)
    gates = projected(x, w_ih)
    bias = sum((b for b in (b_ih, b_hh) if b is not None), np.zeros(len(w_ih), gates.dtype))
    steps = kernels.spans(len(h0), len(gates), sizes, reverse)
    with np.errstate(over="ignore"):
        out, *rest = kernels.lstm_forward(gates, bias, h0, c0, w_hh, w_hr, steps)
    return out.reshape(*x.shape[:-1], h0.shape[1]), *rest


@vjp(lstm_layer)
def lstm_layer_rule(
    g, ans, x, h0, c0, w_ih, w_hh, b_ih=None, b_hh=None, w_hr=None, sizes=None, reverse=False
):
    (g_out, g_h, g_c, g_cells, g_gates), (out, _, _, cells, gates) = g, ans
    g_pre, g_states, g_h0, g_c0 = lstm_sweep(
        matrix(g_out), g_h, g_c, g_cells, g_gates, gates, cells, c0, w_hh, w_hr, sizes, reverse
    )
    before = states_before(h0, matrix(out), sizes, reverse)
    g_w_hr = None
    if w_hr is not None:
        g_w_hr = np.transpose(g_states) @ (gates[:, 3 * np.shape(c0)[1] :] * np.tanh(cells))
    g_x = np.reshape(g_pre @ w_ih, np.shape(x))
    g_b = np.sum(g_pre, axis=0)
    across = np.transpose(g_pre)
    return g_x, g_h0, g_c0, across @ matrix(x), across @ before, g_b, np.copy(g_b), g_w_hr


def lstm_sweep(
    g_out: Any, g_h: Any, g_c: Any, g_cells: Any, g_gates: Any, gates: Any, cells: Any, c0: Any, w_hh: Any,
    w_hr: Any = None, sizes: Sizes = None, reverse: bool = False,
) -> Any:  # fmt: skip
    """The cotangents of what comes into the gates, of all outputs, of the initial output and cell."""
    steps = kernels.spans(len(c0), len(cells), sizes, reverse)
    before = states_before(c0, cells, sizes, reverse)
    return kernels.lstm_backward(g_out, g_h, g_c, g_cells, g_gates, gates, cells, before, w_hh, w_hr, steps)


@composite(lstm_sweep)
def lstm_sweep_program(
    g_out, g_h, g_c, g_cells, g_gates, gates, cells, c0, w_hh, w_hr=None, sizes=None, reverse=False
):
    n, size = np.shape(c0)
    before = by_step(states_before(c0, cells, sizes, reverse), n, sizes)
    i, f, c, o = (gates[:, k * size : (k + 1) * size] for k in range(4))
    squashed = np.tanh(cells)
    through = by_step(o * (1 - squashed * squashed), n, sizes)
    slope = by_step(np.concatenate((i * (1 - i), f * (1 - f), 1 - c * c, o * (1 - o)), axis=1), n, sizes)
    gates, squashed = by_step(gates, n, sizes), by_step(squashed, n, sizes)
    g_gates = by_step(g_gates, n, sizes)
    g_out, g_cells, parts, states = by_step(g_out, n, sizes), by_step(g_cells, n, sizes), [], []
    for t in backwards(g_out, sizes, reverse):
        a = rows(gates, t, sizes)
        g_state = first_rows(g_h, t, sizes) + rows(g_out, t, sizes)
        g_hidden = g_state if w_hr is None else g_state @ w_hr
        g_cell = first_rows(g_c, t, sizes) + g_hidden * rows(through, t, sizes) + rows(g_cells, t, sizes)
        g_i, g_n = g_cell * a[:, 2 * size : 3 * size], g_cell * a[:, :size]
        g_f, g_o = g_cell * rows(before, t, sizes), g_hidden * rows(squashed, t, sizes)
        g_a = np.concatenate((g_i, g_f, g_n, g_o), axis=1)
        g_pre = (g_a + rows(g_gates, t, sizes)) * rows(slope, t, sizes)
        g_h = carried(g_pre @ w_hh, g_h, t, sizes)
        g_c = carried(g_cell * a[:, size : 2 * size], g_c, t, sizes)
        parts.append(g_pre)
        states.append(g_state)
    return joined(parts, sizes, reverse), joined(states, sizes, reverse), g_h, g_c


# ----- gated recurrent units -----


def gru_layer(
    x: Any, h0: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None,
    sizes: Sizes = None, reverse: bool = False,
) -> Any:  # fmt: skip
    """All states, the last ones; and all gates (reset, update, new) and ``inner``, of each step.

    Reset and update are logistic functions of ``w_ih x + b_ih + w_hh h + b_hh``; with the last third of the
    weights ``inner = w_hh h + b_hh`` and ``new = tanh(w_ih x + b_ih + reset * inner)``. The state becomes
    ``(1 - update) * new + update * h`` (Cho et al. 2014).

    >>> out, h, _, _ = gru_layer(np.ones((3, 2, 4)), np.zeros((2, 5)), np.ones((15, 4)), np.ones((15, 5)))
    >>> out.shape, h.shape, bool((out[-1] == h).all())
    ((3, 2, 5), (2, 5), True)
    """
    check(x, w_ih, w_hh, 3, h0)
    gates = projected(x, w_ih, b_ih)
    steps = kernels.spans(len(h0), len(gates), sizes, reverse)
    with np.errstate(over="ignore"):
        out, *rest = kernels.gru_forward(gates, h0, w_hh, b_hh, steps)
    return out.reshape(*x.shape[:-1], h0.shape[1]), *rest


@vjp(gru_layer)
def gru_layer_rule(g, ans, x, h0, w_ih, w_hh, b_ih=None, b_hh=None, sizes=None, reverse=False):
    (g_out, g_last, g_gates, g_inner), (out, _, gates, inner) = g, ans
    before = states_before(h0, matrix(out), sizes, reverse)
    g_pre, g_rec, g_h0 = gru_sweep(
        matrix(g_out), g_last, g_gates, g_inner, gates, inner, before, w_hh, sizes, reverse
    )
    g_x = np.reshape(g_pre @ w_ih, np.shape(x))
    g_w_ih, g_w_hh = np.transpose(g_pre) @ matrix(x), np.transpose(g_rec) @ before
    return g_x, g_h0, g_w_ih, g_w_hh, np.sum(g_pre, axis=0), np.sum(g_rec, axis=0)


def gru_sweep(
    g_out: Any, g_last: Any, g_gates: Any, g_inner: Any, gates: Any, inner: Any, before: Any, w_hh: Any,
    sizes: Sizes = None, reverse: bool = False,
) -> Any:  # fmt: skip
    """The cotangents of what comes into the gates from the input and from the state, and of the first state.

    ``before``: the state before each step.
    """
    steps = kernels.spans(len(g_last), len(gates), sizes, reverse)
    return kernels.gru_backward(g_out, g_last, g_gates, g_inner, gates, inner, before, w_hh, steps)


@composite(gru_sweep)
def gru_sweep_program(g_out, g_last, g_gates, g_inner, gates, inner, before, w_hh, sizes=None, reverse=False):
    n, size = np.shape(g_last)
    r, z, new = gates[:, :size], gates[:, size : 2 * size], gates[:, 2 * size :]
    slope = by_step(np.concatenate((r * (1 - r), z * (1 - z), 1 - new * new), axis=1), n, sizes)
    shift, inner = by_step(before - new, n, sizes), by_step(inner, n, sizes)
    gates, g_gates, g_inner = by_step(gates, n, sizes), by_step(g_gates, n, sizes), by_step(g_inner, n, sizes)
    g_out, parts, recurrent = by_step(g_out, n, sizes), [], []
    for t in backwards(g_out, sizes, reverse):
        a, g_a, slopes = rows(gates, t, sizes), rows(g_gates, t, sizes), rows(slope, t, sizes)
        r, z = a[:, :size], a[:, size : 2 * size]
        g_h = first_rows(g_last, t, sizes) + rows(g_out, t, sizes)
        g_n = (g_h * (1 - z) + g_a[:, 2 * size :]) * slopes[:, 2 * size :]
        both = np.concatenate((g_n * rows(inner, t, sizes), g_h * rows(shift, t, sizes)), axis=1)
        both = (both + g_a[:, : 2 * size]) * slopes[:, : 2 * size]
        g_rec = np.concatenate((both, g_n * r + rows(g_inner, t, sizes)), axis=1)
        g_last = carried(g_h * z + g_rec @ w_hh, g_last, t, sizes)
        parts.append(np.concatenate((both, g_n), axis=1))
        recurrent.append(g_rec)
    return joined(parts, sizes, reverse), joined(recurrent, sizes, reverse), g_last
