define("collectives", (body, data) => {
  const found = table(data.columns, data.rows.map((row) => row.map(([text]) => text)), "collectives");
  const heads = [...found.querySelectorAll("th")], lines = [...found.querySelectorAll("tbody tr")];
  const values = new Map(lines.map((line, i) => [line, data.rows[i].map(([, value]) => value)]));
  const sort = (column) => {
    const falls = heads[column].getAttribute("aria-sort") !== "descending";
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", falls ? "descending" : "ascending");
    lines.sort((a, b) => {
      const [x, y] = [values.get(a)[column], values.get(b)[column]];
      return (falls ? -1 : 1) * (x < y ? -1 : x > y ? 1 : 0);
    });
    found.querySelector("tbody").replaceChildren(...lines);
  };
  heads.forEach((head, i) => head.replaceChildren(
    make("button", {type: "button", onclick: () => sort(i)}, data.columns[i])));
  sort(data.columns.length - 1);
  const only = make("input", {type: "search", oninput: () => {
    lines.forEach((line) => { line.hidden = !line.textContent.toLowerCase().includes(only.value.toLowerCase()); });
  }});
  body.append(make("div", {class: "controls"}, make("label", {}, "Only rows with ", only)), found);
});
