define("cost", (body, data) => {
  body.append(facts(data.bill, "tiles"));
  if (!data.kinds.length) return;
  body.append(tableWithBars(["kind", "devices", "energy", "share", "", "busy, mean of the run"],
    data.kinds.map((kind) => [kind.name, `${kind.devices}`, kind.energy, percentText(kind.share),
      bar(kind.share, "#0072b2"), kind.active]), 4, "energy by kind"));
});
