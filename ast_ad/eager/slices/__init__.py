"""Which part of a derivative rule has to run for the cotangents that are wanted?"""
