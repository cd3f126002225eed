"""What do lower parts of the front end ask of higher ones? Each is set by the module that defines it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Protocol

import gast

from ..ir.ops import Arg, Block, Var
from ..ir.types import Type
from .values import Arr, Callee, Choice, Dct, Flat, Iterable, Lst, Pool, Sides, State, Value

if TYPE_CHECKING:
    from .context import Context
    from .loops.passes import Passes
    from .store.identities import NamedTwice
    from .store.merge import Phis
    from .types.layouts import Orders


class BDict(Protocol):
    def __call__(self, cx: Context, source: Value | None = None, **kwargs: Value) -> Any: ...


class DynamicList(Protocol):
    def __call__(self, cx: Context, items: tuple[Value, ...], element: Type | None = None) -> Var: ...


class Fold(Protocol):
    def __call__(self, cx: Context, fn: Callee, *values: object) -> Any: ...


class ItemsOf(Protocol):
    def __call__(
        self, cx: Context, value: Value, expected: int | None = None, star: int | None = None
    ) -> list[Any]: ...


class Place(Protocol):
    def __call__(self, cx: Context, node: gast.AST, statement: gast.AST | None = None) -> None: ...


class RunFor(Protocol):
    def __call__(
        self,
        cx: Context,
        source: Value,
        body: Callable[[Value], None],
        names: set[str],
        target: gast.AST | None = None,
        live: Collection[str] | None = None,
        grows: bool = True,
    ) -> None: ...


class StaticItems(Protocol):
    def __call__(self, cx: Context, value: Value, short: bool = True) -> list[Any] | None: ...


# ----- array_methods
call_method: Callable[[Context, Value, str, list[Value], dict[str, Value]], Any]
# ----- arrays
element: Callable[[Context, Lst | Dct, Value], Arg]
load_item: Callable[[Context, Value, Value], Any]
store_item: Callable[[Context, Value, Value, Value], None]
# ----- conversion
from_arg: Callable[[Context, Any], Any]
# ----- branches
choose: Callable[[Context, Value, Callable[[], object], Callable[[], object]], Any]
branch: Callable[[Context, Value, Callable[[], None], Callable[[], None], Callable[[], None] | None], bool]
exec_guarded: Callable[[Context, Value, list[gast.AST]], None]
python_bool: Callable[[Context, Value], Any]
condition: Callable[[Context, gast.AST], Any]
truth: Callable[[Context, Value], Any]
# ----- calls
call: Callable[[Context, Value, list[Value], dict[str, Value]], Any]
call_opaque: Callable[[Context, Callee, list[Value], dict[str, Value]], Any]
call_primitive: Callable[[Context, Callee, list[Value], dict[str, Value]], Any]
# ----- random_draws
draw: Callable[..., Any]
# ----- dicts
dynamic_dict: Callable[[Context, dict[Any, Value], Dct], Var]
has_entry: Callable[[Context, Dct, Value], Any]
is_run_time: Callable[[Context, Dct, Value], bool]
load_entry: Callable[[Context, Dct, Value], Any]
pop_entry: Callable[..., Any]
shown_as: Callable[[Context, Dct, str], Iterable]
store_entry: Callable[[Context, Dct, Value, Value], None]
# ----- elements
reference: Callable[[Context, Arr | Lst], Var]
referred_to: Callable[[Context, Var], Any]
values_of: Callable[[Context, Var], Var]
# ----- heaps
list_at: Callable[[Context, Arg], Lst]
# ----- holding
pools_with: Callable[[Context, object, State], frozenset[Pool]]
read_element: Callable[[Context, Arr], Var]
write_element: Callable[[Context, Arr, Lst | Dct, Var], None]
# ----- identities
named_twice: Callable[[Context, State, State], NamedTwice]
# ----- inner_lists
item_view: Callable[[Context, Arr, Arg], Arr]
read_choice: Callable[[Context, Arr, Choice], Var]
write_choice: Callable[[Context, Choice, Var], None]
read_inner: Callable[[Context, State, Lst], Any]
decorate: Callable[[Context, Value, Value, str], Any]
# ----- inlining
closure_defaults: Callable[[Context, Any], dict[str, Any]]
# ----- items
items_of: ItemsOf
length: Callable[[Context, Value], Any]
read_flat: Callable[[Context, Flat], Var]
# ----- lazy_items
lazy_items: Callable[..., list[Callable[[], Any]] | None]
static_items: StaticItems
# ----- iterables
b_dict: BDict
consumed: Callable[[Context, Value], Any]
# ----- testable
before_item: Callable[[Context, Any, Any], None]
before_operation: Callable[[Context, Callee, tuple[Any, ...]], None]
before_unpacking: Callable[[Context, Arg, int, bool], None]
exec_split: Callable[..., Any]
# ----- statements
drop_dead_names: Callable[..., None]
exec_block: Callable[[Context, list[Any]], None]
# ----- apart
exec_apart: Callable[[Context, Callable[[], Any], list[Any]], Any]
# ----- generators
drive: Callable[[Context, Any, Callable[[Value], None]], None]
drive_until: Callable[[Context, Any, Callable[[Value], None], Callable[[], Value]], None]
first_item: Callable[[Context, Any, tuple[Value, ...]], Any]
# ----- live_lists
check_iterated: Callable[[Context, Lst, str], None]
# ----- loops
only_pass: Callable[[Context, Value, Callable[[], None]], None]
run_for: RunFor
while_region: Callable[[Context, Callable[[], Any], Callable[[], None], set[str], Passes], None]
# ----- merge
dynamic_list: DynamicList
element_arg: Callable[[Context, Value], Arg]
leaf_in: Callable[[Context, Value, tuple[State, Block]], Arg]
merge_values: Callable[[Context, Value, Value, Sides, Phis, int, str], Any]
merged_array: Callable[[Context, Var, tuple[Any, Any], Phis, int], Arr]
# ----- operators
binary: Callable[[Context, Callee, Value, Value], Any]
compare: Callable[[Context, str, Value, Value], Any]
fold: Fold
# ----- statements
assign: Callable[[Context, gast.AST, Value], None]
bind: Callable[[Context, str, Value], None]
place: Place
within_rules: Callable[[Context], bool]
# ----- views
arrays_made: Callable[[Context, Callee, Value], list[Arr]]
orders_made: Callable[[Context, Callee, tuple[Value, ...], dict[str, Value], Arr], Orders]
