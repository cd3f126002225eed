"""Which derivative rules exist? Importing this package fills the registry, one module per family."""

from . import (  # noqa: F401
    containers,
    cumulative,
    discrete,
    elementwise,
    helpers,
    partials,
    reductions,
    scalars,
    sorting,
)
