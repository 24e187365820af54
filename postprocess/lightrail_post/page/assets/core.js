"use strict";
// What the page knows: results decoded when they are first shown, and for each section how it is drawn.
const page = {sections: {}, runs: [], shown: 0, study: null};

// define("links", (body, data) => ...): draws a section's data into its body.
function define(name, draw) { page.sections[name] = draw; }

async function bytesOf(id) {
  const text = atob(document.getElementById(id).textContent);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

const ARRAYS = {u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array};

// The layout that lightrail_post/page/pack.py writes.
async function unpacked(id) {
  const bytes = await bytesOf(id), length = new DataView(bytes).getUint32(0, true);
  const first = 8 * Math.ceil((4 + length) / 8);
  const text = new TextDecoder().decode(new Uint8Array(bytes, 4, length));
  return JSON.parse(text, (key, value) => value && value.array
    ? new ARRAYS[value.array[0]](bytes, first + value.array[1], value.array[2]) : value);
}

function drawSection(name, data) {
  const section = document.getElementById(name), body = section.querySelector(".body");
  body.querySelectorAll(".chart").forEach((plot) => Plotly.purge(plot));
  body.replaceChildren();
  section.querySelector("h2").textContent = data.missing ? "Nothing recorded" : data.title;
  section.querySelector(".detail").textContent = data.missing ? "" : data.detail;
  if (data.missing) body.append(make("p", {class: "missing"}, data.missing));
  else page.sections[name](body, data);
}

// The sections of one result; those of all results together stay.
async function show(number) {
  if (!page.runs[number]) page.runs[number] = await unpacked(`run-${number}`);
  page.shown = number;
  for (const [name, data] of Object.entries(page.runs[number])) drawSection(name, data);
}
