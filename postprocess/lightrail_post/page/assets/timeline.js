// Draws rows of a timeline: of a stream with more operations than pixels can tell apart the share of each column
// of time that each key has, stacked; of others single operations.
const LABELS = 190, AXIS = 34, PIXELS_AN_OPERATION = 3;

class Timeline {
  constructor(canvas, data) {
    Object.assign(this, {canvas, data, from: 0, to: data.length, rows: []});
    this.ends = new Map();  // of rows: the latest end up to each operation, which only rises
  }

  // The whole of it where the span is longer, and never beyond its ends.
  show(from, to) {
    const span = Math.min(Math.max(to - from, SMALLEST_VIEW_PS), this.data.length);
    this.from = Math.min(Math.max(from, 0), this.data.length - span);
    this.to = this.from + span;
  }

  rowHeight() { return this.rows.length > 40 ? 13 : 20; }
  width() { return Math.max(this.canvas.clientWidth - LABELS - 12, 1); }
  xOf(time) { return LABELS + (time - this.from) / (this.to - this.from) * this.width(); }
  timeAt(x) { return this.from + (x - LABELS) / this.width() * (this.to - this.from); }
  rowAt(y) { return this.rows[Math.floor((y - 4) / this.rowHeight())]; }

  // [first, end) of the operations of a row that lie between two times.
  range(row, from, to) {
    const {start, length} = this.data.operations;
    if (!this.ends.has(row)) {
      const ends = new Float64Array(row.end - row.first);
      for (let i = row.first, last = 0; i < row.end; ++i) {
        ends[i - row.first] = last = Math.max(last, start[i] + length[i]);
      }
      this.ends.set(row, ends);
    }
    const ends = this.ends.get(row);
    const search = (count, isBefore) => {
      let low = 0, high = count;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (isBefore(middle)) low = middle + 1; else high = middle;
      }
      return low;
    };
    return [row.first + search(ends.length, (i) => ends[i] <= from),
            row.first + search(ends.length, (i) => start[row.first + i] < to)];
  }

  // The operation at a place of the canvas, -1: none.
  operationAt(x, y) {
    const row = this.rowAt(y), time = this.timeAt(x);
    if (!row || row.shares || x < LABELS) return -1;
    const margin = (this.to - this.from) / this.width(), {start, length} = this.data.operations;
    const [first, end] = this.range(row, time - margin, time + margin);
    let best = -1;
    for (let i = first; i < end; ++i) {
      if (start[i] - margin > time || start[i] + length[i] + margin < time) continue;
      if (best < 0 || length[i] < length[best]) best = i;
    }
    return best;
  }

  // How many rows show single operations and how many shares.
  draw() {
    const {canvas} = this, height = 4 + this.rows.length * this.rowHeight() + AXIS;
    const ratio = window.devicePixelRatio || 1;
    canvas.style.height = `${height}px`;
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = height * ratio;
    const pen = this.pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = '11px "DejaVu Sans", Verdana, sans-serif';
    pen.textBaseline = "middle";
    this.drawAxis(height);
    const counts = {operations: 0, shares: 0};
    this.rows.forEach((row, i) => {
      const top = 4 + i * this.rowHeight(), tall = this.rowHeight() - 3;
      this.drawLabel(row, i, top + tall / 2);
      if (row.shares) { this.drawMeans(row, top, tall); ++counts.shares; return; }
      const [first, end] = this.range(row, this.from, this.to);
      const isSparse = end - first <= this.width() / PIXELS_AN_OPERATION;
      ++counts[isSparse ? "operations" : "shares"];
      if (isSparse) this.drawOperations(first, end, top, tall); else this.drawShares(first, end, top, tall);
    });
    return counts;
  }

  drawLabel(row, i, middle) {
    const {pen} = this;
    if (i > 0 && row.of !== this.rows[i - 1].of) {
      pen.fillStyle = "#bbb";
      pen.fillRect(0, 4 + i * this.rowHeight() - 2, LABELS + this.width(), 1);
    }
    pen.fillStyle = "#1b1b1b";
    pen.textAlign = "right";
    let text = row.name;
    while (text.length > 4 && pen.measureText(text).width > LABELS - 12) text = `${text.slice(0, -2)}…`;
    pen.fillText(text, LABELS - 7, middle);
  }

  drawAxis(height) {
    const {pen} = this, [divisor, unit] = timeUnit(this.to - this.from), bottom = height - AXIS + 2;
    const wanted = (this.to - this.from) / divisor / (this.width() / 110);
    const power = 10 ** Math.floor(Math.log10(wanted)), step = [1, 2, 5, 10].find((n) => n * power >= wanted) * power;
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    pen.textAlign = "center";
    for (let at = Math.ceil(this.from / divisor / step) * step; at <= this.to / divisor * (1 + 1e-12); at += step) {
      const x = this.xOf(at * divisor);
      pen.fillStyle = "#e6e6e6";
      pen.fillRect(x, 2, 1, bottom - 2);
      pen.fillStyle = "#1b1b1b";
      pen.fillText(at.toFixed(digits), x, bottom + 9);
    }
    pen.fillText(`time since the start of the iteration [${unit}]`, LABELS + this.width() / 2, bottom + 24);
    pen.fillRect(LABELS, bottom, this.width(), 1);
  }

  drawOperations(first, end, top, tall) {
    const {pen} = this, {start, length, key, name, names} = this.data.operations, right = LABELS + this.width();
    for (let i = first; i < end; ++i) {
      const left = Math.max(this.xOf(start[i]), LABELS);
      const wide = Math.min(this.xOf(start[i] + length[i]), right) - left;
      pen.fillStyle = this.data.keys[key[i]].colour;
      pen.fillRect(left, top, Math.max(wide, 1), tall);
      if (wide < 46) continue;
      pen.fillStyle = "#ffffff";  // so that neighbours stay two
      pen.fillRect(left + wide - 1, top, 1, tall);
      pen.save();
      pen.beginPath();
      pen.rect(left, top, wide - 3, tall);
      pen.clip();
      pen.fillStyle = inkOn(this.data.keys[key[i]].colour);
      pen.textAlign = "left";
      pen.fillText(names[name[i]], left + 4, top + tall / 2);
      pen.restore();
    }
  }

  drawShares(first, end, top, tall) {
    const {start, length, key} = this.data.operations, columns = Math.floor(this.width()), keys = this.data.keys.length;
    const wide = (this.to - this.from) / columns, time = new Float64Array(columns * keys);
    for (let i = first; i < end; ++i) {
      const from = Math.max(start[i], this.from) - this.from;
      const to = Math.min(start[i] + length[i], this.to) - this.from;
      for (let c = Math.floor(from / wide); c < columns && c * wide < to; ++c) {
        time[c * keys + key[i]] += Math.min(to, (c + 1) * wide) - Math.max(from, c * wide);
      }
    }
    for (let c = 0; c < columns; ++c) {
      this.stack(LABELS + c, 1, top, tall, (k) => time[c * keys + k] / wide);
    }
  }

  drawMeans(row, top, tall) {
    const shares = new Map(row.shares), bins = row.shares[0][1].length, wide = this.data.length / bins;
    for (let b = Math.floor(this.from / wide); b < bins && b * wide < this.to; ++b) {
      const left = Math.max(Math.round(this.xOf(b * wide)), LABELS);  // whole pixels: no seams
      const right = Math.min(Math.round(this.xOf((b + 1) * wide)), LABELS + this.width());
      this.stack(left, right - left, top, tall, (k) => shares.has(k) ? shares.get(k)[b] / 255 : 0);
    }
  }

  stack(left, wide, top, tall, shareOf) {
    let bottom = top + tall;
    for (const k of this.data.order) {
      const high = Math.min(shareOf(k), 1) * tall;
      if (high < 0.05) continue;
      this.pen.fillStyle = this.data.keys[k].colour;
      this.pen.fillRect(left, bottom - high, wide, high);
      bottom -= high;
    }
  }
}
