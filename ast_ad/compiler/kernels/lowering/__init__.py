"""Which loops does an operation on arrays become?"""
