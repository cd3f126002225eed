"""Sample calls of weight normalization, along each axis and of the whole."""

from sample import Sample, normal

from ast_ad.rules.networks import weight_norm as r

SAMPLES = {
    r.weight_norm: [
        (normal(3, 4), normal(3, 1), 0),
        (normal(3, 4), normal(1, 4), 1),
        (normal(3, 2, 2), normal(3, 1, 1)),
        Sample((normal(2, 3), normal(), -1)),
    ]
}
