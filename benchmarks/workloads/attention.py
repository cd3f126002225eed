"""Attention, causal: heads in a list, a masked softmax in each, and a layer norm."""

import numpy as np

from benchmarks.compiled import compiled, exp

UNSEEN = True
SIZE, TINY = {"tokens": 192, "width": 96, "heads": 3}, {"tokens": 4, "width": 4, "heads": 2}
WRT = (1, 2, 3, 4, 5, 6)
ROWS = 64  # queries that are taken together


def arguments(tokens, width, heads):
    draw = np.random.default_rng(24)
    w_qkv, w_out = draw.normal(size=(width, 3 * width)), draw.normal(size=(width, width))
    gain, shift = draw.uniform(0.5, 1.5, width), 0.1 * draw.normal(size=width)
    biases = 0.1 * draw.normal(size=3 * width), 0.1 * draw.normal(size=width)
    x, target = draw.normal(size=(tokens, width)), draw.normal(size=(tokens, width))
    return x, w_qkv / width**0.5, biases[0], w_out / width**0.5, biases[1], gain, shift, target, heads


def linear(x, w, b):
    return x @ w + b


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def layer_norm(x, gain, shift, eps=1e-5):
    mean = np.mean(x, axis=-1, keepdims=True)
    variance = np.var(x, axis=-1, keepdims=True)
    return gain * (x - mean) / np.sqrt(variance + eps) + shift


def attention(q, k, v, mask):
    return softmax(q @ k.T / np.sqrt(q.shape[-1]) + mask) @ v


def primal(x, w_qkv, b_qkv, w_out, b_out, gain, shift, target, heads):
    qkv = np.split(linear(x, w_qkv, b_qkv), 3, axis=-1)
    q_heads, k_heads, v_heads = [np.split(part, heads, axis=-1) for part in qkv]
    mask = (1.0 - np.tri(x.shape[0])) * -1e10
    outputs = [attention(q, k, v, mask) for q, k, v in zip(q_heads, k_heads, v_heads, strict=True)]
    y = layer_norm(x + linear(np.hstack(outputs), w_out, b_out), gain, shift)
    return np.mean((y - target) ** 2)


@compiled
def part_of_head(qkv, first, scale, size):
    part = np.empty((qkv.shape[0], size))
    for i in range(qkv.shape[0]):
        for j in range(size):
            part[i, j] = scale * qkv[i, first + j]
    return part


@compiled
def causal_softmax(scores, first):
    """In place; the first of these rows is that of the query ``first``, which sees no later keys."""
    for i in range(scores.shape[0]):
        row = scores[i]
        largest, total = row[0], 0.0
        for j in range(1, first + i + 1):
            largest = max(largest, row[j])
        for j in range(first + i + 1):
            row[j] = exp(row[j] - largest)
            total += row[j]
        total = 1.0 / total
        for j in range(first + i + 1):
            row[j] *= total
        row[first + i + 1 :] = 0.0


@compiled
def pull_softmax(chances, bars, out, out_bar, first):
    """In place of ``bars``, those of the scores; ``out`` is the output of the head."""
    for i in range(chances.shape[0]):
        mean = 0.0
        for j in range(out.shape[1]):
            mean += out[i, j] * out_bar[i, j]
        for j in range(first + i + 1):
            bars[i, j] = chances[i, j] * (bars[i, j] - mean)
        bars[i, first + i + 1 :] = 0.0


@compiled
def loss_of_norm(y, gain, shift, target, gain_bar, shift_bar):
    """The value, and in place of ``y`` its adjoint."""
    tokens, width = y.shape
    value, each, share = 0.0, 1.0 / width, 1.0 / (tokens * width)
    for i in range(tokens):
        mean, square = 0.0, 0.0
        for j in range(width):
            mean += y[i, j]
        mean *= each
        for j in range(width):
            y[i, j] -= mean
            square += y[i, j] * y[i, j]
        inverse = 1.0 / np.sqrt(square * each + 1e-5)
        whole, along = 0.0, 0.0
        for j in range(width):
            normal = y[i, j] * inverse
            miss = gain[j] * normal + shift[j] - target[i, j]
            value += miss * miss
            bar = 2.0 * share * miss
            shift_bar[j] += bar
            gain_bar[j] += bar * normal
            whole += bar * gain[j]
            along += bar * gain[j] * normal
        whole, along = whole * each, along * each
        for j in range(width):
            normal = y[i, j] * inverse
            bar = 2.0 * share * (gain[j] * normal + shift[j] - target[i, j]) * gain[j]
            y[i, j] = inverse * (bar - whole - along * normal)
    return value * share


@compiled
def heads_forward(qkv, heads, chances, outputs):
    """Only the keys that a block of queries sees are multiplied; ``chances`` keeps every block's softmax."""
    tokens, width = qkv.shape[0], qkv.shape[1] // 3
    size = width // heads
    for h in range(heads):
        q = part_of_head(qkv, h * size, 1.0 / np.sqrt(size), size)
        k = part_of_head(qkv, width + h * size, 1.0, size)
        v = part_of_head(qkv, 2 * width + h * size, 1.0, size)
        for first in range(0, tokens, ROWS):
            last = min(first + ROWS, tokens)
            block = chances[h, first * tokens : first * tokens + (last - first) * last]
            block = block.reshape((last - first, last))
            np.dot(q[first:last], k[:last].T, block)
            causal_softmax(block, first)
            outputs[first:last, h * size : (h + 1) * size] = np.dot(block, v[:last])


@compiled
def heads_backward(qkv, heads, chances, outputs, outputs_bar, qkv_bar):
    tokens, width = outputs.shape
    size = width // heads
    scale = 1.0 / np.sqrt(size)
    for h in range(heads):
        q = part_of_head(qkv, h * size, scale, size)
        k = part_of_head(qkv, width + h * size, 1.0, size)
        v = part_of_head(qkv, 2 * width + h * size, 1.0, size)
        out = part_of_head(outputs, h * size, 1.0, size)
        bar = part_of_head(outputs_bar, h * size, 1.0, size)
        k_bar, v_bar = np.zeros((tokens, size)), np.zeros((tokens, size))
        for first in range(0, tokens, ROWS):
            last = min(first + ROWS, tokens)
            block = chances[h, first * tokens : first * tokens + (last - first) * last]
            block = block.reshape((last - first, last))
            v_bar[:last] += np.dot(block.T, bar[first:last])
            scores_bar = np.dot(bar[first:last], v[:last].T)
            pull_softmax(block, scores_bar, out[first:last], bar[first:last], first)
            qkv_bar[first:last, h * size : (h + 1) * size] = scale * np.dot(scores_bar, k[:last])
            k_bar[:last] += np.dot(scores_bar.T, q[first:last])
        qkv_bar[:, width + h * size : width + (h + 1) * size] = k_bar
        qkv_bar[:, 2 * width + h * size : 2 * width + (h + 1) * size] = v_bar


@compiled
def hand(x, w_qkv, b_qkv, w_out, b_out, gain, shift, target, heads):
    tokens, width = x.shape
    qkv = np.dot(x, w_qkv) + b_qkv
    chances, outputs = np.empty((heads, tokens * tokens)), np.empty((tokens, width))
    heads_forward(qkv, heads, chances, outputs)
    y = np.dot(outputs, w_out)
    for i in range(tokens):
        for j in range(width):
            y[i, j] += x[i, j] + b_out[j]
    gain_bar, shift_bar = np.zeros(width), np.zeros(width)
    value = loss_of_norm(y, gain, shift, target, gain_bar, shift_bar)
    qkv_bar = np.empty_like(qkv)
    heads_backward(qkv, heads, chances, outputs, np.dot(y, w_out.T), qkv_bar)
    w_qkv_bar, w_out_bar = np.dot(x.T, qkv_bar), np.dot(outputs.T, y)
    return value, w_qkv_bar, np.sum(qkv_bar, 0), w_out_bar, np.sum(y, 0), gain_bar, shift_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(x, w_qkv, b_qkv, w_out, b_out, gain, shift, target, heads):
        tokens, width = x.shape
        q, k, v = jnp.moveaxis((x @ w_qkv + b_qkv).reshape(tokens, 3, heads, width // heads), 0, 2)
        scores = q @ jnp.swapaxes(k, 1, 2) / jnp.sqrt(width // heads)
        chances = jax.nn.softmax(jnp.where(jnp.tri(tokens, dtype=bool), scores, -jnp.inf), axis=-1)
        outputs = jnp.moveaxis(chances @ v, 0, 1).reshape(tokens, width)
        y = x + outputs @ w_out + b_out
        mean, variance = jnp.mean(y, 1, keepdims=True), jnp.var(y, 1, keepdims=True)
        return jnp.mean((gain * (y - mean) / jnp.sqrt(variance + 1e-5) + shift - target) ** 2)

    return cost
