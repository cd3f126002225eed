"""Inside probabilities: a sentence's likelihood under a grammar, by a chart of spans and their splits."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, WRT = {"symbols": 8, "words": 24, "vocabulary": 40}, (0, 1)
TINY = {"symbols": 3, "words": 4, "vocabulary": 5}


def arguments(symbols, words, vocabulary):
    draw = np.random.default_rng(92)
    return (
        draw.normal(size=(symbols, symbols, symbols)),
        draw.normal(size=(symbols, vocabulary)),
        draw.integers(0, vocabulary, words),
    )


def primal(binary, lexical, sentence):
    """Every symbol becomes two others or a word; what is scaled up by 8 a word is taken off at the end."""
    symbols, n = lexical.shape[0], len(sentence)
    total = np.sum(np.exp(binary), axis=(1, 2)) + np.sum(np.exp(lexical), axis=1)
    rules = np.exp(binary) / total[:, None, None]
    emission = 8.0 * np.exp(lexical) / total[:, None]
    chart = np.zeros((n, n + 1, symbols))
    for i, word in enumerate(sentence):
        chart[i, i + 1] = emission[:, word]
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            j = i + width
            pairs = np.zeros((symbols, symbols))
            for middle in range(i + 1, j):
                pairs += np.outer(chart[i, middle], chart[middle, j])
            chart[i, j] = np.sum(rules * pairs, axis=(1, 2))
    return n * np.log(8.0) - np.log(chart[0, n, 0])


@compiled
def hand(binary, lexical, sentence):
    """The pairs of a span are summed again on the way back, over spans from wide to narrow."""
    symbols, n, vocabulary = lexical.shape[0], sentence.size, lexical.shape[1]
    rules, emission, over = np.exp(binary), np.exp(lexical), np.empty(symbols)
    for a in range(symbols):
        over[a] = 1.0 / (np.sum(rules[a]) + np.sum(emission[a]))
        for b in range(symbols):
            for c in range(symbols):
                rules[a, b, c] *= over[a]
        for w in range(vocabulary):
            emission[a, w] *= over[a]
    chart = np.empty((n, n + 1, symbols))
    bars = np.zeros((n, n + 1, symbols))
    pairs, pairs_bar = np.empty((n, n + 1, symbols, symbols)), np.empty((symbols, symbols))
    for i in range(n):
        for a in range(symbols):
            chart[i, i + 1, a] = 8.0 * emission[a, sentence[i]]
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            j = i + width
            pair = pairs[i, j]
            pair[:] = 0.0
            for middle in range(i + 1, j):
                left, right = chart[i, middle], chart[middle, j]
                for b in range(symbols):
                    for c in range(symbols):
                        pair[b, c] += left[b] * right[c]
            for a in range(symbols):
                inside = 0.0
                for b in range(symbols):
                    for c in range(symbols):
                        inside += rules[a, b, c] * pair[b, c]
                chart[i, j, a] = inside
    value = n * np.log(8.0) - np.log(chart[0, n, 0])
    bars[0, n, 0] = -1.0 / chart[0, n, 0]
    rules_bar, emission_bar = np.zeros(binary.shape), np.zeros(lexical.shape)
    for width in range(n, 1, -1):
        for i in range(n - width + 1):
            j = i + width
            bar, pair = bars[i, j], pairs[i, j]
            pairs_bar[:] = 0.0
            for a in range(symbols):
                g = bar[a]
                for b in range(symbols):
                    for c in range(symbols):
                        rules_bar[a, b, c] += g * pair[b, c]
                        pairs_bar[b, c] += g * rules[a, b, c]
            for middle in range(i + 1, j):
                left, right = chart[i, middle], chart[middle, j]
                left_bar, right_bar = bars[i, middle], bars[middle, j]
                for b in range(symbols):
                    part = 0.0
                    for c in range(symbols):
                        part += pairs_bar[b, c] * right[c]
                        right_bar[c] += pairs_bar[b, c] * left[b]
                    left_bar[b] += part
    for i in range(n):
        for a in range(symbols):
            emission_bar[a, sentence[i]] += 8.0 * bars[i, i + 1, a]
    for a in range(symbols):
        mean = np.sum(rules_bar[a] * rules[a]) + np.sum(emission_bar[a] * emission[a])
        for b in range(symbols):
            for c in range(symbols):
                rules_bar[a, b, c] = rules[a, b, c] * (rules_bar[a, b, c] - mean)
        for w in range(vocabulary):
            emission_bar[a, w] = emission[a, w] * (emission_bar[a, w] - mean)
    return value, rules_bar, emission_bar


def jax_version():
    import jax.numpy as jnp

    def cost(binary, lexical, sentence):
        n = len(sentence)
        total = jnp.sum(jnp.exp(binary), axis=(1, 2)) + jnp.sum(jnp.exp(lexical), axis=1)
        rules = jnp.exp(binary) / total[:, None, None]
        emission = 8.0 * jnp.exp(lexical) / total[:, None]
        spans = {1: emission[:, sentence].T}  # of one width, from the first word on
        for width in range(2, n + 1):
            count = n - width + 1
            left = jnp.stack([spans[k][:count] for k in range(1, width)])
            right = jnp.stack([spans[width - k][k : k + count] for k in range(1, width)])
            pairs = jnp.einsum("kib,kic->ibc", left, right)
            spans[width] = jnp.einsum("abc,ibc->ia", rules, pairs)
        return n * jnp.log(8.0) - jnp.log(spans[n][0, 0])

    return cost
