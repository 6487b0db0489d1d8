"""The tables of a page, by the heading above each."""

from html.parser import HTMLParser


class _Tables(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, list[list[str]]] = {}
        self._heading, self._inside = "", ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "h2":
            self._heading = ""
        if tag == "table":
            self.found[self._heading] = []
        if tag == "tr":
            self._row: list[str] = []
        if tag == "td" or (tag == "th" and ("scope", "row") in attrs):  # type: ignore[operator]
            self._row.append("")
        if tag in ("h2", "td", "th", "title"):
            self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        if tag in ("h2", "td", "th", "title"):
            self._inside = ""
        if tag == "tr" and self._row:
            self.found[self._heading].append([cell.strip() for cell in self._row])

    def handle_data(self, data: str) -> None:
        if self._inside == "h2":
            self._heading += data.strip()
        elif self._inside in ("td", "th") and self._row:
            self._row[-1] += data


def tables_in(html: str) -> dict[str, list[list[str]]]:
    """The rows of their bodies, each with the text of its cells. What a picture in a cell is called is left out."""
    page = _Tables()
    page.feed(html)
    return page.found
