// From light to dark in one order of brightness (ColorBrewer's YlGnBu): colour-blind readers and grey print keep it.
const SCALE = ["#eef8c4", "#c7e9b4", "#7fcdbb", "#41b6c4", "#1d91c0", "#225ea8", "#253494", "#081d58"];

function useColour(share) {
  const place = Math.min(Math.max(share, 0), 1) * (SCALE.length - 1);
  const low = Math.min(Math.floor(place), SCALE.length - 2);
  const channel = (i) => Math.round(parseInt(SCALE[low].slice(i, i + 2), 16) * (low + 1 - place)
    + parseInt(SCALE[low + 1].slice(i, i + 2), 16) * (place - low));
  return `rgb(${channel(1)}, ${channel(3)}, ${channel(5)})`;
}

// The end of a scale that shows small shares too: 100 % where something comes near it.
function topOfScale(largest) { return largest > 0.3 ? 1 : Math.max(largest, 0.01); }
