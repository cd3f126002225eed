"""What can a program do with less?"""
