"""How does a Python function become a function of the IR? ``lower`` is the entry, ``interpreter`` the reader."""
