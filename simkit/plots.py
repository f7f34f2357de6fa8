"""Figures in one style: of a run (`result.plot.length()`), and for studies.

Every function returns a `Figure`. In a notebook it shows itself; `figure.savefig("length.png")` keeps it. On a page it
becomes SVG that takes the page's text colour, so that the same figure is right in light and dark (see `svg`).
pyplot is never used: it keeps state of its own and is not safe in threads.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as PlainFigure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from simkit.stats.estimate import Estimate, decimals, number
from simkit.stats.histogram import dkw_band, quantile
from simkit.stats.intervals import wilson
from simkit.stats.tails import lattice_step

if TYPE_CHECKING:
    import pandas as pd

    from simkit.result import Result

INK = "#0b0c0e"
"""Text, axes, grid: on a page this becomes the page's own text colour. A colour that nothing else has."""
SERIES = ("#0067a5", "#c85200", "#007d5c", "#9c3f8b", "#8a6d00", "#5c6670")
"""Data, in order: told apart by every common kind of colour vision, dark enough on white (a page lightens them in the dark)."""
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (7, 2, 1.5, 2)), (0, (3, 1)), (0, (9, 3)))
MARKERS = "osD^vP"
WIDTH, HEIGHT = 5.2, 3.0
"""Inches. Small on purpose: shown at this size on a phone, and half as large again on a screen, its type is readable on both."""
FONT = 10
POINTS = 300
"""Points that a line keeps, at most."""
BINS = 48

STYLE: Any = {
    "font.size": FONT, "font.family": "sans-serif", "axes.labelsize": FONT, "xtick.labelsize": FONT, "ytick.labelsize": FONT, "legend.fontsize": FONT,
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.8, "axes.axisbelow": True,
    "axes.grid": True, "grid.color": INK, "grid.alpha": 0.13, "grid.linewidth": 0.6,
    "xtick.major.size": 0, "ytick.major.size": 0, "xtick.minor.size": 0, "ytick.minor.size": 0, "xtick.major.pad": 5, "ytick.major.pad": 5,
    "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none", "savefig.transparent": False,
    "legend.frameon": False, "legend.handlelength": 2.2, "legend.borderaxespad": 0, "legend.borderpad": 0,
    "lines.linewidth": 1.6, "lines.solid_capstyle": "round", "figure.constrained_layout.h_pad": 0.05, "figure.constrained_layout.w_pad": 0.05,
    "axes.unicode_minus": True, "mathtext.default": "regular", "svg.fonttype": "none",
}  # fmt: skip


class Figure(PlainFigure):
    """A matplotlib figure that shows itself in a notebook, in the notebook's own text colour."""

    def _repr_html_(self) -> str:
        return f'<div style="max-width:{round(72 * self.get_figwidth() * 1.5)}px">{svg(self)}</div>'


def style() -> Any:
    """Within, whatever is drawn on a figure of `blank` follows the house style."""
    return rc_context(STYLE)


@contextmanager
def _axes(width: float = WIDTH, height: float = HEIGHT, x: str = "", y: str = "") -> Iterator[Axes]:
    """A figure's one pair of axes, in the house style."""
    with style():
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.set_xlabel(x, labelpad=6)
        axes.set_ylabel(y, labelpad=6)
        for side in ("left", "bottom"):
            axes.spines[side].set_alpha(0.45)
        yield axes


# ---------------------------------------------------------------------------------------------------------- a run's own


class Plots:
    """Figures of one run."""

    def __init__(self, result: Result) -> None:
        self.result = result

    def length(self) -> Figure:
        """How long games are."""
        return self.column(self.result.length)

    def column(self, name: str) -> Figure:
        """The distribution of a column: the share of games at each value, or in each bin, with its interval."""
        values, counts = self.result.distribution(name)
        described = self.result.plan.definition.cell_columns[name]
        beyond = self.result.unfinished if described.finished else 0
        group = self.result.plan.seats if self.result.plan.paired else 1
        return distribution(values, counts, x=name.replace("_", " "), beyond=beyond, unit="games", group=group)

    def survival(self, column: str | None = None) -> Figure:
        """The share of games with more than so much of a column, on a logarithmic axis, with a band for the whole curve."""
        return survival({"": self.result}, column)

    def outcomes(self) -> Figure:
        """How games end: each way with its share and interval."""
        shares = [
            (name, share)
            for name, share in self.result.shares()
            if share.estimate > 0 or not name.startswith(("draw", "endless", "capped"))
        ]
        return bars([name for name, _ in shares], [share for _, share in shares], x="share of all games", percent=True)


# ---------------------------------------------------------------------------------------------------------- the figures


def distribution(values: np.ndarray, counts: np.ndarray, *, x: str, beyond: int = 0, unit: str = "games", group: int = 1) -> Figure:
    """A histogram of whole numbers as shares, each bar with its 95 % interval; the far tail is named, not drawn.

    beyond: games that count in the shares but have no value (unfinished ones). group: games come in deals of so many, which may
    depend on each other in any way; the intervals are as wide as those of one game a deal.
    """
    with _axes(x=x, y=f"share of {unit}") as axes:
        n = int(counts.sum())
        if n == 0:
            return _empty(axes)
        total = n + beyond
        shares, edges, cut = binned(values, counts)
        share = wilson(shares, np.full(len(shares), total))
        below, above = (np.sqrt(group) * (share.estimate - share.low), np.sqrt(group) * (share.high - share.estimate))
        middles, widths = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
        axes.bar(middles, share.estimate, width=widths * (0.92 if len(shares) > 12 else 0.7), color=SERIES[0], alpha=0.75, linewidth=0)
        axes.vlines(
            middles, np.maximum(share.estimate - below, 0), np.minimum(share.estimate + above, 1), color=INK, linewidth=0.9, alpha=0.75
        )
        _axis(axes.yaxis, percent=True)
        _axis(axes.xaxis, whole=True)
        axes.set_ylim(0, None)
        axes.grid(False, axis="x")
        top = axes.get_ylim()[1]
        if len(shares) > 12:
            middle = quantile(values, counts, 0.5)
            axes.set_ylim(0, top * 1.18)
            axes.vlines(middle, 0, top * 1.02, color=SERIES[1], linewidth=1.4)
            axes.text(middle, top * 1.05, f"median {number(middle, 0)}", color=SERIES[1], ha="center", va="bottom")
        missing = [f"{_percent(cut / total)} above {math.floor(edges[-1]):,}"] * bool(cut) + [
            f"{_percent(beyond / total)} unfinished"
        ] * bool(beyond)
        if missing:
            axes.set_xlabel(f"{x}   (not shown: {', '.join(missing)})", labelpad=6)
        return _of(axes)


def binned(values: np.ndarray, counts: np.ndarray, most: int = BINS, keep: float = 0.99) -> tuple[np.ndarray, np.ndarray, int]:
    """Counts in bins of equal width on the values' lattice, the edges, and how many lie above the last edge."""
    step, low = lattice_step(values, counts), int(values[0])
    last = int(values[-1])
    if (last - low) // step + 1 > most:
        last = int(quantile(values, counts, keep))
    size = step * max(1, math.ceil(((last - low) // step + 1) / most))
    bins = (last - low) // size + 1
    place = (values - low) // size
    shown = place < bins
    table = np.bincount(place[shown], weights=counts[shown], minlength=bins).astype(np.int64)
    edges = low + size * np.arange(bins + 1) - step / 2
    return table, edges, int(counts[~shown].sum())


def survival(results: Mapping[str, Result], column: str | None = None, *, x: str = "", least: int = 10) -> Figure:
    """The share of games with more than so much of a column, a line a run, on a logarithmic axis.

    The band holds the whole curve at once with 95 % confidence (Dvoretzky, Kiefer, Wolfowitz, Massart). Unfinished games
    count as longer than any. The axis ends where fewer than `least` games are left.
    """
    first = next(iter(results.values()))
    column = column or first.length
    with _axes(x=x or column.replace("_", " "), y=f"share of games with more {column.replace('_', ' ')}") as axes:
        floor = 1.0
        for k, (label, result) in enumerate(results.items()):
            values, counts = result.distribution(column)
            beyond = result.unfinished if result.plan.definition.cell_columns[column].finished else 0
            if len(values) == 0:
                continue
            cdf, low, high = dkw_band(values, counts, infinite=beyond, group=result.plan.seats if result.plan.paired else 1)
            start = max(0, int(values[0]) - 1)
            xs = np.concatenate([[start], values])
            share, under, over = (np.concatenate([[1.0], 1 - edge]) for edge in (cdf, high, low))
            end = min(least / result.games, 0.5)
            floor = min(floor, float(share[share >= end].min()))
            _step_band(axes, xs, under, over, share, end, SERIES[k % len(SERIES)], DASHES[k % len(DASHES)], label)
        axes.set_yscale("log")
        axes.set_ylim(min(floor / 1.3, 0.5), 1.15)
        _log_axis(axes.yaxis)
        _axis(axes.xaxis, whole=True)
        axes.set_xlim(0, None)
        if len(results) > 1:
            legend(axes)
        return _of(axes)


def _step_band(
    axes: Axes, x: np.ndarray, low: np.ndarray, high: np.ndarray, y: np.ndarray, floor: float, colour: str, dash: Any, label: str
) -> None:
    """A falling step curve with its band, thinned, down to a floor."""
    shown = y >= floor
    kept = thin(x[shown], np.log(y[shown]))
    x, y, low, high = (each[shown][kept] for each in (x, y, low, high))
    axes.fill_between(x, np.maximum(low, floor / 10), high, step="post", color=colour, alpha=0.18, linewidth=0)
    axes.plot(x, y, drawstyle="steps-post", color=colour, linestyle=dash, label=label or "_")


def thin(x: np.ndarray, y: np.ndarray, most: int = POINTS) -> np.ndarray:
    """Which points of a line to keep, at most `most`: the first in each of `most / 2` equal parts of x and of y, and the last.

    Points kept are exact; a step curve drawn through them is never off by more than one such part.
    """
    if len(x) <= most:
        return np.arange(len(x))
    parts = most // 2 - 1
    kept = {0, len(x) - 1}
    for each in (np.asarray(x, float), np.asarray(y, float)):
        reach = np.ptp(each) or 1.0
        place = np.minimum(((each - each.min()) / reach * parts).astype(np.int64), parts - 1)
        kept |= set(np.unique(place, return_index=True)[1].tolist())
    return np.array(sorted(kept))


def bars(
    labels: Sequence[Any], estimates: Sequence[Estimate], *, x: str, y: str = "", percent: bool = False, reference: float | None = None, show: bool = True
) -> Figure:  # fmt: skip
    """Horizontal bars from 0, each with its interval and its figure written out."""
    return _rows(labels, estimates, x, y, percent, reference, show, bars=True)


def dots(
    labels: Sequence[Any], estimates: Sequence[Estimate], *, x: str, y: str = "", percent: bool = False, reference: float | None = None, show: bool = True
) -> Figure:  # fmt: skip
    """A point with its interval in each row; the axis need not begin at 0. `reference` draws a line (no difference, say)."""
    return _rows(labels, estimates, x, y, percent, reference, show, bars=False)


def _rows(
    labels: Sequence[Any], estimates: Sequence[Estimate], x: str, y: str, percent: bool, reference: float | None, show: bool, *, bars: bool
) -> Figure:
    height = 0.75 + 0.29 * len(labels) + (0.15 if x else 0)
    with _axes(height=height, x=x, y=y) as axes:
        places = np.arange(len(labels))
        middle, low, high = (np.array([getattr(each, name) for each in estimates], float) for name in ("estimate", "low", "high"))
        low, high = np.where(np.isfinite(low), low, middle), np.where(np.isfinite(high), high, middle)
        if bars:
            axes.barh(places, middle, height=0.62, color=SERIES[0], alpha=0.75, linewidth=0)
            axes.hlines(places, low, high, color=INK, linewidth=1.3, alpha=0.85)
        else:
            axes.hlines(places, low, high, color=SERIES[0], linewidth=2.4, alpha=0.75)
            axes.plot(middle, places, "o", color=SERIES[0], markersize=4.5)
        if reference is not None:
            axes.axvline(reference, color=INK, linewidth=1, alpha=0.6, linestyle=(0, (4, 3)))
        axes.set_yticks(places, [str(label) for label in labels])
        axes.set_ylim(len(labels) - 0.45, -0.55)
        axes.grid(False, axis="y")
        axes.spines["left"].set_visible(False)
        _axis(axes.xaxis, percent=percent)
        if show:
            side = axes.secondary_yaxis("right")
            side.set_yticks(places, [short(each, percent) for each in estimates])
            side.spines["right"].set_visible(False)
        return _of(axes)


def lines(
    x: Sequence[float], series: Mapping[str, Sequence[Estimate]], *, xlabel: str, ylabel: str, percent: bool = False, log: bool = False,
    zero: bool = False, reference: float | None = None,
) -> Figure:  # fmt: skip
    """A line a series through points with intervals, the band between the intervals shaded."""
    with _axes(x=xlabel, y=ylabel) as axes:
        for k, (label, estimates) in enumerate(series.items()):
            colour = SERIES[k % len(SERIES)]
            middle, low, high = (np.array([getattr(each, name) for each in estimates], float) for name in ("estimate", "low", "high"))
            axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
            axes.vlines(x, low, high, color=colour, linewidth=1.2)
            axes.plot(
                x, middle, color=colour, linestyle=DASHES[k % len(DASHES)], marker=MARKERS[k % len(MARKERS)], markersize=4, label=label
            )
        if reference is not None:
            axes.axhline(reference, color=INK, linewidth=1, alpha=0.6, linestyle=(0, (4, 3)))
        if log:
            axes.set_yscale("log")
            _log_axis(axes.yaxis, percent)
        else:
            if zero:
                axes.set_ylim(min(0, axes.get_ylim()[0]), None)
            _axis(axes.yaxis, percent=percent)
        if len(x) <= 12:
            axes.set_xticks(list(x), [f"{value:g}" for value in x])
        else:
            _axis(axes.xaxis)
        if len(series) > 1:
            legend(axes)
        return _of(axes)


def heat(
    table: Sequence[Sequence[Estimate | None]], rows: Sequence[Any], columns: Sequence[Any], *, xlabel: str = "", ylabel: str = "",
    percent: bool = False, middle: float | None = None,
) -> Figure:  # fmt: skip
    """A table as tinted cells, each with its figure and, below, the distance to the farther end of its interval. Missing cells stay empty.

    middle: where given, cells below it are tinted in one colour and those above in another (0.5 for win rates).
    """
    known = [each.estimate for row in table for each in row if each is not None and math.isfinite(each.estimate)]
    if middle is None:
        low, reach = min(known, default=0.0), (max(known, default=1.0) - min(known, default=0.0)) or 1.0
    else:
        widths = [each.half_width for row in table for each in row if each is not None and math.isfinite(each.half_width)]
        noise = 4 * float(np.median(widths)) if widths else 0.0  # what is only chance stays pale
        low, reach = middle, max([abs(value - middle) for value in known] + [noise]) or 1.0
    longest = max((len(str(name)) for name in columns), default=0)
    width = max(WIDTH, 1.3 + max(0.74, 0.088 * longest) * len(columns))
    with _axes(width, 0.95 + 0.47 * len(rows), xlabel, ylabel) as axes:
        for r, row in enumerate(table):
            for c, each in enumerate(row):
                if each is None or not math.isfinite(each.estimate):
                    axes.text(c, r, "–", ha="center", va="center", alpha=0.6)
                    continue
                depth = (each.estimate - low) / reach
                axes.fill_between(
                    [c - 0.47, c + 0.47],
                    r - 0.46,
                    r + 0.46,
                    color=SERIES[0 if depth >= 0 else 1],
                    alpha=0.06 + 0.46 * abs(depth),
                    linewidth=0,
                )
                text, half = _two(each, percent)
                axes.text(c, r - 0.17, text, ha="center", va="center")
                axes.text(c, r + 0.22, half, ha="center", va="center", fontsize=FONT - 2, alpha=0.85)
        axes.set_xticks(range(len(columns)), [str(name) for name in columns])
        axes.set_yticks(range(len(rows)), [str(name) for name in rows])
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.grid(False)
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)
        return _of(axes)


def blank(*, x: str = "", y: str = "", width: float = WIDTH, height: float = HEIGHT) -> tuple[Figure, Axes]:
    """A figure in the house style with one pair of axes, for what none of the others draws (draw within `style()`)."""
    with _axes(width, height, x, y) as axes:
        return _of(axes), axes


# -------------------------------------------------------------------------------------------------------------- details


def _of(axes: Axes) -> Figure:
    """The figure that these axes are in."""
    return cast(Figure, axes.figure)


def estimates(frame: pd.DataFrame, column: str) -> list[Estimate]:
    """The figures of a sweep's column (`column`, `column_low`, `column_high`) as estimates, row by row."""
    n = frame[f"{column}_n"] if f"{column}_n" in frame else frame["games"]
    parts = zip(frame[column], frame[f"{column}_low"], frame[f"{column}_high"], n, strict=True)
    return [Estimate(float(middle), float(low), float(high), int(number)) for middle, low, high, number in parts]


def short(estimate: Estimate, percent: bool = False) -> str:
    """A figure with its interval in few letters: "281.5 ± 0.5", "0.30 % (0.20–0.45)", "0 % (at most 0.04)"."""
    if math.isnan(estimate.estimate):
        return "–"
    scale = 100 if percent else 1
    digits = decimals(scale * estimate.half_width, scale * estimate.estimate)
    unit = " %" if percent else ""
    middle, low, high = (number(scale * value, digits) for value in (estimate.estimate, estimate.low, estimate.high))
    if percent and estimate.estimate == 0:
        return f"0 % (at most {number(100 * estimate.high, decimals(100 * estimate.high))})"
    if not math.isfinite(estimate.half_width):
        return f"{middle}{unit} ({low}–{high})"
    even = abs(estimate.high + estimate.low - 2 * estimate.estimate) <= 0.1 * abs(estimate.high - estimate.low)
    if even:
        return f"{middle} ± {number(scale * estimate.half_width, digits)}{unit}"
    return f"{middle}{unit} ({low}{' to ' if estimate.low < 0 else '–'}{high})"


def _two(estimate: Estimate, percent: bool) -> tuple[str, str]:
    scale = 100 if percent else 1
    digits = decimals(scale * estimate.half_width, scale * estimate.estimate)
    return number(scale * estimate.estimate, digits) + (" %" if percent else ""), f"± {number(scale * float(estimate.margin), digits)}"


def _percent(share: float) -> str:
    """A share as a percentage with two significant digits."""
    return f"{number(100 * share, decimals(100 * share))} %"


def _axis(axis: Any, *, percent: bool = False, whole: bool = False) -> None:
    """Few round ticks, as numbers people read."""
    axis.set_major_locator(MaxNLocator(5, integer=whole, steps=[1, 2, 2.5, 5, 10]))

    def text(value: float, place: int | None = None) -> str:
        scaled = value * (100 if percent else 1)
        words = f"{scaled:,.10g}".replace("-", "\N{MINUS SIGN}")
        return words + (" %" if percent else "")

    axis.set_major_formatter(FuncFormatter(text))


def _log_axis(axis: Any, percent: bool = True) -> None:
    """Powers of ten in plain writing: 100 %, 10 %, 1 %, …"""
    low, high = axis.get_view_interval()
    if low > 0 and math.log10(high / low) < 1:
        axis.set_major_locator(LogLocator(10, subs=(1, 2, 5)))
    else:
        axis.set_major_locator(LogLocator(10, numticks=12))
    axis.set_minor_locator(FixedLocator([]))
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(lambda value, place=None: f"{100 * value:,.10g} %" if percent else f"{value:,.10g}"))


def legend(axes: Axes) -> None:
    """Names of the lines above the axes, where they cover nothing."""
    handles, labels = axes.get_legend_handles_labels()
    if labels:
        columns = max(1, min(len(labels), 60 // (max(map(len, labels)) + 8)))
        with style():
            axes.legend(handles, labels, loc="lower left", bbox_to_anchor=(0, 1.03), ncols=columns, columnspacing=1.6)


def _empty(axes: Axes) -> Figure:
    axes.text(0.5, 0.5, "no finished game", transform=axes.transAxes, ha="center", va="center")
    return _of(axes)


# ------------------------------------------------------------------------------------------------------------------ SVG


def svg(figure: PlainFigure, alt: str = "", name: str = "figure") -> str:
    """The figure as an `<svg>` element for a page: the same bytes for the same figure.

    Text stays text, in the page's own typeface; ink becomes `currentColor`, and the colours of the data become CSS
    variables (`--series-1`, …) with the colours themselves where the page sets none. `name` keeps ids apart on one page.
    """
    out = io.StringIO()
    with rc_context({**STYLE, "svg.hashsalt": name}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = out.getvalue()
    box = re.search(r'viewBox="([^"]+)"', text)
    body = text[text.index(">", text.index("<svg")) + 1 : text.rindex("</svg>")]
    for pattern, new in _CLEAN:
        body = pattern.sub(new, body)
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', body))
    body = re.sub(r' id="([^"]*)"', lambda found: f' id="{name}-{found[1]}"' if found[1] in used else "", body)
    body = re.sub(r'(href="|url\()#', rf"\g<1>#{name}-", body)
    body = re.sub(r' d="([^"]*)"', lambda found: f' d="{_path(found[1])}"', body)
    body = re.sub(r'(?<==)"[^"<>]*"', lambda found: re.sub(r"(\d\.\d\d)\d+", r"\1", found[0]), body)
    while (less := _EMPTY.sub("", body)) != body:
        body = less
    body = _bare_groups(body)
    for k, colour in enumerate(SERIES):
        body = body.replace(colour, f"var(--series-{k + 1}, {colour})")
    body = body.replace(INK, "currentColor").replace("#000000", "currentColor")
    label = f'role="img" aria-label="{escape(alt, quote=True)}"' if alt else 'role="img"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box[1] if box else ""}" {label} fill="currentColor" stroke-linejoin="round">{body.strip()}</svg>'


def _bare_groups(body: str) -> str:
    """Without the groups that say nothing."""
    bare: list[bool] = []

    def one(found: re.Match) -> str:
        if found[0] == "</g>":
            return "" if bare.pop() else found[0]
        bare.append(found[0] == "<g>")
        return "" if bare[-1] else found[0]

    return re.sub(r"<g(?: [^>]*[^/])?>|</g>", one, body)


def _path(path: str) -> str:
    """A path to a tenth of a point, in one line."""
    return re.sub(r"(\d\.\d)\d+", r"\1", re.sub(r"\s*([A-Za-z])\s*", r"\1", path))


_EMPTY = re.compile(r"<g(?: [^>]*)?>\s*</g>\s*|<g/>\s*|<path d=\"[^\"]*\" style=\"fill: none\"/>\s*")
"""What draws nothing."""
_CLEAN: list[tuple[re.Pattern, str | Callable]] = [
    (re.compile(r"<metadata>.*?</metadata>", re.S), ""),
    (re.compile(r"<style[^>]*>.*?</style>", re.S), ""),
    (re.compile(r"<defs>\s*</defs>", re.S), ""),
    (re.compile(r"<!--.*?-->", re.S), ""),
    (re.compile(r"xlink:href="), "href="),
    (re.compile(r"\s+xmlns:xlink=\"[^\"]*\""), ""),
    (re.compile(r"font-family:[^;\"]*;?\s*"), ""),
    (re.compile(r"font: (?:[a-z]+ )*([\d.]+px)[^;\"]*"), r"font-size: \1"),
    (re.compile(r" transform=\"rotate\(-0 [^)]*\)\""), ""),
    (re.compile(r"\n\s*"), "\n"),
    (re.compile(r" \n"), "\n"),
]
