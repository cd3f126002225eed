"""Sample calls of normalisations.

The steps of a normalisation take moments that are those of ``x``, and their rules count what flows through
them: differences that move ``x`` alone would not. They are checked by the functions that compute both.
"""

from sample import Sample, normal, positive

from ast_ad.rules.networks import layer_norm as layer, normalization as batch, response_norm as response

X, G, W, B = normal(4, 3, 5), normal(4, 3, 5, seed=1), normal(3), normal(3, seed=1)
IMAGES, TABLE = normal(2, 4, 3, 2), normal(5, 3)
W4, B4, LAST, LAST_B = normal(4), normal(4, seed=1), normal(5), normal(5, seed=1)
MEAN, VAR = normal(3, seed=2), positive(3)
BATCH, LAYER, GROUP = batch.batch_moments(X), layer.layer_moments(X, 1), layer.group_moments(IMAGES, 2)
OF_IMAGES = normal(2, 4, 3, 2, seed=1)
EPS = 0.1


def steps_of_batches():
    sums = batch.batch_sums(G, X, *BATCH, EPS)
    return {
        batch.batch_moments: [(X,), (IMAGES,), (TABLE,)],
        batch.batch_normalized: [
            Sample((X, W, B, *BATCH, EPS), wrt=(1, 2)),
            Sample((X, None, B, *BATCH, EPS), wrt=(2,)),
            Sample((X, W, None, *BATCH, EPS), wrt=(1,)),
        ],
        batch.batch_sums: [Sample((G, X, *BATCH, EPS), wrt=(0,))],
        batch.batch_cotangent: [
            Sample((G, X, W, *BATCH, sums, EPS), kink=True),
            Sample((G, X, None, *BATCH, sums, EPS), kink=True),
        ],
        batch.channel_affine: [
            Sample((X, W, B, MEAN, VAR, EPS), wrt=(0, 1, 2, 3, 4)),
            Sample((TABLE, None, None, MEAN, VAR, EPS), wrt=(0, 3, 4)),
        ],
    }


def steps_of_samples():
    sums = layer.group_sums(OF_IMAGES, IMAGES, *GROUP, EPS)
    return {
        layer.layer_moments: [(X, 1), (X, 2), (IMAGES, 3)],
        layer.layer_normalized: [
            Sample((X, LAST, LAST_B, *LAYER, (5,), EPS), wrt=(1, 2)),
            Sample((X, None, LAST_B, *LAYER, (5,), EPS), wrt=(2,)),
        ],
        layer.layer_cotangent: [
            Sample((G, X, LAST, *LAYER, 1, EPS), wrt=(0, 2)),
            Sample((G, X, None, *LAYER, 1, EPS), wrt=(0,)),
        ],
        layer.layer_sums: [Sample((G, X, *LAYER, 1, EPS), wrt=(0,))],
        layer.group_moments: [(IMAGES, 2), (IMAGES, 4), (IMAGES, 1)],
        layer.group_normalized: [
            Sample((IMAGES, W4, B4, *GROUP, EPS), wrt=(1, 2)),
            Sample((IMAGES, None, B4, *GROUP, EPS), wrt=(2,)),
        ],
        layer.group_sums: [Sample((OF_IMAGES, IMAGES, *GROUP, EPS), wrt=(0,))],
        layer.group_cotangent: [
            Sample((OF_IMAGES, IMAGES, W4, *GROUP, sums, EPS), kink=True),
            Sample((OF_IMAGES, IMAGES, None, *GROUP, sums, EPS), kink=True),
        ],
    }


SAMPLES = {
    **steps_of_batches(),
    **steps_of_samples(),
    batch.batch_norm: [
        Sample((X, None, None, W, B, True, 0.1, EPS), wrt=(0, 3, 4)),
        Sample((IMAGES, None, None, None, None, True, 0.1, EPS), wrt=(0,)),
        Sample((TABLE, None, None, W, None, True, 0.1, EPS), wrt=(0, 3)),
        Sample((X, MEAN, VAR, W, B, False, 0.1, EPS), wrt=(0, 1, 2, 3, 4)),
    ],
    batch.instance_norm: [
        Sample((X, None, None, W, B, True, 0.1, EPS), wrt=(0, 3, 4)),
        Sample((IMAGES, None, None, None, None, True, 0.1, EPS), wrt=(0,)),
        Sample((X, MEAN, VAR, W, B, False, 0.1, EPS), wrt=(0, 1, 2, 3, 4)),
    ],
    layer.layer_norm: [
        Sample((X, (5,), LAST, LAST_B, EPS), wrt=(0, 2, 3)),
        Sample((X, (3, 5), None, None, EPS), wrt=(0,)),
        Sample((X, (5,), LAST, None, EPS), wrt=(0, 2)),
    ],
    layer.rms_normalized: [
        Sample((X, LAST, (5,), EPS), wrt=(0, 1)),
        Sample((X, None, (3, 5), EPS), wrt=(0,)),
    ],
    layer.rms_norm: [
        Sample((X, (5,), LAST, EPS), wrt=(0, 2)),
        Sample((X, (3, 5), None, EPS), wrt=(0,)),
        Sample((X, (5,)), wrt=(0,)),
    ],
    layer.group_norm: [
        Sample((IMAGES, 2, W4, B4, EPS), wrt=(0, 2, 3)),
        Sample((IMAGES, 4, None, None, EPS), wrt=(0,)),
        Sample((X, 1, W, None, EPS), wrt=(0, 2)),
    ],
    response.local_response_norm: [
        Sample((X, 2, 0.5, 0.75, 1.0), wrt=(0,)),
        Sample((IMAGES, 3, 0.5, 0.75, 2.0), wrt=(0,)),
    ],
}
