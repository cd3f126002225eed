"""Is the cut a minimum cut? All cuts of small random networks are compared."""

import itertools

import numpy as np
import pytest

from ast_ad.compiler.adjoint.min_cut import INFINITE, Network


def cut(edges, sink_side):
    return sum(c for a, b, c in edges if a not in sink_side and b in sink_side)


def network(count, edges):
    result = Network()
    for _ in range(count):
        result.node()
    for edge in edges:
        result.edge(*edge)
    return result


@pytest.mark.slow(beyond=30)
@pytest.mark.parametrize("seed", range(150))
def test_no_cut_is_smaller(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 8))
    pairs = [(int(a), int(b)) for a, b in rng.integers(0, count, (int(rng.integers(0, 20)), 2))]
    infinite = rng.random() * 0.4
    edges = [(a, b, INFINITE if rng.random() < infinite else int(rng.integers(0, 6))) for a, b in pairs]
    inner = range(1, count - 1)
    sides = [{count - 1, *s} for r in range(count - 1) for s in itertools.combinations(inner, r)]
    least = min(cut(edges, side) for side in sides)
    if least >= INFINITE:
        with pytest.raises(ValueError, match="infinite"):
            network(count, edges).sink_side(0, count - 1)
        return
    side = network(count, edges).sink_side(0, count - 1)
    assert cut(edges, side) == least
    assert side == set.intersection(*(s for s in sides if cut(edges, s) == least))
    shuffled = [edges[i] for i in rng.permutation(len(edges))]
    assert network(count, shuffled).sink_side(0, count - 1) == side


@pytest.mark.slow
def test_a_long_chain():
    size = 20_000
    edges = [(i, i + 1, 5 if i != 777 else 3) for i in range(size)]
    assert network(size + 1, edges).sink_side(0, size) == set(range(778, size + 1))
