"""How does a Python function become a function of the IR? ``lower.py`` does it; ``interpreter.py`` reads the code."""
