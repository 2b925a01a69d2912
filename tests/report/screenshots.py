#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Looks at reports of every kind in a real browser: every plot has ink, a stretch can be enlarged and let go, a
table sorted; on a telephone the score and all that it is compared with are on the first screen.
Exits with 77 where there is no Chromium, or where it gives nothing in several tries, and says what it wrote.

    screenshots.py GAIA SOURCE_DIR WORK_DIR
"""
import base64
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

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
const head = table && [...table.tHead.rows[0].cells].find((cell) => cell.textContent.startsWith("R²"));
if (head) {
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
# All pages in one launch, each in a frame as wide as a desk's window and in one like a telephone: windows have a
# least width.
FRAMES = """<!DOCTYPE html><html><body style="margin: 0">%s<script>
onload = () => {
  const told = {};
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument, name = frame.dataset.page;
    told[name] = told[name] || {};
    if (frame.className === "desk") {
      const probed = page.getElementById("told");
      told[name].desk = probed && JSON.parse(probed.textContent);
    } else {
      const boxes = [...page.querySelectorAll(".tile.score b, .beside td")].map((cell) => {
        const box = cell.getBoundingClientRect();
        return [cell.textContent, box.left, box.right, box.bottom];
      });
      told[name].telephone = { boxes, wide: page.documentElement.scrollWidth };
    }
  }
  const out = document.createElement("pre");
  out.id = "told";
  out.textContent = JSON.stringify(told);
  document.body.appendChild(out);
};
</script></body></html>"""
FRAME = '<iframe class="{}" data-page="{}" src="{}" style="border: 0; width: {}px; height: {}px"></iframe>'

TRIES = 3


class NothingCame(Exception):
    """The browser ran, but gave no page, no picture or an empty one: worth another try on a busy machine."""


class PageSaidNothing(NothingCame):
    """A page came without what it should tell: a fault of the page where it happens every time."""


class NoBrowser(Exception):
    """What the browser gives on this machine, which says nothing of the pages."""


def with_browser(browser, what, use, *arguments):
    """Starts the browser with a profile of its own and returns use(what it printed); up to three times where
    nothing comes of it.  Raises NoBrowser with what the browser wrote to stderr."""
    for left in reversed(range(TRIES)):
        with tempfile.TemporaryDirectory(prefix="gaia_browser_", ignore_cleanup_errors=True) as profile:
            try:
                done = subprocess.run(
                    [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     f"--user-data-dir={profile}", "--no-first-run", "--disable-extensions",
                     "--disable-background-networking", "--hide-scrollbars", "--force-color-profile=srgb",
                     "--force-device-scale-factor=0.5", *arguments],
                    text=True, timeout=120, capture_output=True)
                out, err = done.stdout, done.stderr
                return use(out)
            except subprocess.TimeoutExpired as error:
                reason, err = "it did not end within 120 s", (error.stderr or b"").decode(errors="replace")
            except NothingCame as error:
                reason = error
        print(f"{what}: {reason}; {left} tries left", flush=True)
    fault = AssertionError if isinstance(reason, PageSaidNothing) else NoBrowser
    raise fault(f"{what}: {reason} in {TRIES} tries; stderr of the last:\n{err}")


def told_in(dom):
    """What a page has reported in the end."""
    told = re.search(r'<pre id="told">(.*?)</pre>', dom, re.DOTALL)
    if not dom.strip():
        raise NothingCame("no page came")
    if told is None:
        raise PageSaidNothing(f"{len(dom)} characters came, without what the page tells")
    return json.loads(html.unescape(told.group(1)))


def look(browser, pages, work):
    """What all pages report of themselves, by name: on a desk and on a telephone."""
    frames = []
    for name, page in pages.items():
        copy = page.with_suffix(".probe.html")
        text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*/>', "", page.read_text())
        copy.write_text(text.replace("</body>", PROBE))
        frames += [FRAME.format("desk", name, copy.as_uri(), WIDTH, 2000),
                   FRAME.format("telephone", name, page.as_uri(), *TELEPHONE)]
    whole = work / "frames.html"
    whole.write_text(FRAMES % "".join(frames))

    def read(dom):
        told = told_in(dom)
        for name in pages:
            if name not in told or told[name]["desk"] is None:
                raise PageSaidNothing(f"{name} told nothing")
        return told

    return with_browser(browser, "looking at all pages", read, "--allow-file-access-from-files",
                        f"--window-size={WIDTH},2000", "--dump-dom", whole.as_uri())


def check_first_screen(name, told):
    """On a telephone nothing of the scores at the top has to be scrolled to; returns how many numbers there are."""
    width, height = TELEPHONE
    assert told["wide"] <= width, f"{name}: {told['wide']} wide"
    for text, left, right, bottom in told["boxes"]:
        assert 0 <= left and right <= width and bottom <= height, (name, text, left, right, bottom)
    return len(told["boxes"])


# Counts pixels where a plot should be that are darker than paper, grid and frame, or of a colour; -1 for a picture of
# one colour.
COUNT = """<!DOCTYPE html><html><body>%s<script>
onload = () => {
  const told = {};
  for (const image of document.querySelectorAll("img")) {
    const canvas = document.createElement("canvas");
    const width = canvas.width = image.naturalWidth, height = canvas.height = image.naturalHeight;
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const pixels = context.getImageData(0, 0, width, height).data;
    const words = new Uint32Array(pixels.buffer);
    const scale = width / Number(image.dataset.wide);
    told[image.id] = words.every((word) => word === words[0]) ? -1 : JSON.parse(image.dataset.views).map((view) => {
      let [, left, top, wide, high] = view;
      // The browser takes the lines' own box for the view's: what is flat lies on its edges.
      left -= 4; top -= 4; wide += 8; high += 8;
      const x0 = Math.max(0, Math.trunc(left * scale) + 1), x1 = Math.min(width, Math.trunc((left + wide) * scale) - 1);
      const y0 = Math.max(0, Math.trunc(top * scale) + 1), y1 = Math.min(height, Math.trunc((top + high) * scale) - 1);
      let ink = 0;
      for (let y = y0; y < y1; ++y) {
        for (let x = x0; x < x1; ++x) {
          const at = 4 * (y * width + x), red = pixels[at], green = pixels[at + 1], blue = pixels[at + 2];
          const least = Math.min(red, green, blue);
          if (least < 195 || Math.max(red, green, blue) - least > 25) ++ink;
        }
      }
      return ink;
    });
  }
  const out = document.createElement("pre");
  out.id = "told";
  out.textContent = JSON.stringify(told);
  document.body.appendChild(out);
};
</script></body></html>"""


def take_picture(browser, page, height):
    """A picture of a whole page."""
    picture = page.with_suffix(".png")
    picture.unlink(missing_ok=True)

    def read(_):
        data = picture.read_bytes() if picture.exists() else b""
        if not data.endswith(b"IEND\xaeB`\x82"):  # how every whole PNG file ends
            raise NothingCame(f"{len(data)} bytes of a picture")
        return data

    return with_browser(browser, f"picture of {page.name}", read, f"--window-size={WIDTH},{height}",
                        f"--screenshot={picture}", page.as_uri())


def count_ink(browser, pictures, views, work):
    """Ink of each plot, of every picture by name; None where it is of one colour."""
    whole = work / "count.html"
    whole.write_text(COUNT % "".join(
        f'<img id="{name}" data-wide="{WIDTH}" data-views="{html.escape(json.dumps(views[name]))}" '
        f'src="data:image/png;base64,{base64.b64encode(data).decode()}">' for name, data in pictures.items()))

    def read(dom):
        told = told_in(dom)
        if told.keys() != pictures.keys():
            raise PageSaidNothing(f"pictures {sorted(pictures.keys() - told.keys())} were not counted")
        return {name: None if ink == -1 else ink for name, ink in told.items()}

    return with_browser(browser, "counting ink", read, "--dump-dom", whole.as_uri())


def look_for_ink(browser, pages, told, work):
    """Every plot of every page shows something darker than paper, grid and frame, or of a colour.  A picture of
    one colour is taken again."""
    ink, left = {}, dict(pages)
    for _ in range(TRIES):
        pictures = {name: take_picture(browser, page, told[name]["height"]) for name, page in left.items()}
        counted = count_ink(browser, pictures, {name: told[name]["views"] for name in left}, work)
        ink.update({name: counts for name, counts in counted.items() if counts is not None})
        left = {name: page for name, page in left.items() if counted[name] is None}
        if not left:
            break
        print(f"of one colour: {', '.join(left)}", flush=True)
    assert not left, f"of one colour in {TRIES} tries: {', '.join(left)}"
    for name, counts in ink.items():
        views = told[name]["views"]
        blank = [(view[0], count) for view, count in zip(views, counts, strict=True) if count < 2]
        assert views and not blank, f"{name}: hardly any ink in {blank}"


def main():
    gaia, source, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        print("Chromium is not installed (apt-get install chromium); reports are not looked at")
        sys.exit(77)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)

    pages = make_pages(gaia, source, work)
    looked = look(browser, pages, work)
    all_told = {name: told["desk"] for name, told in looked.items()}
    for name in pages:
        shown = check_first_screen(name, looked[name]["telephone"])
        assert shown >= 3 or name not in ("ecg", "digits", "pump", "gru", "maze", "grid", "seeds"), (name, shown)
        print(f"{name}: {len(all_told[name]['views'])} plots, {shown} cells at the top", flush=True)
    look_for_ink(browser, pages, all_told, work)

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
    try:
        main()
    except NoBrowser as trouble:
        print(f"{trouble}\nreports are not looked at")
        sys.exit(77)
