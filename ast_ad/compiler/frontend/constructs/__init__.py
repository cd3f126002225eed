"""What do Python's statements, expressions and operators do?"""
