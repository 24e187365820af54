// Tiers one above the other, a line for all links between two nodes.
const ROW = 96, LEFT = 175, WIDE = 1190;

define("topology", (body, data) => {
  const high = ROW * data.tiers.length, level = new Map(data.tiers.map(({row}, i) => [row, high - ROW * (i + 0.5)]));
  const panel = make("div", {class: "panel", "aria-live": "polite"}, "Choose a node for its links.");
  const picture = make("svg", {class: "network", viewBox: `0 0 ${WIDE} ${high}`, width: "100%", role: "group",
    "aria-label": `Network by tier: ${data.title}`});
  for (const {row, names} of data.tiers) {
    names.forEach((name, i) => picture.append(
      make("text", {x: 0, y: level.get(row) + 4 + 15 * (i - (names.length - 1) / 2)}, name)));
  }
  const places = placesOf(data, level), top = topOfScale(Math.max(0, ...data.edges.map((edge) => edge.busiest)));
  for (const edge of [...data.edges].sort((x, y) => x.busiest - y.busiest)) {
    const [a, b] = [places[edge.a], places[edge.b]], share = edge.busiest / top;
    picture.append(make("line", {x1: a.x, y1: a.y, x2: b.x, y2: b.y, "stroke-width": (0.8 + 3.5 * share).toFixed(2),
      stroke: data.no_use || share === 0 ? "#cccccc" : useColour(share)}, make("title", {}, edgeText(data, edge))));
  }
  const choose = (n, group) => {
    picture.querySelectorAll(".chosen").forEach((other) => other.classList.remove("chosen"));
    group.classList.add("chosen");
    panel.replaceChildren(...linksOf(data, n));
  };
  data.nodes.forEach((node, n) => picture.append(drawNode(node, places[n], (group) => choose(n, group))));
  body.append(data.no_use ? make("p", {class: "note"}, data.no_use) : useScale(top), picture, panel);
});

// Centre of each node, and how much room it has to the sides.
function placesOf(data, level) {
  const places = [];
  for (const {row} of data.tiers) {
    const mine = data.nodes.map((_, n) => n).filter((n) => data.nodes[n].row === row);
    mine.sort((m, n) => data.nodes[m].atom - data.nodes[n].atom || m - n);
    const room = (WIDE - LEFT) / mine.length;
    mine.forEach((n, i) => { places[n] = {x: LEFT + room * (i + 0.5), y: level.get(row), room}; });
  }
  return places;
}

function drawNode(node, {x, y, room}, choose) {
  const half = Math.min(Math.max(room / 2 - 2, 4), 46), name = `${node.name} ${node.detail}`.trim();
  const group = make("g", {tabindex: 0, role: "button", "aria-label": name, onclick: () => choose(group),
    onkeydown: (event) => { if (["Enter", " "].includes(event.key)) { choose(group); event.preventDefault(); } }},
  make("title", {}, name), make("rect", {class: "node", x: x - half, y: y - 11, width: 2 * half, height: 22, rx: 4}));
  const short = node.count > 1 ? `${node.count}` : node.name.replace(/^\D+/, "");
  const text = [node.name, short].find((one) => one.length * 7.5 < 2 * half - 2);
  if (text) group.append(make("text", {x, y: y + 4, "text-anchor": "middle"}, text));
  return group;
}

function edgeText(data, edge) {
  const use = data.no_use ? "" : `; busiest ${edge.link}: ${percentText(edge.busiest)}, mean ${percentText(edge.mean)}`;
  return `${data.nodes[edge.a].name} – ${data.nodes[edge.b].name}: ${edge.cables} x ${edge.class}${use}`;
}

function linksOf(data, n) {
  const mine = data.edges.filter((edge) => edge.a === n || edge.b === n).sort((x, y) => y.busiest - x.busiest);
  const rows = mine.map((edge) => {
    const other = data.nodes[edge.a === n ? edge.b : edge.a];
    const use = data.no_use ? [] : [percentText(edge.mean), percentText(edge.busiest), edge.link];
    return [`${other.name} ${other.detail}`, edge.class, `${edge.cables}`, ...use];
  });
  const columns = ["to", "link", "cables", ...(data.no_use ? [] : ["mean use", "busiest", "busiest link"])];
  return [make("h3", {}, `${data.nodes[n].name} ${data.nodes[n].detail}`), table(columns, rows, "links of the node")];
}

function useScale(top) {
  const stops = SCALE.map((colour, i) => `${colour} ${100 * i / (SCALE.length - 1)}%`).join(", ");
  return make("p", {class: "note"}, "use over the run: 0 % ",
    make("span", {class: "bar", style: `width: 11rem; background: linear-gradient(to right, ${stops})`}),
    ` ${percentText(top)}; wide lines are busy ones, grey lines carried nothing`);
}
