// All results together: their steps by part, and what differs between two of them.
define("study", (body, data) => {
  const names = data.settings.length ? data.settings[0] : [];
  body.append(table(["result", ...names, ...data.columns.map(([name]) => name)], data.labels.map((label, i) =>
    [label, ...(data.settings[i + 1] || []), ...data.columns.map(([, texts]) => texts[i])]), "results"));
  if (data.figure) {
    const figure = make("div", {class: "figure"});
    figure.innerHTML = data.figure;
    body.append(make("h3", {}, "The study's own figure"), figure);
  } else if (data.no_figure) {
    body.append(make("p", {class: "note"}, `Not drawn: ${data.no_figure}.`));
  }
  if (!data.parts.length) return;
  const bars = make("div", {class: "chart"}), change = make("div", {class: "chart"}), sums = make("div");
  body.append(make("h3", {}, "Where the steps go"), bars);
  drawSteps(bars, data);
  const steps = data.steps.map(([, step]) => step);
  let [a, b] = [steps.indexOf(Math.min(...steps)), steps.indexOf(Math.max(...steps))];
  if (a === b) [a, b] = [0, 1];
  const again = () => drawChange(change, sums, data, a, b);
  body.append(make("h3", {}, "What differs"), make("div", {class: "controls"},
    choice("From", data.labels, a, (i) => { a = i; again(); }),
    choice("to", data.labels, b, (i) => { b = i; again(); })), change, sums);
  again();
  if (!data.inputs.length) return;
  const what = data.inputs_count === 1 ? "attribute differs" : "attributes differ";
  const more = data.inputs_count > data.inputs.length ? `, the first ${data.inputs.length} are shown` : "";
  body.append(make("details", {},
    make("summary", {}, `${data.inputs_count} ${what} in the resolved scenarios${more}`),
    table(["attribute", ...data.labels], data.inputs, "differences of the scenarios")));
});

function drawSteps(node, data) {
  const [divisor, unit] = timeUnit(Math.max(...data.steps.map(([, step]) => step)));
  const traces = data.parts.map((part) => ({
    type: "bar", orientation: "h", name: part.name, y: data.labels, x: part.times.map((time) => time / divisor),
    marker: filling(part), hovertemplate: `%{y}: ${part.name} %{x:.4g} ${unit}<extra></extra>`,
  }));
  plot(node, `Stacked bars: ${data.title}`, traces, {
    barmode: "stack", bargap: 0.22, height: 120 + 28 * data.labels.length, legend: legendBelow(data.labels.length),
    xaxis: {title: {text: `step: mean time of a GPU by part [${unit}]`, standoff: 6}},
    yaxis: {autorange: "reversed", type: "category", ticks: ""},
  });
}

// Parts of the change from result a to result b, the largest first; they add up to the change of the step.
function changes(data, a, b) {
  return data.parts.map((part) => ({name: part.name, change: part.times[b] - part.times[a]}))
    .filter(({change}) => Math.abs(change) >= 0.5).sort((x, y) => Math.abs(y.change) - Math.abs(x.change));
}

function signed(ps) { return `${ps > 0 ? "+" : ps < 0 ? "−" : ""}${timeText(Math.abs(ps))}`; }

function drawChange(node, sums, data, a, b) {
  const found = changes(data, a, b), total = data.steps[b][1] - data.steps[a][1];
  const sum = found.reduce((all, {change}) => all + change, 0);
  Plotly.purge(node);
  if (found.length) drawWaterfall(node, `Bars: what differs from ${data.labels[a]} to ${data.labels[b]}`, found, total);
  sums.replaceChildren(table(["part", data.labels[a], data.labels[b], "difference"], [
    ...data.parts.map((part) => [part.name, timeText(part.times[a]), timeText(part.times[b]),
      signed(part.times[b] - part.times[a])]),
    ["step", data.steps[a][0], data.steps[b][0], signed(total)]], "differences that add up"),
  make("p", {class: "note"}, `The parts add up to ${signed(sum)}; the step differs by ${signed(total)}. Parts are `
    + "mean times of a GPU; the step lasts from the first GPU's start to the last one's end, and is longer where "
    + "GPUs start and end apart."));
  Object.assign(sums.dataset, {sum, total});
}

function drawWaterfall(node, label, found, total) {
  const [divisor, unit] = timeUnit(Math.max(Math.abs(total), ...found.map(({change}) => Math.abs(change))));
  plot(node, label, [{
    type: "waterfall", orientation: "h", y: [...found.map(({name}) => name), "step"],
    x: [...found.map(({change}) => change / divisor), total / divisor],
    measure: [...found.map(() => "relative"), "total"],
    text: [...found.map(({change}) => signed(change)), signed(total)], textposition: "outside", cliponaxis: false,
    increasing: {marker: {color: "#D55E00"}}, decreasing: {marker: {color: "#009E73"}},
    totals: {marker: {color: "#333333"}}, connector: {line: {color: "#999", width: 1}},
    hovertemplate: "%{y}: %{text}<extra></extra>",
  }], {
    height: 90 + 26 * (found.length + 1), showlegend: false, margin: {l: 60, r: 90, t: 10, b: 45},
    xaxis: {title: {text: `longer (right) or shorter (left) [${unit}]`}, zeroline: true},
    yaxis: {autorange: "reversed", type: "category", ticks: ""},
  });
}
