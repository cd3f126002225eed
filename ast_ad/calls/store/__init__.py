"""Has an earlier process compiled this already?"""
