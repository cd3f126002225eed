"""Which derivative rules exist? Importing this package fills the registry, one module per family."""

from . import containers, helpers, in_place, partials  # noqa: F401
from .networks import (  # noqa: F401
    blocks,
    convolution,
    grids,
    layer_norm,
    normalization,
    padding,
    pooling,
    pooling_functions,
    resampling,
    response_norm,
    weight_norm,
)
from .numpy import (  # noqa: F401
    contractions,
    creation,
    cumulative,
    decompositions,
    diagonals,
    discrete,
    elementwise,
    fft,
    gather,
    indexing,
    joining,
    linalg,
    masked,
    norms,
    polynomials,
    products,
    reductions,
    scalars,
    shapes,
    signal,
    sorting,
    statistics,
)
from .torch import (  # noqa: F401
    activations,
    losses,
    matrices,
    moments,
    order,
    softmax,
    special,
    steps,
    views,
)
from .torch import elementwise as torch_elementwise  # noqa: F401
from .torch import gather as torch_gather  # noqa: F401
from .torch import indexing as torch_indexing  # noqa: F401
from .torch import norms as torch_norms  # noqa: F401
from .torch import products as torch_products  # noqa: F401
from .torch import shapes as torch_shapes  # noqa: F401
