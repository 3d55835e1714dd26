"""What a handful of questions can tell: intervals of shares, and whether a difference is chance."""

import math

Z_95 = 1.959964
"""Standard deviations on either side that hold 95 % of a normal distribution."""
CHANCE = 0.05
"""A difference that chance alone would bring at least this often is no difference."""


def wilson(count: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share of ``count`` in ``n``, by E. B. Wilson (1927); all of 0 to 1
    where there is nothing to count."""
    if n == 0:
        return 0.0, 1.0
    share, weight = count / n, Z_95**2 / n
    middle = (share + weight / 2) / (1 + weight)
    reach = Z_95 / (1 + weight) * math.sqrt(share * (1 - share) / n + weight / (4 * n))
    return max(middle - reach, 0.0), min(middle + reach, 1.0)


def sign_test(better: int, worse: int) -> float:
    """How likely chance alone would part ``better + worse`` changes as unevenly or more so.

    The exact, two-sided form of McNemar's test: each change is as likely one way as the other.
    """
    n, fewer = better + worse, min(better, worse)
    ways = sum(math.comb(n, k) for k in range(fewer + 1))
    return min(1.0, 2 * ways / (1 << n))
