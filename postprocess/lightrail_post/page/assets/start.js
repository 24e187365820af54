(async () => {
  const state = document.getElementById("state");
  try {
    if (typeof DecompressionStream === "undefined") {
      throw new Error("this browser is too old: it has no DecompressionStream");
    }
    document.head.append(make("script", {}, new TextDecoder().decode(await bytesOf("plotly"))));
    if (document.getElementById("study-data")) drawSection("study", await unpacked("study-data"));
    await show(0);
    document.getElementById("result").addEventListener("change", (event) => show(Number(event.target.value)));
    // Paper is narrower than most windows: A4 without its margins.
    const fit = (width) => {
      document.body.style.width = width ? `${width}px` : "";
      document.querySelectorAll(".chart").forEach((node) => Plotly.relayout(node, {width}));
      if (page.timeline) page.timeline.draw();
    };
    window.addEventListener("beforeprint", () => fit(700));
    window.addEventListener("afterprint", () => fit(null));
    state.textContent = "";
  } catch (error) {
    state.textContent = `The page could not be drawn: ${error.message}`;
    throw error;
  }
})();
