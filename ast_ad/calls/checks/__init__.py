"""Is a compiled program the function? What is checked in its first call, and what becomes of a defect?"""
