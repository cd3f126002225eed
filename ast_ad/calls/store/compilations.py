"""Has an earlier process compiled this already?

An entry is a JSON file: generated text and metadata under a key, the hash of all that decides the result. An
entry that is damaged, or of other versions of ast_ad, NumPy or Python, counts as missing.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...compiler.emit import storage
from ...compiler.emit.load import versions


@dataclass(frozen=True)
class Entry:
    """A module's text and what else is known of it, as JSON values."""

    text: str
    metadata: dict[str, Any] = field(default_factory=dict)


class CompileCache:
    """The entries of the user's cache directory.

    >>> cache = CompileCache()
    >>> cache.get("0" * 64) is None
    True
    """

    def get(self, key: str) -> Entry | None:
        """The entry put under a key (a sha256 in hexadecimal), or None."""
        path = self._path(key)
        data = storage.read(path) if path else None
        if path is None or data is None:
            return None
        try:
            stored = json.loads(data)
            body = stored["body"]
            sound = stored["sha256"] == _digest(body) and body["key"] == key
            entry = Entry(body["text"], body["metadata"])
        except (ValueError, KeyError, TypeError):
            sound = False
        if not sound:
            storage.remove(path)
            return None
        return entry if body["versions"] == versions() else None

    def put(self, key: str, text: str, metadata: dict[str, Any] | None = None) -> None:
        """Keep an entry; where the cache is off or the disk full, nothing happens.

        Raises:
            TypeError: the metadata is no JSON.
        """
        body = {"key": key, "versions": versions(), "text": text, "metadata": metadata or {}}
        data = json.dumps({"sha256": _digest(body), "body": body}).encode()
        if path := self._path(key):
            storage.write(path, data)

    def _path(self, key: str) -> Path | None:
        if not re.fullmatch(r"[0-9a-f]{64}", key):
            raise ValueError(f"not a sha256 in hexadecimal: {key!r}")
        directory = storage.cache_directory()
        return directory / f"{key}.entry" if directory else None


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
