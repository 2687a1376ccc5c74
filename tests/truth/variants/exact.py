"""Exact arithmetic for the variants: linear systems, linear programs and complementarity problems.

Everything works on fractions.Fraction; no code of the engine is used.
"""
from fractions import Fraction


def frac_rows(rows):
    return [[Fraction(x) for x in row] for row in rows]


def reduce_rows(rows, columns):
    """Gauss and Jordan, in place; returns the pivot column of each row that has one."""
    pivots = []
    for column in range(columns):
        at = len(pivots)
        best = next((r for r in range(at, len(rows)) if rows[r][column] != 0), None)
        if best is None:
            continue
        rows[at], rows[best] = rows[best], rows[at]
        divisor = rows[at][column]
        rows[at] = [x / divisor for x in rows[at]]
        for r, row in enumerate(rows):
            if r != at and row[column] != 0:
                factor = row[column]
                rows[r] = [x - factor * y for x, y in zip(row, rows[at])]
        pivots.append(column)
    return pivots


def solve(matrix, right):
    """The one solution of matrix x = right, or None."""
    n = len(matrix[0])
    rows = [list(row) + [b] for row, b in zip(frac_rows(matrix), [Fraction(b) for b in right])]
    pivots = reduce_rows(rows, n)
    if len(pivots) < n or any(row[n] != 0 for row in rows[n:]):
        return None
    return [rows[i][n] for i in range(n)]


def rank(matrix):
    return len(reduce_rows(frac_rows(matrix), len(matrix[0])))


def times(matrix, x):
    return [sum(a * b for a, b in zip(row, x)) for row in matrix]


def transpose(matrix):
    return [list(column) for column in zip(*matrix)]


def product(a, b):
    columns = transpose(b)
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def least_squares(matrix, right):
    """The least x of those that minimise |matrix x - right|, by a factorisation of full rank."""
    rows = frac_rows(matrix)
    pivots = reduce_rows(rows, len(matrix[0]))
    if not pivots:
        return [Fraction(0)] * len(matrix[0])
    right_factor = rows[:len(pivots)]
    left_factor = [[Fraction(row[p]) for p in pivots] for row in matrix]
    left_t = transpose(left_factor)
    y = solve(product(left_t, left_factor), times(left_t, [Fraction(b) for b in right]))
    z = solve(product(right_factor, transpose(right_factor)), y)
    return times(transpose(right_factor), z)


class Program:
    """minimise cost x subject to rows x = right, x >= 0, by Bland's rule."""

    def __init__(self, rows, right):
        self.n = len(rows[0])
        self.rows = []
        for row, b in zip(frac_rows(rows), [Fraction(b) for b in right]):
            self.rows.append([-x for x in row] + [-b] if b < 0 else row + [b])
        m = len(self.rows)
        for i, row in enumerate(self.rows):
            row[self.n:self.n] = [Fraction(int(i == k)) for k in range(m)]
        self.basis = list(range(self.n, self.n + m))
        cost = [Fraction(0)] * self.n + [Fraction(1)] * m
        self.feasible = self.minimise(cost, self.n + m) == 0
        if self.feasible:
            self.drop_artificial()

    def drop_artificial(self):
        for i in reversed(range(len(self.rows))):
            if self.basis[i] >= self.n:
                column = next((c for c in range(self.n) if self.rows[i][c] != 0), None)
                if column is None:
                    del self.rows[i], self.basis[i]
                else:
                    self.pivot(i, column)
        self.rows = [row[:self.n] + row[-1:] for row in self.rows]

    def pivot(self, at, column):
        divisor = self.rows[at][column]
        self.rows[at] = [x / divisor for x in self.rows[at]]
        for r, row in enumerate(self.rows):
            if r != at and row[column] != 0:
                factor = row[column]
                self.rows[r] = [x - factor * y for x, y in zip(row, self.rows[at])]
        self.basis[at] = column

    def reduced(self, cost, columns):
        price = [cost[b] for b in self.basis]
        return [cost[c] - sum(p * row[c] for p, row in zip(price, self.rows))
                for c in range(columns)]

    def minimise(self, cost, columns=None):
        """The least cost, or None where no such x exists; the vertex is in x()."""
        columns = self.n if columns is None else columns
        while True:
            reduced = self.reduced(cost, columns)
            enter = next((c for c in range(columns) if reduced[c] < 0), None)
            if enter is None:
                return sum(cost[b] * row[-1] for b, row in zip(self.basis, self.rows))
            ratios = [(row[-1] / row[enter], self.basis[i], i)
                      for i, row in enumerate(self.rows) if row[enter] > 0]
            if not ratios:
                return None
            self.pivot(min(ratios)[2], enter)

    def is_unique(self, cost):
        reduced = self.reduced(cost, self.n)
        return all(reduced[c] > 0 for c in range(self.n) if c not in self.basis)

    def x(self):
        values = [Fraction(0)] * self.n
        for b, row in zip(self.basis, self.rows):
            values[b] = row[-1]
        return values


def lemke(matrix, b):
    """f >= 0, w = matrix f - b >= 0, f w = 0: (f, w), or None on a ray. Lexicographic."""
    n = len(b)
    rows = []
    for i in range(n):
        row = [Fraction(int(i == k)) for k in range(n)]
        row += [-Fraction(x) for x in matrix[i]] + [Fraction(-1), -Fraction(b[i])]
        rows.append(row)
    basis = list(range(n))
    if all(row[-1] >= 0 for row in rows):
        return [Fraction(0)] * n, [row[-1] for row in rows]
    last = 2 * n

    def pivot(at, column):
        divisor = rows[at][column]
        rows[at] = [x / divisor for x in rows[at]]
        for r in range(n):
            if r != at and rows[r][column] != 0:
                factor = rows[r][column]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[at])]
        left, basis[at] = basis[at], column
        return left

    def key(i, column):
        return [rows[i][-1] / rows[i][column]] + [rows[i][k] / rows[i][column] for k in range(n)]

    left = pivot(min(range(n), key=lambda i: [rows[i][-1]] + rows[i][:n]), last)
    while left != last:
        enter = left + n if left < n else left - n
        candidates = [i for i in range(n) if rows[i][enter] > 0]
        if not candidates:
            return None
        at = min(candidates, key=lambda i: key(i, enter))
        ties = [i for i in candidates if basis[i] == last and
                rows[i][-1] / rows[i][enter] == rows[at][-1] / rows[at][enter]]
        left = pivot(ties[0] if ties else at, enter)
    values = [Fraction(0)] * (2 * n)
    for i in range(n):
        if basis[i] < 2 * n:
            values[basis[i]] = rows[i][-1]
    return values[n:], values[:n]
