"""How is the reverse sweep of a function built?"""
