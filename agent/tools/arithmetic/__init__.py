"""Arithmetic as people and small models write it: notation, then exact evaluation at once.

``notation.read`` rewrites the text as a Python expression, ``evaluator.evaluate`` walks its syntax
tree, ``numbers.show`` writes the result. Numbers are exact fractions, so ``0.1+0.2`` is 0.3; roots,
logarithms and the like are doubles. A whole power of a decimal that would have more than 17 digits
is taken as a double computes it and is exact again from there on, so that ``1000*(1.05)^10`` is
1628.894626777442, digit for digit what double precision gives. ``numbers`` says how it is rounded.
"""
