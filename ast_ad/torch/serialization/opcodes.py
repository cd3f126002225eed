"""Of which instructions does the pickle of a checkpoint consist? Those that PyTorch writes by default.

They belong to pickle's protocol 2. The reader knows no others, the writer writes no others.
"""

from __future__ import annotations

PROTO, STOP, MARK = 0x80, ord("."), ord("(")
NONE, NEWTRUE, NEWFALSE = ord("N"), 0x88, 0x89
BININT, BININT1, BININT2, LONG1, BINFLOAT = ord("J"), ord("K"), ord("M"), 0x8A, ord("G")
BINUNICODE, SHORT_BINSTRING = ord("X"), ord("U")
EMPTY_TUPLE, TUPLE1, TUPLE2, TUPLE3, TUPLE = ord(")"), 0x85, 0x86, 0x87, ord("t")
EMPTY_LIST, APPEND, APPENDS = ord("]"), ord("a"), ord("e")
EMPTY_DICT, SETITEM, SETITEMS = ord("}"), ord("s"), ord("u")
GLOBAL, REDUCE, BUILD, BINPERSID = ord("c"), ord("R"), ord("b"), ord("Q")
BINPUT, LONG_BINPUT, BINGET, LONG_BINGET = ord("q"), ord("r"), ord("h"), ord("j")

# Other instructions of pickle, by the names under which the reader refuses them.
REFUSED = {
    ord("i"): "INST", ord("o"): "OBJ", 0x81: "NEWOBJ", 0x92: "NEWOBJ_EX", ord("P"): "PERSID",
    0x82: "EXT1", 0x83: "EXT2", 0x84: "EXT4", 0x93: "STACK_GLOBAL", 0x94: "MEMOIZE", 0x95: "FRAME",
    ord("0"): "POP", ord("1"): "POP_MARK", ord("2"): "DUP", ord("F"): "FLOAT", ord("I"): "INT",
    ord("L"): "LONG", 0x8B: "LONG4", ord("S"): "STRING", ord("T"): "BINSTRING", ord("V"): "UNICODE",
    0x8C: "SHORT_BINUNICODE", 0x8D: "BINUNICODE8", ord("B"): "BINBYTES", ord("C"): "SHORT_BINBYTES",
    0x8E: "BINBYTES8", 0x8F: "EMPTY_SET", 0x90: "ADDITEMS", 0x91: "FROZENSET", 0x96: "BYTEARRAY8",
    0x97: "NEXT_BUFFER", 0x98: "READONLY_BUFFER", ord("d"): "DICT", ord("l"): "LIST", ord("g"): "GET",
    ord("p"): "PUT",
}  # fmt: skip
