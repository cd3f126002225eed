"""How do recurrent layers run through a sequence, and back? Step by step, on rows that belong to one step.

A sequence is a matrix: the rows of a step stand together, one for each element of the batch. In batches of
sequences of several lengths, longest first, later steps have fewer rows. ``spans``: where the rows of each
step begin and end, in the order in which the layer goes through them; the state of an element stays what it
is once its sequence has ended. Input projections are not done here: all steps' are one product.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import kernel

Array = Any
Spans = Sequence[tuple[int, int]]
STEP = 1 << 9  # elements from which a loop takes less time than the many operations of a step in NumPy


def spans(
    n: int, total: int, sizes: Sequence[int] | None = None, reverse: bool = False
) -> list[tuple[int, int]]:
    """The rows of each step; ``sizes``: how many, None: ``n`` in every step (at most, in the last one).

    >>> spans(2, 4), spans(2, 3, (2, 1), reverse=True)
    ([(0, 2), (2, 4)], [(2, 3), (0, 2)])
    """
    if sizes is None:
        found = [(i, min(i + n, total)) for i in range(0, total, n)] if n else []
    elif sum(sizes) != total:
        raise ValueError(f"steps of {sizes} elements don't make {total}")
    else:
        ends = np.cumsum(sizes).tolist()
        found = list(zip([0, *ends[:-1]], ends, strict=True))
    return found[::-1] if reverse else found


def rows_before(n: int, total: int, steps: Spans) -> Array:
    """For each row the row of the step before, in the matrix of the ``n`` initial states and all others."""
    found, latest = np.empty(total, np.intp), np.arange(n)
    for start, stop in steps:
        found[start:stop] = latest[: stop - start]
        latest[: stop - start] = np.arange(n + start, n + stop)
    return found


def logistic(a: Array) -> None:
    """``a = 1 / (1 + exp(-a))``, in place."""
    np.negative(a, out=a)
    np.exp(a, out=a)
    a += 1
    np.reciprocal(a, out=a)


def _slope_of_logistic(a: Array, out: Array) -> None:
    """Multiply by ``a * (1 - a)``."""
    out *= a
    out *= 1 - a


# ----- one tanh or relu -----


def rnn_forward(pre: Array, hidden: Array, w_hh: Array, steps: Spans, relu: bool) -> tuple[Array, Array]:
    """``h = tanh(pre + w_hh h)``: all states, which take the place of ``pre``, and the last ones."""
    hidden, recurrent = hidden.copy(), np.ascontiguousarray(w_hh.T)
    product = np.empty_like(hidden)
    for start, stop in steps:
        k = stop - start
        h = pre[start:stop]
        h += np.matmul(hidden[:k], recurrent, out=product[:k])
        if relu:
            np.maximum(h, 0, out=h)
        else:
            np.tanh(h, out=h)
        hidden[:k] = h
    return pre, hidden


def rnn_backward(
    g_out: Array, g_last: Array, out: Array, w_hh: Array, steps: Spans, relu: bool
) -> tuple[Array, Array]:
    """The cotangents of ``pre`` and of the initial states."""
    g_hidden = g_last.copy()
    g_pre = (out > 0).astype(out.dtype) if relu else 1 - np.square(out)
    for start, stop in reversed(steps):
        k = stop - start
        g = g_hidden[:k]
        g += g_out[start:stop]
        g_pre[start:stop] *= g
        np.matmul(g_pre[start:stop], w_hh, out=g)
    return g_pre, g_hidden


# ----- long short-term memory -----


def _gate_inputs(a: Array, product: Array, bias: Array, negated: Array, plain: Array) -> None:
    size = plain.shape[1]
    product += bias
    product += a
    np.negative(product[:, : 2 * size], out=negated[:, : 2 * size])
    np.negative(product[:, 3 * size :], out=negated[:, 2 * size :])
    plain[...] = product[:, 2 * size : 3 * size]


@kernel(_gate_inputs, STEP)
def gate_inputs(a: Array, product: Array, bias: Array, negated: Array, plain: Array) -> None:
    """The sum of what comes into the gates: negated, as ``exp`` wants it, for input, forget and output."""
    size = plain.shape[1]
    for row in range(a.shape[0]):
        for j in range(2 * size):
            negated[row, j] = -(a[row, j] + product[row, j] + bias[j])
        for j in range(2 * size, 3 * size):
            plain[row, j - 2 * size] = a[row, j] + product[row, j] + bias[j]
        for j in range(3 * size, 4 * size):
            negated[row, j - size] = -(a[row, j] + product[row, j] + bias[j])


def _new_cell(a: Array, exps: Array, tanhs: Array, cell: Array, out: Array) -> None:
    size = cell.shape[1]
    exps += 1
    np.reciprocal(exps[:, : 2 * size], out=a[:, : 2 * size])
    np.reciprocal(exps[:, 2 * size :], out=a[:, 3 * size :])
    a[:, 2 * size : 3 * size] = tanhs
    cell *= a[:, size : 2 * size]
    cell += np.multiply(a[:, :size], tanhs, out=out)
    out[...] = cell


@kernel(_new_cell, STEP)
def new_cell(a: Array, exps: Array, tanhs: Array, cell: Array, out: Array) -> None:
    """The gates from exponentials and tanh of what comes into them, and the cells, written twice."""
    size = cell.shape[1]
    one = a.dtype.type(1)
    for row in range(a.shape[0]):  # a loop per pair of arrays: those are compiled to vector instructions
        for j in range(2 * size):
            a[row, j] = one / (one + exps[row, j])
        for j in range(size):
            a[row, 2 * size + j] = tanhs[row, j]
        for j in range(2 * size, 3 * size):
            a[row, size + j] = one / (one + exps[row, j])
        for j in range(size):
            cell[row, j] = a[row, size + j] * cell[row, j] + a[row, j] * tanhs[row, j]
        for j in range(size):
            out[row, j] = cell[row, j]


def lstm_forward(
    gates: Array, bias: Array, hidden: Array, cell: Array, w_hh: Array, w_hr: Array | None, steps: Spans
) -> tuple[Array, Array, Array, Array, Array]:
    """All outputs, the last ones, the last cells, all cells, and the gates in place of what comes into them.

    The four gates (input, forget, cell, output) stand beside each other. ``w_hr``: projects the outputs.
    """
    n, size = cell.shape
    out = np.empty((len(gates), hidden.shape[1]), gates.dtype)
    cells = np.empty((len(gates), size), gates.dtype)
    hidden, cell, recurrent = hidden.copy(), cell.copy(), np.ascontiguousarray(w_hh.T)
    product, exps, tanhs = (np.empty((n, k * size), gates.dtype) for k in (4, 3, 1))
    for start, stop in steps:
        k = stop - start
        a, c, h, e = gates[start:stop], cells[start:stop], tanhs[:k], exps[:k]
        gate_inputs(a, np.matmul(hidden[:k], recurrent, out=product[:k]), bias, e, h)
        np.exp(e, out=e)
        np.tanh(h, out=h)
        new_cell(a, e, h, cell[:k], c)
        np.tanh(c, out=h)
        if w_hr is None:
            np.multiply(h, a[:, 3 * size :], out=hidden[:k])
        else:
            h *= a[:, 3 * size :]
            np.matmul(h, w_hr.T, out=hidden[:k])
        out[start:stop] = hidden[:k]
    return out, hidden, cell, cells, gates


def absent(g: Array) -> bool:
    """Whether these are zeros that are one number in memory: nothing has come here."""
    return g.size > 1 and not any(g.strides) and not g[0, 0]


def _lstm_step_back(
    g_a: Array, a: Array, g_h: Array, squashed: Array, g_c: Array, before: Array, added: bool
) -> None:
    size = g_c.shape[1]
    if not added:
        g_a[...] = 0
    g_a[:, 3 * size :] += g_h * squashed
    through = 1 - squashed * squashed
    through *= a[:, 3 * size :]
    through *= g_h
    g_c += through
    g_a[:, :size] += np.multiply(g_c, a[:, 2 * size : 3 * size], out=through)
    g_a[:, size : 2 * size] += np.multiply(g_c, before, out=through)
    g_a[:, 2 * size : 3 * size] += np.multiply(g_c, a[:, :size], out=through)
    _slope_of_logistic(a[:, : 2 * size], g_a[:, : 2 * size])
    g_a[:, 2 * size : 3 * size] *= 1 - np.square(a[:, 2 * size : 3 * size])
    _slope_of_logistic(a[:, 3 * size :], g_a[:, 3 * size :])
    g_c *= a[:, size : 2 * size]


@kernel(_lstm_step_back, STEP)
def lstm_step_back(
    g_a: Array, a: Array, g_h: Array, squashed: Array, g_c: Array, before: Array, added: bool
) -> None:
    """The cotangents of a step: of what comes into the gates, and of the cells.

    ``squashed``: tanh of the cells; ``before``: the cells of the step before; ``added``: whether there are
    cotangents of the gates in ``g_a``.
    """
    size = g_c.shape[1]
    one = a.dtype.type(1)
    for row in range(a.shape[0]):
        if not added:
            for j in range(4 * size):
                g_a[row, j] = 0
        for j in range(size):
            s = squashed[row, j]
            g_c[row, j] += (one - s * s) * a[row, 3 * size + j] * g_h[row, j]
        for j in range(size):
            i, c = a[row, j], a[row, 2 * size + j]
            g_a[row, j] = (g_a[row, j] + g_c[row, j] * c) * i * (one - i)
            g_a[row, 2 * size + j] = (g_a[row, 2 * size + j] + g_c[row, j] * i) * (one - c * c)
        for j in range(size):
            f = a[row, size + j]
            g_a[row, size + j] = (g_a[row, size + j] + g_c[row, j] * before[row, j]) * f * (one - f)
        for j in range(size):
            g_c[row, j] *= a[row, size + j]
        for j in range(size):
            o = a[row, 3 * size + j]
            g_a[row, 3 * size + j] = (g_a[row, 3 * size + j] + g_h[row, j] * squashed[row, j]) * o * (one - o)


def lstm_backward(
    g_out: Array, g_last: Array, g_last_cell: Array, g_cells: Array | None, g_gates: Array,
    gates: Array, cells: Array, before: Array, w_hh: Array, w_hr: Array | None, steps: Spans,
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """The cotangents of what comes into the gates, of all outputs, of the initial output and cell.

    ``before``: the cells of the step before each.
    """
    added = not absent(g_gates)
    g_pre = g_gates.copy() if added else np.empty_like(gates)
    g_hidden, g_cell, squashed = g_last.copy(), g_last_cell.copy(), np.tanh(cells)
    g_states = np.empty(g_out.shape, g_out.dtype)
    if absent(g_cells):
        g_cells = None
    for start, stop in reversed(steps):
        k = stop - start
        g_c = g_cell[:k]
        if g_cells is not None:
            g_c += g_cells[start:stop]
        g_h = np.add(g_hidden[:k], g_out[start:stop], out=g_states[start:stop])
        if w_hr is not None:
            g_h = g_h @ w_hr
        lstm_step_back(
            g_pre[start:stop], gates[start:stop], g_h, squashed[start:stop], g_c, before[start:stop], added
        )
        np.matmul(g_pre[start:stop], w_hh, out=g_hidden[:k])
    return g_pre, g_states, g_hidden, g_cell


# ----- gated recurrent units -----


def gru_forward(
    gates: Array, hidden: Array, w_hh: Array, b_hh: Array | None, steps: Spans
) -> tuple[Array, Array, Array, Array]:
    """All states, the last ones, the gates (reset, update, new) in place of what comes into them from the
    input, and what comes into the new gate from the state."""
    size = hidden.shape[1]
    out, inner = (np.empty((len(gates), size), gates.dtype) for _ in range(2))
    hidden, recurrent = hidden.copy(), np.ascontiguousarray(w_hh.T)
    product, spare = np.empty((len(hidden), 3 * size), gates.dtype), np.empty_like(hidden)
    for start, stop in steps:
        k = stop - start
        a, h, p = gates[start:stop], out[start:stop], product[:k]
        np.matmul(hidden[:k], recurrent, out=p)
        if b_hh is not None:
            p += b_hh
        a[:, : 2 * size] += p[:, : 2 * size]
        logistic(a[:, : 2 * size])
        inner[start:stop] = p[:, 2 * size :]
        new = a[:, 2 * size :]
        new += np.multiply(a[:, :size], p[:, 2 * size :], out=spare[:k])
        np.tanh(new, out=new)
        np.subtract(hidden[:k], new, out=h)
        h *= a[:, size : 2 * size]
        h += new
        hidden[:k] = h
    return out, hidden, gates, inner


def gru_backward(
    g_out: Array, g_last: Array, g_gates: Array, g_inner: Array | None, gates: Array, inner: Array,
    before: Array, w_hh: Array, steps: Spans,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """The cotangents of what comes into the gates from input and state, and of the first state."""
    size = g_last.shape[1]
    g_hidden, g_rec = g_last.copy(), np.empty_like(gates)
    g_pre = np.zeros_like(gates) if absent(g_gates) else g_gates.copy()
    if absent(g_inner):
        g_inner = None
    for start, stop in reversed(steps):
        k = stop - start
        a, g_a, g_p, g_h = gates[start:stop], g_pre[start:stop], g_rec[start:stop], g_hidden[:k]
        update, new, g_new = a[:, size : 2 * size], a[:, 2 * size :], g_a[:, 2 * size :]
        g_h += g_out[start:stop]
        g_a[:, size : 2 * size] += g_h * (before[start:stop] - new)
        g_new += g_h * (1 - update)
        g_new *= 1 - np.square(new)
        g_a[:, :size] += g_new * inner[start:stop]
        _slope_of_logistic(a[:, : 2 * size], g_a[:, : 2 * size])
        g_p[:, : 2 * size] = g_a[:, : 2 * size]
        np.multiply(g_new, a[:, :size], out=g_p[:, 2 * size :])
        if g_inner is not None:
            g_p[:, 2 * size :] += g_inner[start:stop]
        g_h *= update
        g_h += g_p @ w_hh
    return g_pre, g_rec, g_hidden
