"""check_page.py PAGE...: is an HTML page of `ordo audit` well formed, self-contained and inert?

Written against the page, not against what writes it: tags balance, anchors are unique and links find them,
nothing refers outside, nothing can run. Exits with 1 and says what is wrong.
"""
import html.parser
import re
import sys

VOID = {"meta", "br", "link", "img", "hr", "input"}
TAGS = set("""html head meta title style body main header footer section nav div span p a ul li dl dt dd h1 h2 h3
table thead tbody tr th td code pre strong mark details summary figure br
svg g rect circle path line text tspan""".split())
ATTRIBUTES = set("""lang charset http-equiv content name id class title href scope role aria-label data-mark
xmlns width height viewbox x y cx cy r rx ry d x1 x2 y1 y2 fill stroke stroke-width stroke-dasharray stroke-linejoin
stroke-linecap stroke-opacity fill-opacity opacity transform text-anchor font-weight font-size dx dy""".split())


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.wrong, self.style = [], set(), [], [], ""

    def handle_starttag(self, tag, attributes):
        self.start(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.start(tag, attributes)

    def start(self, tag, attributes):
        if tag not in TAGS:
            self.wrong.append(f"element <{tag}>")
        for name, value in attributes:
            if name not in ATTRIBUTES:
                self.wrong.append(f"attribute {name} of <{tag}>")
            if name == "id":
                if value in self.ids:
                    self.wrong.append(f"two elements have the id {value}")
                self.ids.add(value)
            if name == "href":
                self.links.append(value)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.wrong.append(f"</{tag}> at line {self.getpos()[0]} closes {self.open[-1:]}")
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            self.style += data

    def handle_comment(self, data):
        self.wrong.append("a comment")


def faults(path):
    with open(path, "rb") as file:
        data = file.read()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return [f"no UTF-8: {error}"]
    page = Page()
    page.feed(text)
    page.close()
    wrong = page.wrong
    if page.open:
        wrong.append(f"left open: {page.open}")
    for link in page.links:
        if not link.startswith("#") or link[1:] not in page.ids:
            wrong.append(f"a link to {link}")
    if re.search(r"url\(|@import|expression\(", page.style):
        wrong.append("the style sheet loads something")
    if "default-src 'none'" not in text:
        wrong.append("no policy that forbids loading")
    if not text.startswith("<!DOCTYPE html>\n") or not text.endswith("</html>\n"):
        wrong.append("not one whole document")
    hidden = re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]", text)
    if hidden:
        wrong.append(f"a hidden character U+{ord(hidden.group()):04X}")
    return wrong


if __name__ == "__main__":
    found = [f"{path}: {fault}" for path in sys.argv[1:] for fault in faults(path)]
    print("\n".join(found) if found else f"{len(sys.argv) - 1} fine")
    sys.exit(1 if found or len(sys.argv) < 2 else 0)
