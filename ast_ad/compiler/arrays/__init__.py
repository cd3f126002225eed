"""Which writes to arrays may happen in place, and how long are the arrays?"""
