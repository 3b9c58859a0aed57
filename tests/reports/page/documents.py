"""A page as a parser sees it."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "link", "br", "img", "hr", "input"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    def all(self, tag: str) -> list["Element"]:
        """Return the elements of a name below this one, in order."""
        found = []
        for child in self.children:
            found += [child] if child.tag == tag else []
            found += child.all(tag)
        return found

    def everything(self) -> str:
        """Return all text in it."""
        return self.text + " ".join(child.everything() for child in self.children)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        self.open[-1].text += data


def read(html: str) -> Element:
    """Return the document, whose every element must be closed where it should be."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert len(reader.open) == 1, f"never closed: {[each.tag for each in reader.open[1:]]}"
    return reader.open[0]


def data_marks(svg: str) -> list[str]:
    """Return what the marks of a drawing that stand for data say."""
    root = ElementTree.fromstring(svg)
    groups = [each for each in root.iter(f"{SVG}g") if "data_marks" in (each.get("class") or "").split()]
    return [mark.get("aria-label") or "" for group in groups for mark in group]
