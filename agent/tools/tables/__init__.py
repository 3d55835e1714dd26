"""What a table says to a question, worked out by rule: the rows that fit, their number, a total.

Small models pick a cell when they are asked for a total, and copy a row when they are asked for a
cell. ``model`` reads the tables of a text, ``conditions`` finds which rows a question means,
``workings`` says in one line what follows. Where the question leaves a doubt nothing is said.
"""
