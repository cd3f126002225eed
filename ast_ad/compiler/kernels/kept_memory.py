"""Where do the arrays that kernels make lie? In blocks of memory that are kept for the next array.

``allocated(context, builder, size) -> Any``, called by what lowers ``empty`` (`fresh_memory.py`). The
C library takes 100 ns for an array of more than a thousand bytes, and hands large ones back to the system,
which clears every page of them again when the next call of a derivative writes to its tapes. That takes
longer than many a gradient.

A block that is free is kept in the list of its size, and there are four sizes for each power of two. Who
finds the lists busy does not wait, but goes to the C library as everybody else: no thread can be stopped by
another, nor a forked process by what its parent was doing. Where more than ``LIMIT`` bytes would be kept, all
are given back. Arrays of other compiled code, and of NumPy, know nothing of this.

Numba counts who uses an array in its ``MemInfo``, which lies before the elements, and calls ``free`` when
nobody does: the door that it has for other allocators. The layout is Numba's own, and is compared with what
Numba reads from it when this module is imported.
"""

from __future__ import annotations

import ctypes
import os
import sys
import warnings
from typing import Any

from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.core.codegen import initialize_llvm
from numba.core.runtime import _nrt_python


def _limit(told: str) -> int:
    if not told.isdecimal():
        warnings.warn(
            f"AST_AD_KEPT_MEMORY is a number of MiB, not {told!r}; it is taken for 256", stacklevel=2
        )
        told = "256"
    return min(int(told) << 20, 2**62)  # as much as there is


LIMIT = _limit(os.environ.get("AST_AD_KEPT_MEMORY", "256"))
"""How many bytes may be kept that no array uses; 0: none."""
WIPED = os.environ.get("AST_AD_WIPED_MEMORY", "0") == "1"
"""Whether new arrays are filled with NaN, so that tests see who reads what nobody wrote."""

_WIPE = "call void @llvm.memset.p0.i64(ptr %data, i8 -1, i64 %size, i1 false)"
_ADVICE = """
  %start = ptrtoint ptr %asked to i64
  %in_page = add i64 %start, 4095
  %page = and i64 %in_page, -4096
  %first_page = inttoptr i64 %page to ptr
  %length = sub i64 %room, 4096
  %told = call i32 @madvise(ptr %first_page, i64 %length, i32 14)  ; MADV_HUGEPAGE
"""
_TEXT = """
@lists = internal global [256 x ptr] zeroinitializer
@kept = internal global i64 0
@busy = internal global i32 0
@allocator = internal constant {{ ptr, ptr, ptr, ptr }} {{ ptr null, ptr null, ptr @ast_ad_free, ptr null }}

declare ptr @ast_ad_system_allocate(i64)
declare void @ast_ad_system_free(ptr)
declare i32 @madvise(ptr, i64, i32)
declare i64 @llvm.ctlz.i64(i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; Where is the list of the blocks for so many bytes, and how many do these have? As many as the first three
; bits of the number can say, rounded up.
define internal {{ ptr, i64 }} @list_of(i64 %bytes) alwaysinline {{
  %last = sub i64 %bytes, 1
  %most = or i64 %last, 255
  %zeros = call i64 @llvm.ctlz.i64(i64 %most, i1 true)
  %shift = sub i64 61, %zeros
  %bits = lshr i64 %most, %shift
  %more = add i64 %bits, 1
  %room = shl i64 %more, %shift
  %four = shl i64 %shift, 2
  %index = add i64 %four, %bits
  %list = getelementptr ptr, ptr @lists, i64 %index
  %one = insertvalue {{ ptr, i64 }} undef, ptr %list, 0
  %both = insertvalue {{ ptr, i64 }} %one, i64 %room, 1
  ret {{ ptr, i64 }} %both
}}

; A MemInfo, and behind it as many bytes, from an address that is a multiple of 64.
define ptr @ast_ad_allocate(i64 %size) {{
entry:
  %possible = icmp ult i64 %size, 140737488355328
  br i1 %possible, label %look, label %fails
fails:
  ret ptr null
look:
  %bytes = add i64 %size, 128
  %found = call {{ ptr, i64 }} @list_of(i64 %bytes)
  %list = extractvalue {{ ptr, i64 }} %found, 0
  %room = extractvalue {{ ptr, i64 }} %found, 1
  %was_busy = atomicrmw xchg ptr @busy, i32 1 acquire
  %is_free = icmp eq i32 %was_busy, 0
  br i1 %is_free, label %first, label %ask
first:
  %block = load ptr, ptr %list
  %is_none = icmp eq ptr %block, null
  br i1 %is_none, label %none, label %take
none:
  store atomic i32 0, ptr @busy release, align 4
  br label %ask
take:
  %next = load ptr, ptr %block
  store ptr %next, ptr %list
  %before = load i64, ptr @kept
  %after = sub i64 %before, %room
  store i64 %after, ptr @kept
  store atomic i32 0, ptr @busy release, align 4
  br label %made
ask:
  %asked = call ptr @ast_ad_system_allocate(i64 %room)
  %is_refused = icmp eq ptr %asked, null
  br i1 %is_refused, label %fails, label %given
given:
  %is_large = icmp uge i64 %room, 4194304
  br i1 %is_large, label %large, label %made
large:
{advice}
  br label %made
made:
  %memory = phi ptr [ %block, %take ], [ %asked, %given ], [ %asked, %large ]
  %address = ptrtoint ptr %memory to i64
  %behind = add i64 %address, 111
  %aligned = and i64 %behind, -64
  %data = inttoptr i64 %aligned to ptr
  %p_dtor = getelementptr i64, ptr %memory, i64 1
  %p_room = getelementptr i64, ptr %memory, i64 2
  %p_data = getelementptr i64, ptr %memory, i64 3
  %p_size = getelementptr i64, ptr %memory, i64 4
  %p_allocator = getelementptr i64, ptr %memory, i64 5
  store i64 1, ptr %memory
  store ptr null, ptr %p_dtor
  store i64 %room, ptr %p_room
  store ptr %data, ptr %p_data
  store i64 %size, ptr %p_size
  store ptr @allocator, ptr %p_allocator
  {wipe}
  ret ptr %memory
}}

; What the last user of an array calls.
define void @ast_ad_free(ptr %block, ptr %unused) {{
entry:
  %p_room = getelementptr i64, ptr %block, i64 2
  %size = load i64, ptr %p_room
  %found = call {{ ptr, i64 }} @list_of(i64 %size)
  %list = extractvalue {{ ptr, i64 }} %found, 0
  %was_busy = atomicrmw xchg ptr @busy, i32 1 acquire
  %is_free = icmp eq i32 %was_busy, 0
  br i1 %is_free, label %count, label %system
system:
  call void @ast_ad_system_free(ptr %block)
  ret void
count:
  %before = load i64, ptr @kept
  %after = add i64 %before, %size
  %fits = icmp ule i64 %after, {limit}
  br i1 %fits, label %keep, label %all
keep:
  %head = load ptr, ptr %list
  store ptr %head, ptr %block
  store ptr %block, ptr %list
  store i64 %after, ptr @kept
  store atomic i32 0, ptr @busy release, align 4
  ret void
all:
  store i64 0, ptr @kept
  br label %each
each:
  %index = phi i64 [ 0, %all ], [ %index, %one ], [ %following, %empty ]
  %other = getelementptr ptr, ptr @lists, i64 %index
  %old = load ptr, ptr %other
  %is_empty = icmp eq ptr %old, null
  br i1 %is_empty, label %empty, label %one
one:
  %next = load ptr, ptr %old
  store ptr %next, ptr %other
  call void @ast_ad_system_free(ptr %old)
  br label %each
empty:
  %following = add i64 %index, 1
  %goes_on = icmp ult i64 %following, 256
  br i1 %goes_on, label %each, label %done
done:
  store atomic i32 0, ptr @busy release, align 4
  br label %system
}}

define i64 @ast_ad_kept() {{
  %kept = load i64, ptr @kept
  ret i64 %kept
}}
"""


def allocated(context: Any, builder: Any, size: Any) -> Any:
    """The instructions that make a ``MemInfo`` of so many bytes; it is NULL where there is no memory."""
    if not IS_READ_AS_MEANT:
        return context.nrt.meminfo_alloc_aligned(builder, size, context.get_constant(types.uint32, 64))
    function = ir.FunctionType(cgutils.voidptr_t, [size.type])
    return builder.call(cgutils.get_or_insert_function(builder.module, function, "ast_ad_allocate"), [size])


def kept() -> int:
    """How many bytes are kept that no array uses."""
    return ctypes.CFUNCTYPE(ctypes.c_int64)(_CODE.get_function_address("ast_ad_kept"))()


def _compiled() -> binding.ExecutionEngine:
    """The machine code of the text. It stays as long as the process: arrays may outlive all modules."""
    initialize_llvm()
    for name in ("Allocate", "Free"):
        binding.add_symbol(f"ast_ad_system_{name.lower()}", _nrt_python.c_helpers[name])
    advice = _ADVICE if sys.platform == "linux" else ""
    text = _TEXT.format(limit=LIMIT, advice=advice, wipe=_WIPE if WIPED else "")
    module = binding.parse_assembly(text)
    module.verify()
    machine = binding.Target.from_default_triple().create_target_machine(opt=2, jit=True)
    passes = binding.create_pass_builder(machine, binding.create_pipeline_tuning_options())
    passes.getModulePassManager().run(module, passes)
    engine = binding.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(engine))
    binding.add_symbol("ast_ad_allocate", engine.get_function_address("ast_ad_allocate"))
    return engine


def _is_read_as_meant() -> bool:
    """Whether Numba reads from a ``MemInfo`` of the text what the text means, and frees it by the text."""
    address = _CODE.get_function_address("ast_ad_allocate")
    made = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64)(address)(1000)
    data, size, allocator = (ctypes.c_int64 * 3).from_address(made + 24)
    seen = _nrt_python._MemInfo(made)
    read = seen.refcount, seen.data, len(memoryview(seen)), seen.external_allocator
    if read != (1, data, size, allocator):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(seen))  # nobody knows what it would free
        return False
    before = kept()
    del seen
    return kept() > before or not LIMIT


_CODE = _compiled()
IS_READ_AS_MEANT = _is_read_as_meant()
"""Whether arrays lie in kept memory at all."""
