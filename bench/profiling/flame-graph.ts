import type { Frame } from "./call-tree.js";

/** Size of the picture in pixels. Narrower frames are left out. */
const [WIDTH, ROW, MARGIN, FONT] = [1200, 18, 8, 11];
const CHARACTER_WIDTH = 6.3;
const LEAST_WIDTH = 3;
const LEAST_CHARACTERS = 3;
const LEGEND = 30;

interface Part {
  readonly label: string;
  readonly color: string;
  readonly matches: (frame: Frame) => boolean;
}

/** What a frame belongs to: the first part that matches. */
const PARTS: readonly Part[] = [
  { label: "garbage collection", color: "#d9534f", matches: ({ name }) => name === "(garbage collector)" },
  {
    label: "Rolltape",
    color: "#5b9bd5",
    matches: ({ name, url }) => name === "(native addon)" || /\/(?:src|dist)\//.test(withoutPackages(url)),
  },
  { label: "Fastify", color: "#f0ad4e", matches: ({ url }) => packageOf(url)?.includes("fastify") ?? false },
  { label: "undici", color: "#9b7fd1", matches: ({ url }) => packageOf(url) === "undici" },
  { label: "other packages", color: "#c9b458", matches: ({ url }) => packageOf(url) !== undefined },
  { label: "Node", color: "#8bbf8b", matches: ({ url }) => url.startsWith("node:") },
  { label: "native functions, system calls", color: "#bdbdbd", matches: () => true },
];

/**
 * Draws a call tree as SVG: callers above callees, widths in proportion to time, the widest callee first. A frame's title has its name,
 * its share of the whole, and its time per call.
 *
 * @param calls number of calls that were served
 */
export function drawFlameGraph(root: Frame, calls: number, title: string): string {
  const rectangles: string[] = [];
  const scale = (WIDTH - 2 * MARGIN) / root.microseconds;
  let rows = 0;
  const draw = (frame: Frame, x: number, row: number): void => {
    rows = Math.max(rows, row + 1);
    rectangles.push(drawFrame(frame, { x, row, width: frame.microseconds * scale, root, calls }));
    let left = x;
    for (const callee of [...frame.callees.values()].toSorted((a, b) => b.microseconds - a.microseconds)) {
      const width = callee.microseconds * scale;
      if (width >= LEAST_WIDTH) draw(callee, left, row + 1);
      left += width;
    }
  };
  draw(root, MARGIN, 0);
  const height = 2 * MARGIN + LEGEND + rows * ROW;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="${FONT}">`,
    `<title>${escape(title)}</title>`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    drawLegend(root),
    ...rectangles,
    "</svg>",
    "",
  ].join("\n");
}

interface Place {
  readonly x: number;
  readonly row: number;
  readonly width: number;
  readonly root: Frame;
  readonly calls: number;
}

function drawFrame(frame: Frame, { x, row, width, root, calls }: Place): string {
  const y = MARGIN + LEGEND + row * ROW;
  const share = ((frame.microseconds / root.microseconds) * 100).toFixed(1);
  const hint = `${frame.name}: ${share}%, ${(frame.microseconds / calls / 1000).toFixed(3)} ms a call`;
  const text = frame.name.slice(0, Math.max(0, Math.floor((width - 4) / CHARACTER_WIDTH)));
  const label =
    text.length < LEAST_CHARACTERS ? "" : `<text x="${(x + 2).toFixed(1)}" y="${y + ROW - 6}">${escape(text)}</text>`;
  const box = `x="${x.toFixed(1)}" y="${y}" width="${Math.max(width - 0.5, 0.5).toFixed(1)}" height="${ROW - 1}"`;
  return `<g><title>${escape(hint)}</title><rect ${box} fill="${partOf(frame).color}"/>${label}</g>`;
}

/** Lists the parts with their shares of the whole time, without what they call. */
function drawLegend(root: Frame): string {
  const own = new Map(PARTS.map((part) => [part, 0]));
  const add = (frame: Frame): void => {
    const inside = [...frame.callees.values()];
    const time = inside.reduce((rest, { microseconds }) => rest - microseconds, frame.microseconds);
    own.set(partOf(frame), (own.get(partOf(frame)) ?? 0) + time);
    inside.forEach(add);
  };
  add(root);
  let x = MARGIN;
  return [...own]
    .map(([{ label, color }, time]) => {
      const text = `${label} ${((time / root.microseconds) * 100).toFixed(0)}%`;
      const drawn = `<rect x="${x}" y="${MARGIN}" width="12" height="12" fill="${color}"/><text x="${x + 16}" y="${MARGIN + 10}">${text}</text>`;
      x += 30 + Math.ceil(text.length * CHARACTER_WIDTH);
      return drawn;
    })
    .join("");
}

/** The last part matches every frame. */
function partOf(frame: Frame): Part {
  return PARTS.find(({ matches }) => matches(frame)) as Part;
}

function packageOf(url: string): string | undefined {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
}

const withoutPackages = (url: string): string => (packageOf(url) === undefined ? url : "");

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
