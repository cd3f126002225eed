"""Which derivative rules exist? Importing this package fills the registry, one module per family."""

from . import (  # noqa: F401
    containers,
    contractions,
    creation,
    cumulative,
    decompositions,
    diagonals,
    discrete,
    elementwise,
    gather,
    helpers,
    indexing,
    joining,
    linalg,
    norms,
    partials,
    products,
    reductions,
    scalars,
    shapes,
    sorting,
)
