"""Samples of draws as functions of their parameters, of which differences of the values see nothing."""

from sample import Sample, Samples, positive

from ast_ad.rules.random_draws import standing_for, with_shape

SAMPLES: Samples = {
    standing_for: [Sample((positive(3), positive(3)), kink=True)],
    with_shape: [Sample((positive(3), positive(3, seed=1)), kink=True), Sample((1.5, 2.0), kink=True)],
}
