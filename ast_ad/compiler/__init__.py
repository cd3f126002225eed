"""How does the source of a function become the source of its derivative? By way of a program in the IR."""
