"""Code that all variants share: random numbers and the form of a case."""
import random
from fractions import Fraction

RANDOM = random.Random(20030727)


def rnd(low, high):
    """Uniform, with few digits, so that every reader gets the same number."""
    return round(RANDOM.uniform(low, high), 4)


def pick(low, high):
    """Spread over orders of magnitude, three digits."""
    value = low * (high / low) ** RANDOM.random()
    return float("%.3g" % value)


def number(x):
    """A whole number or a float as it is, otherwise the fraction and its double."""
    if isinstance(x, Fraction):
        if x.denominator == 1:
            return x.numerator
        return {"q": "%d/%d" % (x.numerator, x.denominator), "v": float(x)}
    return x


def numbers(values):
    return [number(x) for x in values]


def case(name, given, expect, **tolerance):
    return dict(id=name, given=given, expect=expect, tol=tolerance)
