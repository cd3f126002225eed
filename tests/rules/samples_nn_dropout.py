"""Sample calls of dropout on arrays, which leaves them as they are."""

from sample import Sample, normal

from ast_ad.rules.networks import dropout as r

X = normal(3, 4)
SAMPLES = {
    r.dropout: [Sample((X, 0.5, False), wrt=(0,)), Sample((X, 0.0), wrt=(0,))],
    r.alpha_dropout: [Sample((X,), wrt=(0,)), Sample((X, 0.5, False), wrt=(0,))],
}
