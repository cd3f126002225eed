"""Which derivative rules exist? Importing this package fills the registry, one module per family."""

from . import containers, helpers  # noqa: F401
from . import diagonals, gather, joining, shapes  # noqa: F401
