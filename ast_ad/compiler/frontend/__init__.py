"""How does a Python function become a function of the IR? ``lower`` begins; ``interpreter`` reads it."""
