"""Sample calls of attention, with masks of both kinds and with heads that share keys."""

import numpy as np
from sample import Sample, normal

from ast_ad.rules.networks import attention as a

Q, K, V = normal(2, 3, 5), normal(2, 4, 5), normal(2, 4, 2)
ALLOWED = np.array([[True, False, True, True], [True, True, False, False], [False, False, False, False]])
SHARED = normal(1, 4, 3, 5), normal(1, 2, 6, 5), normal(1, 2, 6, 2)

SAMPLES = {
    a.attention: [
        (Q, K, V),
        (Q[0], K[0], V[0], normal(3, 4)),
        Sample((Q, K, V, ALLOWED), wrt=(0, 1, 2)),
        Sample((Q, K, V, normal(4), normal(2, 3, 4), True, 0.3), wrt=(0, 1, 2, 3, 4)),
        (normal(1, 3, 5), K, V),
    ],
    a.scaled_dot_product_attention: [
        (Q, K, V),
        Sample((Q, K, V), {"is_causal": True, "scale": 0.7}, wrt=(0, 1, 2)),
        Sample(SHARED, {"enable_gqa": True}, wrt=(0, 1, 2)),
    ],
}
