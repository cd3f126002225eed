"""Under which name are generated modules imported? As ``ast_ad.generated.NAME``, from the private cache.

The package is empty; importing it registers the finder that looks a module up in the cache directory and
verifies its content. That makes generated functions picklable, and importable in another process.
"""

from __future__ import annotations

from ..compiler.emit.load import register_finder

register_finder()
