"""One figure with its interval, and how it is printed."""

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Estimate:
    """A figure, its interval and the number of independent units behind it.

    Parameters
    ----------
    estimate, low, high : float, or float array of one shape
        The figure and the ends of its interval, in the figure's own unit
        (proportions between 0 and 1, never in percent).
    n : int, or int array of that shape
        Independent units: games or, if deals are paired, deals.
    se : float, array or None
        Standard error in the figure's unit; None where it means nothing.
    method : str
        How the interval was made, for the report.
    level : float
        Confidence level of the interval, between 0 and 1.
    """

    estimate: float
    low: float
    high: float
    n: int
    se: float | None = None
    method: str = ""
    level: float = 0.95

    @property
    def half_width(self):
        """Half the length of the interval, in the figure's unit."""
        return (self.high - self.low) / 2

    @property
    def margin(self):
        """Distance from the figure to the farther end of its interval."""
        return np.maximum(self.high - self.estimate, self.estimate - self.low)[()]

    def as_dict(self):
        """The four numbers a table needs, as plain Python numbers or lists."""
        fields = {"estimate": self.estimate, "low": self.low, "high": self.high}
        plain = {name: np.asarray(x).tolist() for name, x in fields.items()}
        return plain | {"n": np.asarray(self.n).tolist()}

    def cells(self):
        """One scalar Estimate per element, in order, of an array Estimate."""
        columns = (self.estimate, self.low, self.high, self.n, self.se)
        if self.se is None:
            columns = (*columns[:4], np.full(np.shape(self.n), np.nan))
        rows = zip(*(np.ravel(c).tolist() for c in columns), strict=True)
        return [Estimate(e, a, b, n, None if self.se is None else s, self.method, self.level) for e, a, b, n, s in rows]

    def text(self, percent=False, digits=None):
        """The figure in words.

        Parameters
        ----------
        percent : bool
            Print a proportion in percent.
        digits : int or None
            Decimals; None prints two significant digits of the half-width.

        Returns
        -------
        str
            "281.50 ± 0.40 (95 %, n = 20,000)" if the interval is symmetric,
            "37 (35–40, 95 %, n = 500)" if not, and in percent
            "49.87 % (49.77–49.97, n = 1,000,000)", where an interval without
            a level is a 95 % one. Intervals made "by deal" say "n = 500 deals".
            What is known exactly: "4.900 (exact, n = 2,520)".

        Raises
        ------
        ValueError
            If this Estimate holds arrays.
        """
        if np.ndim(self.estimate):
            raise ValueError("this Estimate holds arrays; print each of its cells()")
        scale = 100 if percent else 1
        if digits is None:
            digits = decimals(scale * self.half_width, scale * self.estimate)
        middle, low, high = (number(scale * x, digits) for x in (self.estimate, self.low, self.high))
        level = f"{100 * self.level:g} %"
        tail = f"n = {self.n:,}{' deals' if self.method.endswith('by deal') else ''}"
        if self.method == "exact":
            return f"{middle}{' %' if percent else ''} (exact, {tail})"
        if percent:
            shown = "" if self.level == 0.95 else f"{level}, "
            unit = "" if math.isnan(self.estimate) else " %"
            return f"{middle}{unit} ({low}–{high}, {shown}{tail})"
        if self._symmetric():
            return f"{middle} ± {number(self.half_width, digits)} ({level}, {tail})"
        joint = " to " if self.low < 0 else "–"
        return f"{middle} ({low}{joint}{high}, {level}, {tail})"

    def __str__(self):
        if np.ndim(self.estimate):
            return "\n".join(str(cell) for cell in self.cells())
        return self.text()

    def _symmetric(self):
        """True if the figure is the middle of a finite interval."""
        if not math.isfinite(self.half_width) or math.isnan(self.estimate):
            return False
        middle = (self.low + self.high) / 2
        return abs(middle - self.estimate) <= 1e-9 * max(abs(self.half_width), abs(middle))


def decimals(uncertainty, value=0.0):
    """Decimals that show two significant digits of an uncertainty.

    Parameters
    ----------
    uncertainty : float
        A half-width, in the unit printed.
    value : float
        The figure; it decides if the uncertainty is 0, infinite or nan:
        none for a whole number, else four significant digits.

    Returns
    -------
    int, at least 0
    """
    if math.isfinite(uncertainty) and uncertainty > 1e-12 * max(1.0, abs(value)):  # less is the noise of floats
        exponent = int(f"{uncertainty:.1e}".split("e")[1])  # after rounding: 0.0996 is 0.10
        return max(0, 1 - exponent)
    if not math.isfinite(value) or abs(value - round(value)) < 1e-9:
        return 0
    return max(0, 3 - math.floor(math.log10(abs(value))))


def number(value, digits):
    """A float with thousands separators; ∞ and "undefined" where it is not finite."""
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    text = f"{value:,.{digits}f}"
    return text[1:] if text.startswith("-") and not any(c in "123456789" for c in text) else text
