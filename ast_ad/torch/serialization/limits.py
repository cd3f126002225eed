"""How large may what a file describes become? Far beyond real checkpoints, far below what hurts.

The bytes of tensors need no limit of their own: they are in the file, each of them once. What is limited is
what can be described in few bytes.
"""

from __future__ import annotations

MAX_PICKLE = 64 << 20  # bytes of the description (100,000 tensors need about 20 MiB)
MAX_STEPS = 20_000_000  # instructions
MAX_OBJECTS = 4_000_000  # containers made, and objects remembered for later use
MAX_DEPTH = 100  # containers within containers
MAX_NAME = 300  # characters of a global's module or name
MAX_TUPLE_KEYS = 4096  # tuples as keys: their hashes can be made to collide
MAX_DIMENSIONS = 64  # NumPy's
MAX_EXPANDED = 1 << 28  # elements of a tensor that shows its memory several times over
MAX_RECORD = 4096  # bytes of the small records beside the description
