"""How is the graph of operations recorded while a program runs, and run backwards afterwards?

Whoever imports one module of tensors gets the whole of them: all methods of the class are there, and all of
``doors`` are open, whichever module it was.
"""

from . import namespace, sweeps  # noqa: F401
