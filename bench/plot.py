"""The chart of a run: the contenders side by side, a row for each database."""

from pathlib import Path

from bench.figures import Result

PANELS = (
    ("requests_per_second", "requests/s (more is better)"),
    ("cpu_ms", "CPU ms per request (less is better)"),
    ("p99_ms", "p99 ms (less is better)"),
)
COLOURS = {"service": "#1f6f8b", "floor": "#c9d6df"}
OTHERS = ("#e08e45", "#7a9e7e")


def draw(results: list[Result], file: Path) -> None:
    results = [result for result in results if all(measured.rounds for measured in result.measured.values())]
    if not results:
        return
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    databases = list(dict.fromkeys(result.database for result in results))
    figure, grid = pyplot.subplots(
        len(databases), len(PANELS), figsize=(12, 3.4 * len(databases)), squeeze=False, layout="constrained"
    )
    figure.suptitle("Medians of one run; the scales are logarithmic", fontsize=9)
    for line, database in zip(grid, databases, strict=True):
        here = [result for result in results if result.database == database]
        names = list(dict.fromkeys(who for result in here for who in result.measured))
        width = 0.8 / len(names)
        for axes, (figure_name, title) in zip(line, PANELS, strict=True):
            for place, who in enumerate(names):
                places = [index for index, result in enumerate(here) if who in result.measured]
                values = [here[index].measured[who].median(figure_name) or 0.0 for index in places]
                at = [index + (place - (len(names) - 1) / 2) * width for index in places]
                bars = axes.bar(at, values, width, label=who, color=COLOURS.get(who, OTHERS[place % len(OTHERS)]))
                axes.bar_label(bars, [_short(value) for value in values], fontsize=8, padding=1)
            axes.set_yscale("log")
            axes.margins(y=0.15)
            axes.set_xticks(range(len(here)), [result.entry for result in here])
            axes.set_title(f"{database}: {title}", fontsize=9)
            axes.spines[["top", "right"]].set_visible(False)
            axes.tick_params(labelsize=8)
    grid[0][0].legend(frameon=False, fontsize=8)
    figure.savefig(file, dpi=90)
    pyplot.close(figure)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
