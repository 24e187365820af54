// Use of links over time; a cell, or the choice of a link and an interval, gives what met there.
const BUSIEST = 40;  // of all kinds together, as many of each

define("links", (body, data) => {
  const columns = data.edges.length - 1, kinds = [...new Set(data.rows.map((row) => row.class))];
  const useOf = (row, column) => data.values[row * columns + column] / data.parts;
  const ofKind = (kind) => data.rows.map((_, i) => i).filter((i) => data.rows[i].class === kind);
  const few = Math.ceil(BUSIEST / kinds.length);
  const groups = [
    {name: `the busiest ${kinds.length > 1 ? "links of each kind" : "links"}`,
      rows: kinds.flatMap((kind) => ofKind(kind).filter((i) => data.rows[i].links === 1).slice(0, few))},
    ...kinds.map((kind) => ({name: `${kind}: ${countOf(data, ofKind(kind))} links`, rows: ofKind(kind)}))];
  const node = make("div", {class: "chart"}), panel = make("div", {class: "panel", "aria-live": "polite"});
  const picker = make("span"), slider = make("input", {type: "range", min: 0, max: columns - 1, value: 0});
  let shown = groups[0].rows, at = shown[0];

  const tell = (row, interval) => {
    at = row;
    slider.value = interval;
    slider.setAttribute("aria-valuetext", spanOf(data, interval));
    picker.querySelector("select").value = shown.indexOf(row);
    panel.replaceChildren(...describe(data, row, interval, useOf(row, interval)));
  };
  const busiest = (row) => {
    let best = 0;
    for (let i = 1; i < columns; ++i) if (useOf(row, i) > useOf(row, best)) best = i;
    return best;
  };
  const choose = (number) => {
    shown = groups[number].rows;
    const names = shown.map((row) => data.rows[row].name);
    picker.replaceChildren(choice("Link", names, 0, (i) => tell(shown[i], busiest(shown[i]))));
    if (columns > 1) drawHeat(node, data, names, shown, useOf);
    else drawBars(node, names, shown.map((row) => 100 * useOf(row, 0)));
    node.removeAllListeners("plotly_click");
    node.on("plotly_click", ({points: [{y, pointNumber}]}) => tell(shown[y], columns > 1 ? pointNumber[1] : 0));
    tell(shown[0], busiest(shown[0]));
  };
  slider.addEventListener("input", () => tell(at, Number(slider.value)));
  body.append(make("div", {class: "controls"}, choice("Show", groups.map(({name}) => name), 0, choose), picker,
    make("label", {hidden: columns === 1}, "Interval ", slider)), node, panel);
  choose(0);
});

function countOf(data, rows) { return rows.reduce((sum, i) => sum + data.rows[i].links, 0).toLocaleString("en"); }

function spanOf(data, interval) { return `${timeText(data.edges[interval])} to ${timeText(data.edges[interval + 1])}`; }

function axisOfLinks(names) {
  const short = names.map((name) => name.length > 42 ? `${name.slice(0, 41)}…` : name);
  const height = 120 + Math.max(7, 620 / Math.max(names.length, 34)) * names.length;
  return {height, yaxis: {autorange: "reversed", tickvals: names.map((_, i) => i), ticktext: short, ticks: "",
    tickfont: {size: names.length > 45 ? 9 : 10.5}}};
}

function drawBars(node, names, use) {
  const top = topOfScale(Math.max(...use) / 100);
  plot(node, "Bars: use of links over the run", [{
    type: "bar", orientation: "h", x: use, y: names.map((_, i) => i), customdata: names,
    marker: {color: use.map((share) => useColour(share / 100 / top))},
    hovertemplate: "%{customdata}<br>%{x:.1f} %<extra></extra>",
  }], {...axisOfLinks(names),
    xaxis: {title: {text: "use over the run, recorded as one interval [%]"}, rangemode: "tozero"}});
}

function drawHeat(node, data, names, shown, useOf) {
  const columns = data.edges.length - 1, [divisor, unit] = timeUnit(data.edges[columns]);
  const z = shown.map((row) => Array.from({length: columns}, (_, i) => 100 * useOf(row, i)));
  plot(node, `Heat map: ${data.title}`, [{
    type: "heatmap", z, x: Array.from(data.edges, (ps) => ps / divisor), y: names.map((_, i) => i),
    colorscale: SCALE.map((colour, i) => [i / (SCALE.length - 1), colour]),
    zmin: 0, zmax: 100 * topOfScale(Math.max(...z.flat()) / 100),
    text: names.map((name) => Array(columns).fill(name)),
    hovertemplate: `%{text}<br>%{x:.4g} ${unit}: %{z:.1f} %<extra></extra>`,
    colorbar: {title: {text: "use of the link [%]", side: "right"}, thickness: 14, outlinewidth: 0},
  }], {...axisOfLinks(names),
    xaxis: {title: {text: `simulated time, recorded in intervals of ${data.interval} [${unit}]`}}});
}

// What is told of a link in an interval.
function describe(data, row, interval, use) {
  const link = data.rows[row], ofBlock = link.links > 1 ? " (the busiest of the block)" : "";
  return [make("h3", {}, link.name), make("p", {}, `${link.class}; used ${percentText(use)} of the time from `
    + `${spanOf(data, interval)}, ${percentText(link.use)} of the run${ofBlock}`),
  carriedOn(data, row, interval), metOn(data, link, interval)];
}

function carriedOn(data, row, interval) {
  if (!data.carried) return make("p", {class: "note"}, data.no_carried);
  if (data.rows[row].links > 1) return make("p", {class: "note"}, "What links of a block carried is not in this page.");
  const {labels, place, label, bytes} = data.carried, wanted = row * (data.edges.length - 1) + interval, rows = [];
  for (let i = 0; i < place.length; ++i) if (place[i] === wanted) rows.push([labels[label[i]], bytes[i]]);
  if (!rows.length) return make("p", {}, "It carried nothing in this interval.");
  const total = rows.reduce((sum, [, size]) => sum + size, 0);
  rows.sort((a, b) => b[1] - a[1]);
  return table(["traffic it carried", "bytes", "share"],
    rows.map(([what, size]) => [what, byteText(size), percentText(size / total)]), "traffic of the link");
}

function metOn(data, link, interval) {
  if (data.no_meetings) return make("p", {class: "note"}, data.no_meetings);
  const columns = data.edges.length - 1, shares = data.met[link.place];
  const who = data.where[link.place] || "recorded GPUs of the servers at its ends";
  const here = data.kinds.map((kind, k) => [kind, shares[k * columns + interval] / data.parts])
    .filter(([, share]) => share > 0).sort((a, b) => b[1] - a[1]);
  if (!here.length) return make("p", {}, `Meanwhile ${who} were in no communication.`);
  return tableWithBars([`what ${who} were in meanwhile`, "share of the interval", ""], here.map(([kind, share]) =>
    [kind.replace("_", "-"), percentText(share), bar(share, "#0072b2")]), 2, "what met on the link");
}
