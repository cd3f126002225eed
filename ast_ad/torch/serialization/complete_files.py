"""How is a file written either completely or not at all? Under another name, until it is complete."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress
from typing import Any


def write_completely(path: Any, write: Callable[[Any], None]) -> None:
    """Let ``write(file)`` make a file; it gets its name when it is complete.

    Args:
        path: the name. What has it keeps it if something goes wrong.
        write: takes a file that is open for writing bytes.
    """
    path = os.path.realpath(path)  # a link stays a link
    if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe
        with open(path, "wb") as file:
            write(file)
        return
    directory, name = os.path.split(path)
    part = os.path.join(directory, f".{name[:100]}.{secrets.token_hex(8)}.part")
    try:
        with open(part, "xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            os.chmod(part, stat.S_IMODE(os.stat(path).st_mode))
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise
