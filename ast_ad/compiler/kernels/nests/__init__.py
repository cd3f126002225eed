"""How do loops over elements become nests that a processor runs fast?"""
