"""Does a program fit a call, and what is left behind outside when it has run?"""
