// Elements, tables, times and plots that sections share.

// make("p", {class: "note"}, "text", element ...)
function make(tag, attributes = {}, ...children) {
  const isDrawing = ["svg", "g", "line", "rect", "text", "title"].includes(tag);
  const element = isDrawing ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

const UNITS = [[1e12, "s"], [1e9, "ms"], [1e6, "µs"], [1e3, "ns"], [1, "ps"]];

function timeUnit(ps) { return UNITS.find(([divisor]) => ps >= divisor) || UNITS[4]; }

function timeText(ps) {
  if (ps === 0) return "0";
  const [divisor, unit] = timeUnit(Math.abs(ps));
  return `${Number((ps / divisor).toPrecision(4))} ${unit}`;
}

function byteText(size) {
  const units = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]];
  const [divisor, unit] = units.find(([least]) => size >= least) || [1, "B"];
  return `${Number((size / divisor).toPrecision(3))} ${unit}`;
}

function percentText(share) { return `${Number((100 * share).toPrecision(share < 0.0995 ? 2 : 3))} %`; }

// [["what", "value"], ...] as a list of terms.
function facts(rows, kind = "facts") {
  const terms = rows.map(([what, value]) => kind === "tiles"
    ? [make("div", {}, make("dt", {}, what), make("dd", {}, value))]
    : [make("dt", {}, what), make("dd", {}, value)]);
  return make("dl", {class: kind}, ...terms.flat());
}

function isNumber(text) { return typeof text === "string" && /^[+\-−]?[\d.,]+( ?[%\w/µ]+)?$/.test(text); }

// Cells are texts or elements.
function table(columns, rows, label) {
  const isRight = columns.map((_, i) => rows.length > 0 && rows.every((row) => row[i] === "" || isNumber(row[i])));
  const cell = (tag, i, ...content) => make(tag,
    {class: isRight[i] ? "number" : null, scope: tag === "th" ? "col" : null}, ...content);
  return make("div", {class: "scroll"}, make("table", {"aria-label": label},
    make("thead", {}, make("tr", {}, ...columns.map((name, i) => cell("th", i, name)))),
    make("tbody", {}, ...rows.map((row) =>
      make("tr", {}, ...row.map((content, i) => cell("td", i, content)))))));
}

function bar(share, colour) {
  return make("span", {class: "bar", style: `width: ${(100 * share).toFixed(2)}%; background: ${colour}`});
}

// Rows of a table with a bar in the column of that number.
function tableWithBars(columns, rows, at, label) {
  const found = table(columns, rows, label);
  found.querySelectorAll("tbody tr").forEach((row) => row.children[at].classList.add("bars"));
  return found;
}

function choice(label, options, chosen, onchange) {
  const select = make("select", {onchange: () => onchange(Number(select.value))},
    ...options.map((text, i) => make("option", {value: i, selected: i === chosen}, text)));
  return make("label", {}, `${label} `, select);
}

function legend(items) {
  return make("ul", {class: "legend"}, ...items.map(([text, colour]) =>
    make("li", {}, make("i", {style: `background: ${colour}`}), text)));
}

// A bar of a part {colour, is_hatched}.
function filling(part) {
  const pattern = part.is_hatched ? {shape: "/", fgcolor: "white", bgcolor: part.colour, size: 6} : {};
  return {color: part.colour, line: {color: "white", width: 0.5}, pattern};
}

// Text that can be read on a colour.
function inkOn(colour) {
  const [red, green, blue] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue > 120 ? "#000000" : "#ffffff";
}

// A legend under the axis of as many rows of bars.
function legendBelow(rows) {
  return {orientation: "h", y: -60 / (40 + 28 * rows), yanchor: "top", traceorder: "normal"};
}

const FONT = {family: "DejaVu Sans, Verdana, sans-serif", size: 12, color: "#1b1b1b"};

// A plot with its words for those who do not see it. The caller has put `node` into the page.
function plot(node, label, traces, layout) {
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", label);
  const axis = {automargin: true, fixedrange: false, zeroline: false, linecolor: "#333", ticks: "outside"};
  return Plotly.newPlot(node, traces, {
    font: FONT, margin: {l: 60, r: 20, t: 10, b: 45}, paper_bgcolor: "white", plot_bgcolor: "white", ...layout,
    xaxis: {...axis, ...layout.xaxis}, yaxis: {...axis, ...layout.yaxis},
  }, {responsive: true, displayModeBar: false, displaylogo: false});
}
