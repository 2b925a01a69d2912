#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Looks at reports of every kind in a real browser: every plot has ink, a stretch can be enlarged and let go, a
table sorted; on a telephone the score and all that it is compared with are on the first screen.
Exits with 77 where there is no Chromium.

    screenshots.py GAIA SOURCE_DIR WORK_DIR
"""
import html
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import zlib

from pages import make_pages

WIDTH = 1200

# What the page itself forbids: a second script, in a copy of the page.
PROBE = """<script>
Element.prototype.setPointerCapture = () => {};
const told = { height: document.documentElement.scrollHeight, views: [] };
document.querySelectorAll("figure .view").forEach((view) => {
  const box = view.getBoundingClientRect();
  told.views.push([view.closest("figure").id, box.left, box.top + window.scrollY, box.width, box.height]);
});
// Of plots without panels, where their lines are: labels are ink too.
document.querySelectorAll("figure svg").forEach((svg) => {
  if (svg.parentElement.closest("svg") || svg.querySelector(".view")) return;
  // A picture is an image as a whole.
  const drawn = svg.querySelector("path.line") ? [...svg.querySelectorAll("path.line")] : [svg];
  const boxes = drawn.map((line) => line.getBoundingClientRect());
  const left = Math.min(...boxes.map((box) => box.left)), top = Math.min(...boxes.map((box) => box.top));
  const right = Math.max(...boxes.map((box) => box.right)), bottom = Math.max(...boxes.map((box) => box.bottom));
  const name = svg.closest("figure").id || svg.getAttribute("aria-label");
  told.views.push(boxes.length ? [name, left, top + window.scrollY, right - left, bottom - top] : [name, 0, 0, 0, 0]);
});
const plot = document.querySelector(".plot.zoom");
if (plot) {
  const view = plot.querySelector(".view");
  const box = view.getBoundingClientRect();
  const send = (kind, share) => plot.dispatchEvent(new PointerEvent(kind, { bubbles: true, button: 0,
    pointerType: "mouse", clientX: box.left + share * box.width, clientY: box.top + 5 }));
  const labels = () => [...plot.querySelectorAll(".axis.x .tick")].map((text) => text.textContent).join(" ");
  told.before = [view.getAttribute("viewBox"), labels()];
  send("pointerdown", 0.25); send("pointermove", 0.5); send("pointerup", 0.5);
  told.zoomed = [view.getAttribute("viewBox"), labels()];
  told.cursor = plot.querySelector(".value").textContent;
  plot.dispatchEvent(new MouseEvent("dblclick"));
  told.after = [view.getAttribute("viewBox"), labels()];
}
const table = document.querySelector("table.sortable");
if (table) {
  const head = [...table.tHead.rows[0].cells].find((cell) => cell.textContent.startsWith("R²"));
  const column = () => [...table.tBodies[0].rows].map((row) => row.cells[head.cellIndex].getAttribute("data-value"));
  head.click();
  told.up = column();
  head.click();
  told.down = column();
}
const out = document.createElement("pre");
out.id = "told";
out.textContent = JSON.stringify(told);
document.body.appendChild(out);
</script></body>"""


TELEPHONE = (400, 800)
# In a frame, since a window has a least width.
FIRST_SCREEN = """<!DOCTYPE html><html><body style="margin: 0">
<iframe id="page" src="%s" style="border: 0; width: %dpx; height: %dpx"></iframe><pre id="told"></pre><script>
document.getElementById("page").onload = (event) => {
  const page = event.target.contentDocument;
  const boxes = [...page.querySelectorAll(".tile.score b, .beside td")].map((cell) => {
    const box = cell.getBoundingClientRect();
    return [cell.textContent, box.left, box.right, box.bottom];
  });
  const wide = page.documentElement.scrollWidth;
  document.getElementById("told").textContent = JSON.stringify({ boxes, wide });
};
</script></body></html>"""


def check_first_screen(browser, page):
    """On a telephone nothing of the scores at the top has to be scrolled to; returns how many numbers there are."""
    width, height = TELEPHONE
    frame = page.with_suffix(".frame.html")
    frame.write_text(FIRST_SCREEN % (page.as_uri(), width, height))
    dom = chromium(browser, "--allow-file-access-from-files", "--window-size=900,900", "--dump-dom", frame.as_uri()).stdout
    told = json.loads(html.unescape(re.search(r'<pre id="told">(.*?)</pre>', dom, re.DOTALL).group(1)))
    assert told["wide"] <= width, f"{page.name}: {told['wide']} wide"
    for text, left, right, bottom in told["boxes"]:
        assert 0 <= left and right <= width and bottom <= height, (page.name, text, left, right, bottom)
    return len(told["boxes"])


def chromium(browser, *arguments):
    return subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                           "--force-color-profile=srgb", "--force-device-scale-factor=0.5", *arguments], text=True, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def probe(browser, page):
    """What the page tells of itself."""
    copy = page.with_suffix(".probe.html")
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*/>', "", page.read_text())
    copy.write_text(text.replace("</body>", PROBE))
    dom = chromium(browser, f"--window-size={WIDTH},2000", "--dump-dom", copy.as_uri()).stdout
    return json.loads(html.unescape(re.search(r'<pre id="told">(.*?)</pre>', dom, re.DOTALL).group(1)))


def read_png(path):
    """Width, height, bytes per pixel and rows of a PNG file of 8 bits."""
    data = path.read_bytes()
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", data[at + 8:at + 21])
            assert depth == 8 and color in (2, 6) and interlaced == 0
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    size = 3 if color == 2 else 4
    raw, stride, rows = zlib.decompress(packed), width * size, []
    above = bytearray(stride)
    for y in range(height):
        begin = y * (stride + 1)
        kind, row = raw[begin], bytearray(raw[begin + 1:begin + 1 + stride])
        if kind == 2:
            row = bytearray((a + b) & 255 for a, b in zip(row, above))
        elif kind:
            for i in range(stride):
                left = row[i - size] if i >= size else 0
                up = above[i]
                if kind == 1:
                    row[i] = (row[i] + left) & 255
                elif kind == 3:
                    row[i] = (row[i] + (left + up) // 2) & 255
                else:
                    corner = above[i - size] if i >= size else 0
                    p = left + up - corner
                    a, b, c = abs(p - left), abs(p - up), abs(p - corner)
                    row[i] = (row[i] + (left if a <= b and a <= c else up if b <= c else corner)) & 255
        rows.append(row)
        above = row
    return width, height, size, rows


def check_ink(browser, page, told):
    """Every plot shows something darker than paper, grid and frame, or of a colour."""
    picture = page.with_suffix(".png")
    picture.unlink(missing_ok=True)
    chromium(browser, f"--window-size={WIDTH},{told['height']}", f"--screenshot={picture}", page.as_uri())
    assert picture.exists(), f"no picture of {page}"
    width, height, size, rows = read_png(picture)
    scale = width / WIDTH
    blank = []
    for figure, left, top, wide, high in told["views"]:
        if min(wide, high) < 24:  # a line that is nearly flat, or two lone points
            left, top, wide, high = left - 4, top - 4, wide + 8, high + 8
        x0, x1 = int(left * scale) + 1, min(width, int((left + wide) * scale) - 1)
        y0, y1 = int(top * scale) + 1, min(height, int((top + high) * scale) - 1)
        pixels = (rows[y][x * size:x * size + 3] for y in range(y0, y1) for x in range(x0, x1))
        ink = sum(1 for pixel in pixels if min(pixel) < 195 or max(pixel) - min(pixel) > 25)
        if ink < 2:
            blank.append((figure, ink))
    assert told["views"] and not blank, f"{page.name}: hardly any ink in {blank}"
    return len(told["views"])


def main():
    gaia, source, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        print("Chromium is not installed (apt-get install chromium); reports are not looked at")
        sys.exit(77)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)

    all_told = {}
    for name, page in make_pages(gaia, source, work).items():
        all_told[name] = probe(browser, page)
        shown = check_first_screen(browser, page)
        assert shown >= 3 or name not in ("ecg", "digits", "pump", "gru", "maze", "grid", "seeds"), (name, shown)
        print(f"{name}: {check_ink(browser, page, all_told[name])} plots have ink, {shown} cells at the top")

    told = all_told["ecg"]
    assert told["before"] == told["after"], told
    assert told["before"][0] != told["zoomed"][0] and told["before"][1] != told["zoomed"][1], told
    begin, _, width, _ = (float(value) for value in told["zoomed"][0].split())
    whole = float(told["before"][0].split()[2])
    assert abs(begin / whole - 0.25) < 0.01 and abs(width / whole - 0.25) < 0.01, told
    assert re.match(r"time [\d.]+ s$", told["cursor"]), told["cursor"]
    told = all_told["pump"]  # dates
    assert re.match(r"2024-03-0\d", told["before"][1]) and told["before"] == told["after"], told
    assert re.match(r"2024-03-0\d \d\d:\d\d", told["zoomed"][1]), told
    assert re.match(r"2024-03-0\d \d\d:\d\d:\d\d$", told["cursor"]), told["cursor"]
    told = all_told["several"]
    values = [float(value) for value in told["up"]]
    assert values == sorted(values) and len(set(values)) > 1 and told["down"] == told["up"][::-1], told


if __name__ == "__main__":
    main()
