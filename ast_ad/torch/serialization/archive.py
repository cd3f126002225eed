"""What is in the archive? A reader of zip files as PyTorch writes them: plain members, one answer for each.

A zip file says most things twice, and programs differ in what they believe. Here both must agree, members lie
side by side before the directory, and none is compressed, so no more memory is used than the file is long.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .problems import damaged, program, refused
from .source import Source

LOCAL = struct.Struct("<4s5H3I2H")
CENTRAL = struct.Struct("<4s6H3I5H2I")
END64 = struct.Struct("<4sQ2H2I4Q")
LOCATOR = struct.Struct("<4sIQI")
END = struct.Struct("<4s4H2IH")
LOCAL_SIGN, CENTRAL_SIGN = b"PK\x03\x04", b"PK\x01\x02"
END64_SIGN, LOCATOR_SIGN, END_SIGN = b"PK\x06\x06", b"PK\x06\x07", b"PK\x05\x06"
DESCRIPTOR, UTF8 = 0x8, 0x800  # flags: the sizes follow the data, the name is UTF-8
FULL16, FULL32 = 0xFFFF, 0xFFFFFFFF  # the number is too large for its field and stands elsewhere


class Member(NamedTuple):
    """One file of the archive: its name, its header's place, its bytes' place, their number and checksum."""

    name: str
    header: int
    start: int
    size: int
    crc: int


class Archive:
    """The members of a zip file, all under one directory.

    Args:
        source: the zip file's bytes.

    Attributes:
        members: by their names without the common directory.
        checked: whether the file has checksums (PyTorch can be told to write none).

    Errors:
        FileFormatError: damaged, or not such an archive.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.members: dict[str, Member] = {}
        directory, count, begin = _directory(source)
        roots = set()
        for member in _members(source, directory, count):
            root, _, name = member.name.partition("/")
            roots.add(root)
            if member.name.endswith(".npy"):
                raise refused("the file is an archive of NumPy arrays (.npz)", "", "read it with numpy.load")
            if not name or len(roots) > 1 or any(part in ("", ".", "..") for part in member.name.split("/")):
                raise refused(
                    f"the archive has a member {member.name[:200]!r}",
                    "the members of a checkpoint are files under one common directory",
                )
            if name in self.members:
                raise damaged(f"the archive has two members {member.name[:200]!r}")
            self.members[name] = member
        _check_places(self.members.values(), begin)
        self.checked = any(member.crc for member in self.members.values())

    def read(self, name: str, limit: int) -> bytes:
        """The bytes of a member of at most ``limit`` bytes."""
        member = self._member(name)
        if member.size > limit:
            raise refused(
                f"the record {name!r} has {member.size} bytes",
                f"at most {limit} are read, far more than real checkpoints need",
            )
        data = self.source.read(member.start, member.size)
        self._check(member, zlib.crc32(data))
        return data

    def array(self, name: str) -> np.ndarray:
        """The bytes of a member, as an array that may be written to."""
        member = self._member(name)
        data = self.source.array(member.start, member.size)
        if not self.source.mapped:  # else every byte would have to be read now
            self._check(member, zlib.crc32(data.data))
        return data

    def _member(self, name: str) -> Member:
        member = self.members.get(name)
        if member is None:
            raise damaged(f"the archive has no record {name[:200]!r}")
        return member

    def _check(self, member: Member, crc: int) -> None:
        if self.checked and crc != member.crc:
            raise damaged(f"the record {member.name[:200]!r} is damaged", "its checksum does not fit")


def _directory(source: Source) -> tuple[bytes, int, int]:
    """The directory's bytes, its number of entries and its place."""
    at = source.size - END.size
    if at < 0:
        raise damaged("the file ends early", f"it has {source.size} bytes")
    sign, *disks, here, count, size, begin, comment = END.unpack(source.read(at, END.size))
    if sign != END_SIGN or comment:
        raise damaged("the file does not end as a zip file does", "its last record is missing or unusual")
    given = (here, count, size, begin)
    found = _directory64(source, at - LOCATOR.size)
    if found is not None:
        disks64, exact, at = found
        full = (FULL16, FULL16, FULL32, FULL32)
        if any(a not in (b, f) for a, b, f in zip(given, exact, full, strict=True)):
            raise damaged("the two ends of the archive disagree")
        disks, given = [*disks, *disks64], exact
    here, count, size, begin = given
    if any(disks) or here != count or begin + size != at:
        raise damaged("the archive's directory is not where it should be")
    if count * CENTRAL.size > size:
        raise damaged("the archive's directory is too short for its number of members")
    return source.read(begin, size), count, begin


def _directory64(source: Source, at: int) -> tuple[list[int], tuple[int, int, int, int], int] | None:
    """The disks, the counts and places, and the place of large archives' end record, if there is one."""
    if at < END64.size:
        return None
    sign, disk, end, total = LOCATOR.unpack(source.read(at, LOCATOR.size))
    if sign != LOCATOR_SIGN:
        return None
    if end != at - END64.size:
        raise damaged("the archive's end record is not where it should be")
    sign, size, _, _, *disks, here, count, length, begin = END64.unpack(source.read(end, END64.size))
    if sign != END64_SIGN or size != END64.size - 12 or total != 1:
        raise damaged("the archive's end record is damaged")
    return [disk, *disks], (here, count, length, begin), end


def _members(source: Source, directory: bytes, count: int) -> Iterator[Member]:
    at = 0
    for _ in range(count):
        if at + CENTRAL.size > len(directory):
            raise damaged("the archive's directory ends early")
        fields = CENTRAL.unpack_from(directory, at)
        sign, _, _, flags, method, _, _, crc, packed, size, *lengths, disk, _, _, header = fields
        at += CENTRAL.size
        name, extra, _ = _pieces(directory, at, lengths)
        at += sum(lengths)
        packed, size, header = _large(extra, packed, size, header)
        if sign != CENTRAL_SIGN or disk:
            raise damaged("the archive's directory is damaged")
        text = _text(name)
        if method or packed != size:
            if "/code/" in text:
                raise program()
            raise refused(
                f"the member {text[:200]!r} is compressed",
                "PyTorch writes plain members, which can't grow when they are read",
                "unpack the archive and pack it again without compression (zip -0 -r)",
            )
        if flags & ~(DESCRIPTOR | UTF8):
            raise refused(
                f"the member {text[:200]!r} is encrypted or unusual", f"it has the flags {flags:#x}"
            )
        start = _start(source, header, name, (flags, crc, size))
        yield Member(text, header, start, size, crc)
    if at != len(directory):
        raise damaged("the archive's directory is longer than its members need")


def _pieces(data: bytes, at: int, lengths: list[int]) -> list[bytes]:
    """Consecutive pieces of these lengths."""
    pieces = []
    for length in lengths:
        if at + length > len(data):
            raise damaged("the archive's directory ends early")
        pieces.append(data[at : at + length])
        at += length
    return pieces


def _large(extra: bytes, packed: int, size: int, header: int) -> tuple[int, int, int]:
    """The numbers of a directory entry, from the extra field where they are too large for their own."""
    numbers = {"size": size, "packed": packed, "header": header}
    missing = [name for name, number in numbers.items() if number == FULL32]
    at = 0
    while missing:
        if at + 4 > len(extra):
            raise damaged("the size of a large member is missing")
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == 1:
            if at + 4 + length > len(extra) or length < 8 * len(missing):
                raise damaged("the size of a large member is damaged")
            numbers |= zip(missing, struct.unpack_from(f"<{len(missing)}Q", extra, at + 4), strict=True)
            break
        at += 4 + length
    return numbers["packed"], numbers["size"], numbers["header"]


def _text(name: bytes) -> str:
    try:
        text = name.decode()
    except UnicodeDecodeError:
        raise damaged("the name of a member is not UTF-8") from None
    if "\0" in text or "\\" in text:
        raise refused(
            f"the archive has a member {text[:200]!r}", "such names mean different things elsewhere"
        )
    return text


def _start(source: Source, header: int, name: bytes, expected: tuple[int, int, int]) -> int:
    """Where a member's bytes begin: after its own header, which must agree with the directory."""
    flags, crc, size = expected
    fields = LOCAL.unpack(source.read(header, LOCAL.size))
    sign, _, own_flags, method, _, _, own_crc, packed, own_size, name_length, extra_length = fields
    start = header + LOCAL.size + name_length + extra_length
    same = (own_crc, packed, own_size) == (crc, size, size)
    later = bool(flags & DESCRIPTOR) and not (own_crc or packed or own_size)
    large = own_crc == crc and packed == own_size == FULL32
    if (
        (sign, own_flags, method) != (LOCAL_SIGN, flags, 0)
        or not (same or later or large)
        or source.read(header + LOCAL.size, name_length) != name
    ):
        raise damaged("a member's own header and the archive's directory disagree")
    return int(start)


def _check_places(members: object, end: int) -> None:
    """Members that lie in each other would give more bytes than the file has."""
    last = 0
    for member in sorted(members, key=lambda each: each.header):  # type: ignore[call-overload]
        if member.header < last:
            raise damaged("two members of the archive overlap")
        last = member.start + member.size
        if last > end:
            raise damaged("a member of the archive reaches into the directory")
