"""The report in a real browser: it loads without an error, sorts, searches, pins lines, and is light and dark."""

import json
import os
import subprocess

import browser
import numpy as np
import program
import pytest

BAD = "</script><script>window.bad = 1</script><img src=x onerror='window.bad = 1'>"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A browser, and a report of a cross-validation in which one feature has a vicious name."""
    path = browser.find()
    if path is None:
        assert os.environ.get("CI") != "true", "no Chromium here, which CI must have (`make browser` installs it)"
        pytest.skip("notice: Chromium is not installed, so the report is not tried in a browser")
    folder = tmp_path_factory.mktemp("report")
    rng = np.random.default_rng(3)
    x = rng.standard_normal((120, 25))
    y = np.sign(x[:, :4] @ [2, -1.5, 1, -1] + 0.8 * rng.standard_normal(120))
    rows = [f"{int(y[i]):+d} " + " ".join(f"{j + 1}:{x[i, j]:.5g}" for j in range(25)) for i in range(120)]
    (folder / "data").write_text("\n".join(rows) + "\n")
    run(folder, "cv", "--penalty", "l1", "--out", "run.json", "data")
    saved = json.loads((folder / "run.json").read_text())
    lines, table = saved["report"]["path"], saved["report"]["features"]["rows"]
    lines["names"] = [BAD if j == 1 else f"gene {j}" for j in lines["feature"]]
    for row in table:
        row["name"] = BAD if row["index"] == 1 else f"gene {row['index']}"
    (folder / "run.json").write_text(json.dumps(saved))
    run(folder, "report", "run.json", "--out", "page.html")
    with browser.Browser(path, folder / "profile") as opened:
        opened.file = folder / "page.html"
        opened.count = len(table)
        yield opened


def run(folder, *args):
    done = subprocess.run([program.BINARY, *args, "--quiet"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def names(page):
    """The rows that are shown, in their order."""
    return page.ask("[...document.querySelectorAll('#features tbody tr')].filter(r => !r.hidden).map(r => r.dataset.f)")


def load(page, width=1100, scheme="light"):
    page.scheme(scheme).size(width).open(page.file)
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1600])
def test_loads_without_an_error_in_both_schemes(page, scheme, width):
    load(page, width, scheme)
    assert page.problems == []
    # The file itself is all that is asked for.
    assert [url for url in page.requests if not url.startswith("data:")] == [page.file.resolve().as_uri()]
    assert page.ask("document.querySelectorAll('.chart > svg').length") == 4
    assert page.ask("document.documentElement.scrollWidth") == width
    assert not page.ask("document.querySelector('.chart').innerHTML.match(/NaN|Infinity|undefined/)")
    paper = page.ask("getComputedStyle(document.body).backgroundColor")
    channels = [int(part) for part in paper[4:-1].split(",")]
    assert (min(channels) > 200) if scheme == "light" else (max(channels) < 60)


def test_names_are_text(page):
    load(page)
    assert page.ask("window.bad") is None
    assert BAD in page.ask("document.querySelector('tr[data-f=\"1\"] td').textContent")
    page.ask("document.querySelector('tr[data-f=\"1\"] button').click()")
    assert BAD in page.ask("document.querySelector('#pins').textContent")
    assert page.ask("document.images.length") == 0 and page.ask("window.bad") is None
    assert page.problems == []


def test_sorts(page):
    load(page)
    before = names(page)
    heads = page.ask("[...document.querySelectorAll('#features thead th')].map(h => h.textContent)")
    column = heads.index("weight")
    click = f"document.querySelectorAll('#features thead th button')[{column}].click()"
    cells = f"""[...document.querySelectorAll('#features tbody tr')].map(r => r.cells[{column}].textContent)"""
    for way, order in (("descending", -1), ("ascending", 1)):
        page.ask(click)
        assert page.ask(f"document.querySelectorAll('#features thead th')[{column}].ariaSort") == way
        weights = [0.0 if text == "–" else float(text.replace("−", "-")) for text in page.ask(cells)]
        assert weights == sorted(weights, reverse=order < 0) and len(weights) == page.count
        assert min(weights) < 0 < max(weights)
    page.ask(click)
    assert names(page) == before


def test_searches(page):
    load(page)
    search = "(t => { const s = document.getElementById('search'); s.value = t; s.dispatchEvent(new Event('input')) })"
    page.ask(f"{search}('gene 2')")
    found = names(page)
    assert "2" in found and all(name.startswith("2") for name in found) and len(found) < page.count
    assert page.ask("document.getElementById('shown').textContent") == f"{len(found)} of {page.count}"
    page.ask(f"{search}('no such gene')")
    assert names(page) == []
    page.ask(f"{search}('')")
    assert len(names(page)) == page.count


def pinned(page):
    lines = page.ask("[...document.querySelectorAll('.pinned-lines path')].map(l => l.dataset.f)")
    rows = page.ask("[...document.querySelectorAll('tr.pinned')].map(r => r.dataset.f)")
    return sorted(lines), sorted(rows)


def test_a_line_is_named_and_pinned_and_so_is_its_row(page):
    load(page)
    # A point of the heaviest feature's line, found by pinning it from the table first.
    page.ask("document.querySelector('#features tbody tr button').click()")
    (first,), rows = pinned(page)
    assert rows == [first]
    x, y = page.ask(
        """(() => {
          const line = document.querySelector('.pinned-lines path'), svg = line.ownerSVGElement;
          svg.scrollIntoView({block: 'center'});
          const point = line.getPointAtLength(line.getTotalLength()).matrixTransform(svg.getScreenCTM());
          return [point.x - 1, point.y];
        })()"""
    )
    page.mouse(x, y)
    assert "λ" in page.ask("document.querySelector('#path-chart .tip').textContent")
    page.mouse(x, y, click=True)
    assert pinned(page) == ([], [])
    page.mouse(x, y, click=True)
    assert pinned(page) == ([first], [first])
    page.ask("document.querySelector('#pins button').click()")
    assert pinned(page) == ([], [])
    assert page.problems == []


def test_the_keyboard_pins_too(page):
    load(page)
    page.ask("document.getElementById('path-chart').focus()")
    page.key("ArrowDown", 40)
    said = page.ask("document.getElementById('said').textContent")
    assert "λ" in said
    page.key("Enter", 13)
    lines, rows = pinned(page)
    assert len(lines) == 1 and set(rows) <= set(lines)
    page.key("Enter", 13)
    assert pinned(page) == ([], [])


def test_prints(page):
    load(page)
    pdf = page.printed()
    assert pdf.startswith(b"%PDF") and len(pdf) > 20_000
