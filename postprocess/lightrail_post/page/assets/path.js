define("path", (body, data) => {
  const largest = data.parts[0].share;
  body.append(tableWithBars(["part of the path", "share", "time", "", "how often", "of it: bytes arrive"],
    data.parts.map((part) => [part.name, percentText(part.share), part.time, bar(part.share / largest, part.colour),
      `${part.count}`, part.bytes]), 3, "critical path"));
  if (data.unsplit) body.append(make("p", {class: "note"}, `Bytes and latency are not told apart: ${data.unsplit}.`));
  body.append(make("h3", {}, "What would shorten the step: each by itself takes a tenth less time"), ...whatIfs(data));
});

function whatIfs(data) {
  const nothing = "Nothing by itself: something else then takes as long.";
  if (!data.what_ifs.length) return [make("p", {class: "note"}, nothing)];
  return [table(["what", "step", "saved", "of the step"], data.what_ifs, "what would shorten the step"),
    make("p", {class: "note"}, "By a replay of the recorded operations in their order and from their recorded "
      + "launches on; other contention and routes are left out.")];
}
