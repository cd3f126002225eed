"""How do other compilers run what is emitted?"""
