// Choosing, zooming and pointing in the timeline.
const SMALLEST_VIEW_PS = 1000, MOST_LISTED = 40;

define("timeline", (body, data) => {
  const canvas = make("canvas", {tabindex: 0, role: "img", "aria-describedby": "timeline-keys"});
  const stage = make("div", {class: "stage"}, canvas), said = make("p", {class: "note", role: "status"});
  const panel = make("div", {class: "panel", "aria-live": "polite"}, "Click an operation, or list those in view.");
  const view = page.timeline = new Timeline(canvas, data), views = viewsOf(data);
  const draw = () => {
    said.textContent = stateOf(view, view.draw());
    canvas.setAttribute("aria-label", `Timeline, ${said.textContent}`);
  };
  const zoomTo = (from, to) => { view.show(from, to); draw(); };
  const zoom = (factor) => {
    const middle = (view.from + view.to) / 2, half = factor * (view.to - view.from) / 2;
    zoomTo(middle - half, middle + half);
  };
  const move = (share) => zoomTo(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));
  const whole = () => zoomTo(0, data.length);
  const list = () => panel.replaceChildren(...longestOf(view));
  const choose = (number) => { view.rows = views[number].rows; draw(); };

  const keys = {"+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), ArrowLeft: () => move(-0.25),
    ArrowRight: () => move(0.25), Home: whole, Enter: list};
  canvas.addEventListener("keydown", (event) => {
    if (keys[event.key]) { keys[event.key](); event.preventDefault(); }
  });
  canvas.addEventListener("dblclick", whole);
  follow(stage, view, zoomTo, (i) => panel.replaceChildren(facts(factsOf(data, i))));

  const push = (text, action) => make("button", {type: "button", onclick: action}, text);
  const first = Math.min(1, views.length - 1);
  body.append(make("div", {class: "controls"}, choice("Show", views.map(({name}) => name), first, choose),
    push("Zoom in", keys["+"]), push("Zoom out", keys["-"]), push("Earlier", keys.ArrowLeft),
    push("Later", keys.ArrowRight), push("Whole step", whole), push("List operations in view", list)),
  legend(data.order.map((k) => [data.keys[k].name, data.keys[k].colour])), stage, said,
  make("p", {class: "note hands", id: "timeline-keys"}, "Drag to zoom, double-click for the whole step. Keys: + and - "
    + "zoom, arrows move, Home shows all, Enter lists."), panel);
  if (data.left_out) body.append(make("p", {class: "note"}, `Left out: ${data.left_out}.`));
  choose(first);
  const resized = new ResizeObserver(() => { if (stage.isConnected) draw(); else resized.disconnect(); });
  resized.observe(stage);
});

// [{name, rows}]: means by role, then GPUs whose operations are here.
function viewsOf(data) {
  const ofGpu = new Map();
  for (const row of data.rows) ofGpu.set(row.of, [...(ofGpu.get(row.of) || []), row]);
  return [{name: data.roles_name, rows: data.roles},
    ...data.views.map(({name, gpus}) => ({name, rows: gpus.flatMap((gpu) => ofGpu.get(gpu) || [])}))];
}

function stateOf(view, {operations, shares}) {
  const what = shares === 0 ? "single operations" : operations === 0 ? "shares of the time, stacked"
    : `${operations} streams as single operations, ${shares} as shares of the time, stacked`;
  const how = view.rows[0] && view.rows[0].shares ? "; choose GPUs for single operations"
    : shares ? "; zoom in for single operations" : "";
  return `${timeText(view.to - view.from)} of ${timeText(view.data.length)}: ${what}${how}.`;
}

function factsOf(data, i) {
  const {start, length, key, name, size, names} = data.operations;
  const row = data.rows.find(({first, end}) => first <= i && i < end);
  return [["operation", names[name[i]]], ["what", data.keys[key[i]].name], ["where", row.name],
    ["starts at", timeText(start[i])], ["takes", timeText(length[i])],
    ...(size[i] ? [["payload", byteText(size[i])]] : [])];
}

// The longest operations in view, as a table.
function longestOf(view) {
  const {operations: {start, length, key, name, names}, keys} = view.data, found = [];
  for (const row of view.rows.filter(({shares}) => !shares)) {
    const [first, end] = view.range(row, view.from, view.to);
    for (let i = first; i < end; ++i) found.push([row, i]);
  }
  if (!found.length) return [make("h3", {}, "No single operation is in view: choose GPUs above")];
  found.sort((a, b) => length[b[1]] - length[a[1]]);
  return [make("h3", {}, `The longest of ${found.length.toLocaleString("en")} operations in view`),
    table(["operation", "what", "GPU and stream", "starts at", "takes"], found.slice(0, MOST_LISTED).map(([row, i]) =>
      [names[name[i]], keys[key[i]].name, row.name, timeText(start[i]), timeText(length[i])]), "operations in view")];
}

// The pointer: what it is on, what is dragged over, what is clicked.
function follow(stage, view, zoomTo, pick) {
  const {canvas} = view;
  const tip = make("div", {class: "tip", hidden: true}), band = make("div", {class: "band", hidden: true});
  let begun = null;
  const placeOf = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  stage.append(tip, band);
  canvas.addEventListener("pointerdown", (event) => { [begun] = placeOf(event); });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = placeOf(event), found = view.operationAt(x, y);
    if (begun !== null && Math.abs(x - begun) > 4) {
      band.hidden = false;
      Object.assign(band.style, {left: `${Math.min(x, begun)}px`, width: `${Math.abs(x - begun)}px`});
    }
    tip.hidden = found < 0;
    if (found < 0) return;
    tip.replaceChildren(...factsOf(view.data, found).map(([what, value]) => make("div", {}, `${what}: ${value}`)));
    Object.assign(tip.style, {left: `${Math.min(x + 14, canvas.clientWidth - 260)}px`, top: `${y + 14}px`});
  });
  canvas.addEventListener("pointerup", (event) => {
    const [x, y] = placeOf(event), from = begun, found = view.operationAt(x, y);
    begun = null;
    band.hidden = true;
    if (from === null) return;
    const [left, right] = [Math.max(Math.min(x, from), LABELS), Math.max(x, from)];
    if (Math.abs(x - from) > 4) zoomTo(view.timeAt(left), view.timeAt(right));
    else if (found >= 0) pick(found);
  });
}
