"""The specification of the eager autograd, row by row.

Every module holds cases: functions of the module ``torch``, which return what they observed. ``record`` runs
them with PyTorch and writes ``expected.json``; ``check_rows`` runs them with ``ast_ad`` in PyTorch's place.
The names are those of the rows of the specification (``s000_012``); a name that begins with ``more_`` is of a
case in the spirit of PyTorch's own tests.
"""
