"""Whether a display says in its static forms all that it says: an exported page has nothing else."""

import re

import bs4

# What a page, a listing or a document shows without a program.
STATIC = {"text/plain", "text/html", "text/markdown", "text/latex", "image/png", "image/jpeg"}

# The reading as data. Programs read it, no front end draws it.
DATA = "application/vnd.topos.v1+json"

# What that holds for readers; beside it stand digests, anchors and where a node was recorded.
TOLD = {"index", "opcode", "operands", "shape", "liveness", "name", "label", "count"}

WORD = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?|[^\W\d][\w.]*")


def visible(page):
    """The words of an HTML page where no script runs; of a picture its description."""
    soup = bs4.BeautifulSoup(page, "html.parser")
    for hidden in soup.find_all(["script", "style", "template", "canvas", "iframe", "object"]):
        hidden.decompose()
    described = [image.get("alt", "") for image in soup.find_all("img")]
    return set(WORD.findall(soup.get_text() + " " + soup.get_text(" ") + " " + " ".join(described)))


def told(value, key=""):
    """The words that data tells its readers, at any depth."""
    if isinstance(value, dict):
        return set().union(*(told(item, name) for name, item in value.items()))
    if isinstance(value, list):
        return set().union(*(told(item, key) for item in value))
    return set(WORD.findall(str(value))) if key in TOLD and value is not None else set()


def lacking(data):
    """What a MIME bundle says that its static forms do not."""
    lacks = [f"{kind} needs a program" for kind in sorted(set(data) - STATIC - {DATA})]
    if "text/plain" not in data:
        return [*lacks, "no text/plain"]
    shown = visible(data.get("text/html", "")) | set(WORD.findall(data["text/plain"]))
    return lacks + sorted(told(data.get(DATA, {})) - shown)
