"""Sample calls of linear layers, embeddings, distances and alignments."""

import numpy as np
from sample import Sample, apart, normal, positive

from ast_ad.rules.networks import alignment as ctc, distances as far, embedding as table, linear

INDEX, BAGS = np.array([1, 3, 1, 0]), np.array([0, 0, 1, 2])
STEPS = np.log(positive(5, 2, 4) / positive(5, 2, 4).sum(-1, keepdims=True))
LABELS, LENGTHS, SIZES = np.array([[1, 1], [2, 3]]), np.array([5, 3]), np.array([2, 1])

SAMPLES = {
    linear.affine: [(normal(4), normal(2, 3), normal(3, 4))],
    linear.trilinear: [(normal(3, 2), normal(4, 2, 5), normal(3, 5))],
    linear.linear: [
        (normal(2, 3), normal(4, 3), normal(4)),
        (normal(3), normal(4, 3)),
        (normal(2, 3, 4), normal(5, 4), normal(5)),
        (normal(2, 3), normal(3)),
    ],
    linear.bilinear: [(normal(3, 2), normal(3, 5), normal(4, 2, 5), normal(4))],
    table.rows_at: [
        Sample((normal(4, 2), INDEX), wrt=(0,)),
        Sample((normal(4, 2), INDEX, 1), wrt=(0,), kink=True),
        Sample((normal(4, 2), INDEX, None, True), wrt=(0,), kink=True),
    ],
    table.rows_added: [
        Sample((normal(4, 2), INDEX, normal(4, 2, seed=1)), wrt=(2,)),
        Sample((normal(4, 2), INDEX, normal(4, 2, seed=1), 1, True), wrt=(2,)),
    ],
    table.scaled_rows: [Sample((normal(4, 2), INDEX, 1, True), wrt=(0,))],
    table.bag_totals: [Sample((normal(4, 2), positive(4), INDEX, BAGS, 3), wrt=(0, 1))],
    table.embedding: [Sample((INDEX, normal(4, 2)), wrt=(1,))],
    table.embedding_bag: [
        Sample((INDEX.reshape(2, 2), normal(4, 2)), wrt=(1,)),
        Sample((INDEX.reshape(2, 2), apart(4, 2)), {"mode": "max"}, wrt=(1,)),
        Sample((INDEX, normal(4, 2), np.array([0, 1])), {"mode": "sum", "padding_idx": 1}, wrt=(1,)),
    ],
    far.pair_distances: [Sample((normal(4, 3),)), Sample((normal(4, 3), 3.0))],
    far.pairwise_distance: [
        Sample((normal(3, 4), normal(3, 4, seed=1))),
        Sample((normal(3, 4), normal(4), 3.0, 0.1, True), wrt=(0, 1)),
    ],
    far.cosine_similarity: [Sample((normal(3, 4), normal(3, 4, seed=1), 0))],
    far.pdist: [Sample((normal(4, 3),))],
    far.normalize: [Sample((normal(3, 4),)), Sample((normal(3, 4), 3.0, 0), wrt=(0,))],
    ctc.ctc_costs: [Sample((STEPS, LABELS, LENGTHS, SIZES), wrt=(0,), order2=False)],
    ctc.label_shares: [Sample((STEPS, LABELS, LENGTHS, SIZES, 0), wrt=())],
    ctc.ctc_loss: [Sample((STEPS, LABELS, LENGTHS, SIZES), wrt=(0,), order2=False)],
}
