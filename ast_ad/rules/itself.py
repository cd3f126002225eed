"""Which functions may return their first argument itself, rather than an array of their own?

The in-place pass (``compiler/analysis/aliasing.py``) takes what a function with a rule returns for new
memory, unless the rule is one of views, or the function stands here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import dicts, float_sums, helpers, in_place
from .networks import alignment as nn_alignment, padding as nn_padding, resampling as nn_resampling
from .numpy import signal
from .torch import indexing as torch_indexing

ITSELF: set[Callable[..., Any]] = {
    helpers.unbroadcast,
    helpers.astype,
    helpers.reserve,
    dicts.member,
    in_place.fitting,
    float_sums.compensated,
    nn_alignment.padded_targets,
    nn_padding.edge_pad,
    nn_padding.edge_unpad,
    nn_resampling.resampled,
    nn_resampling.unresampled,
    torch_indexing.within,
    *([np.astype] if hasattr(np, "astype") else []),
}

# Those that do so for one count only: its name and place, and which one.
ITSELF_FOR: dict[Callable[..., Any], tuple[str, int, int]] = {
    np.diff: ("n", 1, 0),
    signal.undiff: ("n", 1, 0),
    np.linalg.matrix_power: ("n", 1, 1),
}
