"""Programs that stand for functions and classes of NumPy's."""
