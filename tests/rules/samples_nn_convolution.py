"""Sample calls of convolutions in one to three dimensions, with all kinds of strides, paddings and groups."""

from sample import Sample, cnormal, normal

from ast_ad.rules.networks import convolution as r

X1, W1 = normal(2, 2, 6), normal(3, 2, 3)
X2, W2, B2 = normal(2, 4, 5, 6), normal(6, 2, 3, 2), normal(6)
T2 = normal(4, 3, 3, 2)
HOW = ((2, 1), (1, 0), (1, 2), 2)  # places: (3, 4)
SAMPLES = {
    r.convolve: [
        (X1, W1, 1, 0, 1, 1),
        Sample((normal(2, 6), W1, 2, 1, 1, 1)),
        (X2, W2, *HOW),
        Sample((X2, W2, 1, "same", 1, 2), dtypes=()),
        (normal(1, 2, 3, 2, 3), normal(1, 2, 2, 1, 2), 1, 1, 1, 1),
        (X2, normal(4, 4, 1, 1), 1, 0, 1, 1),
        (normal(1, 4, 5, 6), normal(4, 4, 1, 1), 1, 0, 1, 1),
        (X2, normal(4, 1, 2, 2), 3, 0, 1, 4),
        Sample((cnormal(2, 2, 6), cnormal(3, 2, 3), 1, 1, 1, 1), dtypes=()),
        Sample((X1, W1, 2, 0, 1, 1, (1,)), dtypes=()),
    ],
    r.spread: [
        (normal(2, 3, 4), W1, (6,), 1, 0, 1, 1),
        (normal(2, 6, 3, 4), W2, (5, 6), *HOW),
        (normal(6, 3, 4), W2, (6, 6), *HOW),
        (normal(2, 4, 5, 6), normal(4, 4, 1, 1), (5, 6), 1, 0, 1, 1),
    ],
    r.correlated: [
        (X1, normal(2, 3, 4), (3,), 1, 0, 1, 1),
        (X2, normal(2, 6, 3, 4), (3, 2), *HOW),
        (normal(2, 6), normal(3, 4), (3,), 1, 0, 1, 1),
    ],
    r.convolution: [
        (X2, W2, B2, *HOW),
        (X2, W2, None, *HOW),
        Sample((X1, W1), {"padding": 1}),
        Sample((normal(2, 6), W1, normal(3)), {"stride": 2, "dilation": 2}),
    ],
    r.transposed_convolution: [
        (X2, T2, normal(6), 2, 1, 1, 2),
        (X2, T2, None, (1, 2), 0, 0, 2, (2, 1)),
        Sample((normal(2, 4), normal(2, 3, 3), normal(3)), {"stride": 3, "output_padding": 2}),
    ],
}
