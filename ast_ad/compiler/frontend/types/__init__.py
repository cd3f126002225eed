"""Which type, and which lengths, has the result of an operation?"""
