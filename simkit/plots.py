"""Figures (first version)."""
import io, re
from matplotlib.figure import Figure
def svg(figure, alt="", name="figure"):
    out = io.StringIO(); figure.savefig(out, format="svg", metadata={"Date": None}); return out.getvalue()[out.getvalue().index("<svg"):]
