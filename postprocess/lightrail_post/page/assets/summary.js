define("summary", (body, data) => {
  const remarks = data.rests_on.map(([about, text]) => make("li", {}, make("b", {}, `${about}: `), text));
  body.append(facts(data.figures, "tiles"), make("h3", {}, "What the answer rests on"), remarks.length
    ? make("ul", {class: "remarks"}, ...remarks)
    : make("p", {class: "note"}, "Nothing was simplified, guessed or left out beside what docs/limits.md says."));
  if (data.defaults.length) {
    body.append(make("details", {}, make("summary", {}, `${data.defaults.length} values that nobody set (defaults)`),
      table(["kind", "parameter", "value"], data.defaults, "defaults")));
  }
  body.append(make("div", {class: "columns"},
    make("div", {}, make("h3", {}, "How it was made"), facts(data.provenance)),
    make("div", {}, make("h3", {}, "Payload by parallel dimension, all GPUs, whole run"), data.traffic.length
      ? table(["dimension", "bytes", "messages"], data.traffic, "payload by dimension")
      : make("p", {class: "note"}, "No GPU sent anything."))));
});
