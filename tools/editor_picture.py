#!/usr/bin/env python3
"""A picture of Vim after :make with Rhumb: tools/editor_picture.py RHUMB OUT.svg

The editor runs in a terminal of its own (pip install pyte), in a folder with the examples. With --list the quickfix list is printed instead,
which needs no pyte.
"""

import fcntl
import html
import os
import pathlib
import pty
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS, ROWS = 80, 30
WIDTH, HEIGHT, MARGIN = 8.0, 19, 18
FOREGROUND, BACKGROUND = "#e6edf3", "#0d1117"
COLOURS = {"red": "#ff7b72", "green": "#56d364", "brown": "#e3b341", "blue": "#79c0ff", "magenta": "#d2a8ff", "cyan": "#76e3ea", "white": FOREGROUND, "black": BACKGROUND}
MAKE = [r"set makeprg=rhumb\ check\ --format\ gcc\ %", "silent make!"]


def scene(rhumb, scratch):
    """A folder with an example, and the environment in which `rhumb` is found."""
    shutil.copy(ROOT / "examples/average.c", scratch)
    (scratch / "bin").mkdir()
    (scratch / "bin/rhumb").symlink_to(pathlib.Path(rhumb).resolve())
    return {**os.environ, "PATH": f"{scratch / 'bin'}:{os.environ['PATH']}", "TERM": "linux", "SHELL": "/bin/sh", "LC_ALL": "C.UTF-8"}


def vim(commands):
    return ["vim", "-Nu", "NONE", "-n", "-i", "NONE", *[part for command in commands for part in ("-c", command)], "average.c"]


def quickfix(rhumb):
    """The quickfix list as text: line, type and message of each entry."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        show = r'call writefile(map(filter(getqflist(), "v:val.valid"), {_, one -> printf("%d %s", one.lnum, one.text)}), "list.txt")'
        command = ["vim", "-Es", *vim([*MAKE, show, "qall!"])[1:]]
        subprocess.run(command, cwd=scratch, env=scene(rhumb, scratch), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
        return (scratch / "list.txt").read_text()


def screen(rhumb):
    """What the terminal shows once nothing changes any more."""
    import pyte

    shown = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(shown)
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        environment = scene(rhumb, scratch)
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(scratch)
            os.execvpe("vim", vim(["syntax on", "set number laststatus=2 background=dark", *MAKE, "copen 12", "redraw!", "cfirst", "cnext", "cnext"]), environment)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        end = time.monotonic() + 60
        quiet = 0
        while time.monotonic() < end and quiet < 4:
            if select.select([terminal], [], [], 1)[0]:
                stream.feed(os.read(terminal, 65536))
                quiet = 0
            else:
                quiet += 1
        os.kill(child, 9)
        os.waitpid(child, 0)
    return shown


def runs(row):
    """The parts of a row that look alike: column, text, colour, background, whether it is bold."""
    found = []
    for column in range(COLUMNS):
        char = row[column]
        colour = COLOURS.get(char.fg, f"#{char.fg}" if len(char.fg) == 6 and char.fg != "default" else FOREGROUND)
        ground = COLOURS.get(char.bg, f"#{char.bg}" if len(char.bg) == 6 and char.bg != "default" else BACKGROUND)
        if char.reverse:
            colour, ground = ground, colour
        look = (colour, ground, char.bold)
        if found and found[-1][2] == look:
            found[-1][1] += char.data
        else:
            found.append([column, char.data, look])
    return found


def picture(shown):
    width, height = COLUMNS * WIDTH + 2 * MARGIN, ROWS * HEIGHT + 2 * MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}" role="img">',
        "<title>:make in Vim</title>",
        f'<rect width="{width:.0f}" height="{height}" rx="8" fill="{BACKGROUND}"/>',
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13.3">',
    ]
    for row in range(ROWS):
        for column, text, (colour, ground, bold) in runs(shown.buffer[row]):
            x, y = MARGIN + column * WIDTH, MARGIN + row * HEIGHT
            if ground != BACKGROUND:
                out.append(f'<rect x="{x:.1f}" y="{y}" width="{len(text) * WIDTH:.1f}" height="{HEIGHT}" fill="{ground}"/>')
            word = text.strip()
            if word:
                x += (len(text) - len(text.lstrip())) * WIDTH
                weight = ' font-weight="bold"' if bold else ""
                said = html.escape(word).replace(" ", "\u00a0")
                out.append(f'<text x="{x:.1f}" y="{y + 14}" textLength="{len(word) * WIDTH:.1f}" fill="{colour}"{weight}>{said}</text>')
    return "\n".join([*out, "</g>", "</svg>", ""])


def main():
    rhumb, out = sys.argv[1:]
    if out == "--list":
        print(quickfix(rhumb), end="")
    else:
        pathlib.Path(out).write_text(picture(screen(rhumb)))


main()
