"""How is the graph of operations recorded while a program runs, and run backwards afterwards?"""
