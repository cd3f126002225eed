"""What is the source of a function, and is it that of the code that runs?"""
