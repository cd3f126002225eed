"""What is the structure of a value that a loop carries?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...ir.types import ListOf, Type
from ..constructs.boundness import same_make
from ..values import Arr, Lst, Pool


@dataclass
class Template:
    """The structure of a carried slot: leaves with types, or a value that stays the same.

    Of the kind 'maybe', the only child has a value where a boolean, the last leaf, tells so; 'unbound': no
    pass reads what another one left; 'lost': what it holds can't be told.
    """

    # leaf | maybe | unbound | lost | same | choice | reference | tuple | list | parts | dict | object
    kind: str
    type: Type | None = None
    children: tuple[Template, ...] = ()
    info: Any = None
    array: bool = False
    foreign: str | None = None
    sources: tuple[Any, ...] = ()  # arrays that are known under other names too, one of which it may be
    lasting: bool = False  # whether one of them is after the loop, too
    orders: frozenset[str] = frozenset()  # of an array: those in which it certainly lies in memory
    pools: frozenset[Pool] = frozenset()  # of an array: those that it may be in; of a list: its elements'
    within: frozenset[Pool] = frozenset()  # of a list: those that it may be in

    @property
    def holds(self) -> bool:
        """Whether it is an array or a list, or has one in it."""
        array = self.array or self.kind in ("choice", "reference", "list") or isinstance(self.type, ListOf)
        return array or isinstance(self.info, (Arr, Lst)) or any(child.holds for child in self.children)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Template)
            and self.kind == other.kind
            and self.type == other.type
            and self.children == other.children
            and self.array == other.array
            and self.foreign == other.foreign
            and self.sources == other.sources
            and self.lasting == other.lasting
            and self.orders == other.orders
            and self.pools == other.pools
            and self.within == other.within
            and (self.info is other.info or self.kind != "same")
            and (self.kind != "reference" or self.info == other.info)
            and (self.kind != "choice" or self.info[0] == other.info[0])
            and (self.kind != "parts" or same_make(self.info, other.info))
        )
