"""How is it said that a file can't be read? What was found, why it is refused, and what to do instead."""

from __future__ import annotations

from ...errors import FileFormatError

CONVERT = (
    "if you trust the file, read it with PyTorch and save it again as tensors and plain data: "
    "torch.save(model.state_dict(), path), or safetensors.torch.save_file(model.state_dict(), path)"
)
DAMAGED = "get the file again: it was cut off, damaged, or made to mislead"


def damaged(found: str, why: str = "") -> FileFormatError:
    """The file contradicts itself."""
    return FileFormatError(found, why=why, fix=DAMAGED)


def program() -> FileFormatError:
    """An archive of TorchScript."""
    return refused(
        "the file is a TorchScript archive",
        "it holds a program besides its weights",
        "in PyTorch, torch.save(torch.jit.load(path).state_dict(), new_path)",
    )


def refused(found: str, why: str, fix: str = CONVERT) -> FileFormatError:
    """The file holds something that is not read here."""
    return FileFormatError(found, why=why, fix=fix)
