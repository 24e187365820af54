"""The page in a real browser: opened, clicked, zoomed, sorted, by keys too; nothing in its console, nothing
asked of a network."""

import base64
import json
import time

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

import lightrail_post as post
from lightrail_post.page import SECTIONS, write_page

PATIENCE_S = 60


def opened(browser, path):
    """Opens a page and waits until it is drawn."""
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(path.as_uri())
    until(lambda: browser.find_element(By.ID, "state").text == "")


def until(is_so):
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end, "the page has not come so far"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def two(results, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "two.html"
    write_page([post.open_run(result) for result in results], path)
    return path


@pytest.fixture
def page(browser, two):
    opened(browser, two)
    yield browser
    assert [entry["message"] for entry in browser.get_log("browser")] == []


def script(page, text, *arguments):
    return page.execute_script(f"return {text}", *arguments)


def button(page, section, text):
    return page.find_element(By.XPATH, f'//section[@id="{section}"]//button[text()="{text}"]')


def choose(page, section, label, text):
    """The option of the control with that label."""
    found = page.find_element(By.XPATH, f'//section[@id="{section}"]//label[starts-with(., "{label}")]/select')
    Select(found).select_by_visible_text(text)


def seen(page, section):
    return page.find_element(By.ID, section).text


def view(page):
    return script(page, "[page.timeline.from, page.timeline.to]")


def test_every_section_is_drawn_with_its_finding(page):
    assert page.title.startswith("2 results: tp4 is ")
    for name in ("study", *SECTIONS):
        assert len(page.find_element(By.ID, f"{name}-title").text) > 10, name
        assert page.find_element(By.CSS_SELECTOR, f"#{name} .body").size["height"] > 50, name
    assert page.find_elements(By.CSS_SELECTOR, ".missing") == []


def test_nothing_is_asked_of_a_network(browser, two):
    opened(browser, two)
    asked = []
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked.append(message["params"]["request"]["url"])
    assert two.as_uri() in asked
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_the_timeline_zooms_from_shares_to_single_operations(page):
    choose(page, "timeline", "Show", "means over 16 GPUs")
    assert "shares of the time" in seen(page, "timeline")
    choose(page, "timeline", "Show", "the first GPU of each role")
    for _ in range(40):
        if "shares" not in page.find_element(By.CSS_SELECTOR, "#timeline [role=status]").text:
            break
        button(page, "timeline", "Zoom in").click()
    assert "single operations" in page.find_element(By.CSS_SELECTOR, "#timeline [role=status]").text
    low, high = view(page)
    assert high - low <= script(page, "page.timeline.data.length") / 2
    button(page, "timeline", "Later").click()
    assert view(page)[0] == pytest.approx(low + (high - low) / 4)
    button(page, "timeline", "List operations in view").click()
    assert "The longest of" in seen(page, "timeline")
    button(page, "timeline", "Whole step").click()
    assert view(page) == [0, script(page, "page.timeline.data.length")]


def test_the_timeline_is_moved_by_keys(page):
    canvas = page.find_element(By.CSS_SELECTOR, "#timeline canvas")
    whole = view(page)
    page.execute_script("arguments[0].focus()", canvas)
    canvas.send_keys("+")
    low, high = view(page)
    assert high - low == pytest.approx((whole[1] - whole[0]) / 2)
    canvas.send_keys(Keys.ARROW_LEFT)
    assert view(page)[0] == pytest.approx(low - (high - low) / 4)
    canvas.send_keys(Keys.HOME)
    assert view(page) == whole


def test_dragging_over_the_timeline_zooms_there_and_a_click_tells_the_operation(page):
    choose(page, "timeline", "Show", "the first GPU of each role")
    canvas = page.find_element(By.CSS_SELECTOR, "#timeline canvas")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
    left, high = -canvas.size["width"] / 2, -canvas.size["height"] / 2
    place = script(page, "[4, 2].map((part) => page.timeline.xOf(page.timeline.data.length / part))")
    ActionChains(page).move_to_element_with_offset(canvas, int(left + place[0]), 0).click_and_hold() \
        .move_to_element_with_offset(canvas, int(left + place[1]), 0).release().perform()
    length = script(page, "page.timeline.data.length")
    assert view(page) == pytest.approx([length / 4, length / 2], abs=length / 100)
    # The longest operation of the first row in view, clicked in its middle.
    row, at = script(page, """(() => {
      const view = page.timeline, {start, length} = view.data.operations, row = view.rows[0];
      const [first, end] = view.range(row, view.from, view.to);
      let best = first;
      for (let i = first; i < end; ++i) if (length[i] > length[best]) best = i;
      return [best, view.xOf(Math.max(view.from, Math.min(view.to, start[best] + length[best] / 2)))];
    })()""")
    ActionChains(page).move_to_element_with_offset(canvas, int(left + at), int(high + 12)).click().perform()
    name = script(page, "page.timeline.data.operations.names[page.timeline.data.operations.name[arguments[0]]]", row)
    assert name in page.find_element(By.CSS_SELECTOR, "#timeline .panel").text


def test_a_timeline_has_ink_of_every_key(page):
    choose(page, "timeline", "Show", "means over 16 GPUs")
    colours = script(page, """(() => {
      const canvas = document.querySelector("#timeline canvas"), found = new Set();
      const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      const hex = (value) => value.toString(16).padStart(2, "0");
      for (let i = 0; i < pixels.length; i += 4) {
        found.add("#" + hex(pixels[i]) + hex(pixels[i + 1]) + hex(pixels[i + 2]));
      }
      return [...found];
    })()""")
    keys = script(page, "page.timeline.data.keys.map(({colour}) => colour.toLowerCase())")
    assert len(keys) >= 4 and set(keys) <= set(colours)


def test_a_click_on_the_heat_map_tells_what_met_there(page):
    choose(page, "links", "Show", "the busiest links of each kind")
    plot = page.find_element(By.CSS_SELECTOR, "#links .chart")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", plot)
    before = page.find_element(By.CSS_SELECTOR, "#links .panel h3").text
    area = plot.find_element(By.CSS_SELECTOR, ".nsewdrag")
    ActionChains(page).move_to_element_with_offset(area, 0, int(area.size["height"] / 2) - 20).click().perform()
    until(lambda: page.find_element(By.CSS_SELECTOR, "#links .panel h3").text != before)
    assert "% of the run" in page.find_element(By.CSS_SELECTOR, "#links .panel").text


def test_the_same_is_told_without_a_mouse(page):
    """The busiest interval of the first link: what it carried, and what the GPUs of its server were in."""
    panel = page.find_element(By.CSS_SELECTOR, "#links .panel").text
    assert "traffic it carried" in panel and "dp, " in panel
    assert "what recorded GPUs of the servers at its ends were in" in panel and "reduce-scatter dp" in panel
    slider = page.find_element(By.CSS_SELECTOR, "#links input[type=range]")
    before = slider.get_attribute("aria-valuetext")
    slider.send_keys(Keys.ARROW_RIGHT)
    assert slider.get_attribute("aria-valuetext") != before
    kind = page.find_element(By.XPATH, '//section[@id="links"]//option[contains(., "nic → switch")]').text
    choose(page, "links", "Show", kind)
    assert "nic → switch" in page.find_element(By.CSS_SELECTOR, "#links .panel").text


def test_a_node_of_the_network_tells_its_links_by_click_and_by_key(page):
    nodes = page.find_elements(By.CSS_SELECTOR, "#topology g[role=button]")
    named = {node.get_attribute("aria-label").strip(): node for node in nodes}
    named["leaf0"].click()
    assert seen(page, "topology").count("spine") >= 4 and "mean use" in seen(page, "topology")
    page.execute_script("arguments[0].focus()", named["gpu3"])
    named["gpu3"].send_keys(Keys.ENTER)
    assert page.find_element(By.CSS_SELECTOR, "#topology .panel h3").text == "gpu3"


def test_collectives_are_sorted_by_any_column_and_filtered(page):
    def column(name):
        heads = [head.text.split(" ")[0] for head in page.find_elements(By.CSS_SELECTOR, "#collectives th")]
        return [row.find_elements(By.TAG_NAME, "td")[heads.index(name)].text
                for row in page.find_elements(By.CSS_SELECTOR, "#collectives tbody tr") if row.is_displayed()]

    button(page, "collectives", "count").click()
    falling = [int(text.replace(",", "")) for text in column("count")]
    assert falling == sorted(falling, reverse=True) and len(set(falling)) > 1
    button(page, "collectives", "count").click()
    assert [int(text.replace(",", "")) for text in column("count")] == sorted(falling)
    assert page.find_element(By.CSS_SELECTOR, "#collectives th[aria-sort=ascending]").text.startswith("count")
    page.find_element(By.CSS_SELECTOR, "#collectives input").send_keys("dp")
    assert set(column("group")) == {"dp"}


def test_differences_between_two_results_add_up(page):
    sums = page.find_element(By.CSS_SELECTOR, "#study [data-sum]")
    total = float(sums.get_attribute("data-total"))
    assert float(sums.get_attribute("data-sum")) == pytest.approx(total, abs=10) and total != 0
    choose(page, "study", "From", "tp8")
    choose(page, "study", "to", "tp4")
    assert float(sums.get_attribute("data-sum")) == pytest.approx(-total, abs=10)
    bars = script(page, "document.querySelectorAll('#study .chart')[1].data[0].x")
    assert sum(bars[:-1]) == pytest.approx(bars[-1], rel=1e-6)


def test_another_result_is_chosen(page, results):
    second = post.open_run(results[1])
    Select(page.find_element(By.ID, "result")).select_by_visible_text("tp8")
    until(lambda: second.info["hash"] in seen(page, "summary"))
    assert script(page, "page.shown") == 1
    Select(page.find_element(By.ID, "result")).select_by_visible_text("tp4")
    until(lambda: second.info["hash"] not in seen(page, "summary"))


def test_everything_is_reached_with_the_tab_key(page):
    reached = set()
    page.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    for _ in range(150):
        found = script(page, """(() => {
          const now = document.activeElement, section = now.closest("section");
          const label = now.labels && now.labels.length ? now.labels[0].textContent : "";
          const name = now.getAttribute("aria-label") || now.textContent || label;
          return [section ? section.id : "", now.tagName.toLowerCase(), name.trim().length > 0];
        })()""")
        reached.add((found[0], found[1]))
        assert found[2], f"{found} has no name"
        page.switch_to.active_element.send_keys(Keys.TAB)
    assert {("", "a"), ("", "select"), ("study", "select"), ("timeline", "select"), ("timeline", "button"),
            ("timeline", "canvas"), ("links", "select"), ("links", "input"), ("topology", "g"),
            ("collectives", "button"), ("collectives", "input")} <= reached


def test_it_prints_on_paper(page):
    paper = base64.b64decode(page.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"])
    assert paper.startswith(b"%PDF") and paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ") >= 3
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not page.find_element(By.TAG_NAME, "header").is_displayed()
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_a_run_that_was_killed_has_a_page_that_says_what_was_not_recorded(browser, empty_run, tmp_path):
    write_page([empty_run], tmp_path / "empty.html")
    opened(browser, tmp_path / "empty.html")
    texts = [found.text for found in browser.find_elements(By.CSS_SELECTOR, ".missing")]
    assert len(texts) == 6 and all("<table name=" in text for text in texts)
    assert not browser.find_element(By.ID, "chooser").is_displayed()
    assert browser.get_log("browser") == []


def test_use_of_one_interval_is_drawn_as_bars(browser, run, tmp_path):
    run.info["interval_ps"] = run.info["sim_end_ps"]
    for name in ("link_use", "link_traffic"):
        run.tables._read[name] = run.tables[name].assign(interval=0)
    write_page([run], tmp_path / "bars.html")
    opened(browser, tmp_path / "bars.html")
    assert script(browser, "document.querySelector('#links .chart').data[0].type") == "bar"
    assert browser.get_log("browser") == []
