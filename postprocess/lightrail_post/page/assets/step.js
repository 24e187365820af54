define("step", (body, data) => {
  const rows = data.rows, node = make("div", {class: "chart"});
  body.append(node);
  const traces = data.parts.map((part, i) => ({
    type: "bar", orientation: "h", name: `${part.name} (${part.mean})`,
    y: rows.map((row) => row.name), x: rows.map((row) => 100 * row.shares[i]),
    text: rows.map((row) => row.shares[i] >= 0.04 ? `${Math.round(100 * row.shares[i])}` : ""),
    textposition: "inside", insidetextanchor: "middle", textangle: 0, constraintext: "none",
    insidetextfont: {color: inkOn(part.colour)}, marker: filling(part),
    hovertemplate: `%{y}: ${part.name} %{x:.1f} %<extra></extra>`,
  }));
  plot(node, `Stacked bars: ${data.title}`, traces, {
    barmode: "stack", bargap: 0.22, height: 90 + 26 * rows.length + 26 * Math.ceil(data.parts.length / 5),
    legend: legendBelow(rows.length), hovermode: "closest",
    xaxis: {range: [0, 100],
      title: {text: "share of the GPUs' time [%]; in brackets: mean time of a GPU", standoff: 6}},
    yaxis: {autorange: "reversed", type: "category", ticks: ""},
  });
  body.append(make("details", {}, make("summary", {}, "The same as a table"),
    table(["role", ...data.parts.map((part) => part.name)], rows.map((row) =>
      [row.name, ...row.shares.map((share) => `${(100 * share).toFixed(1)} %`)]), "where the step went")));
  if (data.iterations.length > 1) {
    body.append(make("details", {}, make("summary", {}, `${data.iterations.length} iterations`),
      table(["iteration", "step"], data.iterations.map(([i, time]) => [`${i}`, time]), "iterations")));
  }
});
