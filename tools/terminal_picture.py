#!/usr/bin/env python3
"""A picture of what a command shows in a terminal: tools/terminal_picture.py RHUMB OUT.svg check examples/average.c

The text is text in the picture, in the colours of --color always. A test makes docs/book/src/pictures/terminal.svg again and compares.
"""

import html
import pathlib
import re
import subprocess
import sys

COLOURS = {"0": None, "1": ("bold", None), "2": (None, "#8b949e"), "1;31": ("bold", "#ff7b72"), "1;32": ("bold", "#56d364"), "1;33": ("bold", "#e3b341")}
WIDTH, HEIGHT, MARGIN = 8.0, 19, 18


def spans(line):
    """The parts of a line with how they look."""
    look = None
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        mark = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if mark:
            look = COLOURS.get(mark.group(1))
        elif part:
            yield part, look


def picture(command, text):
    lines = ["\x1b[2m$\x1b[0m \x1b[1m" + command + "\x1b[0m", *text.splitlines()]
    width, height = 80 * WIDTH + 2 * MARGIN, len(lines) * HEIGHT + 2 * MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}" role="img">',
        f"<title>{html.escape(command)}</title>",
        f'<rect width="{width:.0f}" height="{height}" rx="8" fill="#0d1117"/>',
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13.3" fill="#e6edf3">',
    ]
    for row, line in enumerate(lines):
        column = 0
        for part, look in spans(line):
            weight, colour = look or (None, None)
            style = (' font-weight="bold"' if weight else "") + (f' fill="{colour}"' if colour else "")
            # A terminal breaks lines; blanks at the ends would be lost.
            shown = part[: max(0, 80 - column)]
            word = shown.strip()
            if word:
                x = MARGIN + (column + len(shown) - len(shown.lstrip())) * WIDTH
                text = html.escape(word).replace(" ", "\u00a0")
                out.append(f'<text x="{x:.1f}" y="{MARGIN + 14 + row * HEIGHT}" textLength="{len(word) * WIDTH:.1f}"{style}>{text}</text>')
            column += len(part)
    return "\n".join([*out, "</g>", "</svg>", ""])


def main():
    rhumb, out, *words = sys.argv[1:]
    done = subprocess.run([rhumb, *words, "--color", "always", "--quiet"], stdout=subprocess.PIPE, text=True)
    pathlib.Path(out).write_text(picture(" ".join(["rhumb", *words]), done.stdout))


main()
