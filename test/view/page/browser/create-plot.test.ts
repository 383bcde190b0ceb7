import type uPlot from "uplot";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPlot } from "../../../../src/view/page/charts/create-plot.js";

const { FakePlot } = vi.hoisted(() => {
  /** The chart library draws on a canvas, so this only takes what it is told. */
  class FakePlot {
    static last: FakePlot | undefined;
    static rangeNum = (low: number, high: number, margin: number, extends_: boolean) =>
      extends_ ? [low - margin, high + margin] : [low, high];
    readonly over = new EventTarget();
    readonly cursor: { idx: number | null } = { idx: null };
    sizes: unknown[] = [];
    isDestroyed = false;
    constructor(
      readonly options: uPlot.Options,
      readonly data: unknown,
      readonly frame: unknown,
    ) {
      FakePlot.last = this;
    }
    setSize(size: unknown): void {
      this.sizes.push(size);
    }
    destroy(): void {
      this.isDestroyed = true;
    }
  }
  return { FakePlot };
});

vi.mock("uplot", () => ({ default: FakePlot }));

let observers: { element?: unknown; resize: () => void }[] = [];

beforeEach(() => {
  observers = [];
  vi.stubGlobal("document", { documentElement: {} });
  vi.stubGlobal("getComputedStyle", () => ({ fontSize: "10px", getPropertyValue: (name: string) => ` ${name} ` }));
  vi.stubGlobal(
    "ResizeObserver",
    class {
      readonly #observer: (typeof observers)[number];
      constructor(resize: () => void) {
        this.#observer = { resize };
        observers.push(this.#observer);
      }
      observe(element: unknown): void {
        this.#observer.element = element;
      }
      disconnect(): void {
        observers = observers.filter((each) => each !== this.#observer);
      }
    },
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
});

type PlotOptions = Parameters<typeof createPlot>[1];

function open(changed: Partial<PlotOptions> = {}) {
  const frame = { clientWidth: 500 };
  const [chosen, opened]: [unknown[], unknown[]] = [[], []];
  const { destroy } = createPlot(frame as HTMLElement, {
    x: [4, 5, 6],
    formatX: (value) => `step ${value}`,
    series: [{ label: "mean", values: [1, null, 3], colour: 2 }],
    format: (value) => `${value} points`,
    bounds: undefined,
    onChoose: (at) => chosen.push(at),
    onOpen: (at) => opened.push(at),
    ...changed,
  });
  const plot = FakePlot.last;
  if (!plot) throw new Error("The chart was not drawn.");
  return { plot, frame, chosen, opened, destroy };
}

const EDGES: PlotOptions["series"] = [
  { label: "mean", values: [1, 2, 3], colour: 1 },
  { label: "highest", values: [2, 3, 4], colour: 1, edge: true },
  { label: "lowest", values: [0, 1, 2], colour: 1, edge: true },
];

/** Returns the range that the vertical axis gets for values from `low` to `high`. */
function rangeOf({ options }: InstanceType<typeof FakePlot>, low: number | null, high: number | null): unknown {
  const range = options.scales?.["y"]?.range;
  if (typeof range !== "function") throw new Error("The axis has no range.");
  return range({} as uPlot, low as number, high as number, "y");
}

describe("a chart", () => {
  it("has its values, and axes with their texts", () => {
    const { plot, frame } = open();
    expect([plot.data, plot.frame]).toEqual([
      [
        [4, 5, 6],
        [1, null, 3],
      ],
      frame,
    ]);
    const [x, y] = plot.options.axes ?? [];
    const label = (axis: uPlot.Axis | undefined) =>
      typeof axis?.values === "function" && axis.values({} as uPlot, [4, 6], 0, 0, 0);
    expect([label(x), label(y)]).toEqual([
      ["step 4", "step 6"],
      ["4 points", "6 points"],
    ]);
    expect([x, y]).toMatchObject([
      { size: 14, font: "7px  --sans ", stroke: "--quiet", grid: { stroke: "--line" }, ticks: { show: false } },
      { size: 30, font: "7px  --sans ", stroke: "--quiet", grid: { stroke: "--line" }, ticks: { show: false } },
    ]);
    expect(plot.options).toMatchObject({
      legend: { show: false },
      scales: { x: { time: false } },
      cursor: { y: false, drag: { x: false, y: false } },
    });
  });

  it("has ticks at whole numbers only", () => {
    const [x] = open().plot.options.axes ?? [];
    const incrs = Array.isArray(x?.incrs) ? x.incrs : [];
    expect(incrs.slice(0, 4)).toEqual([1, 2, 5, 10]);
    expect(incrs.every(Number.isInteger)).toBe(true);
    expect(incrs).toHaveLength(15);
  });

  it("is as wide as its frame, also when that changes", () => {
    const { plot, frame, destroy } = open();
    expect(plot.options).toMatchObject({ width: 500, height: 90 });
    expect(observers.map(({ element }) => element)).toEqual([frame]);
    frame.clientWidth = 300;
    observers[0]?.resize();
    frame.clientWidth = 0;
    observers[0]?.resize();
    expect(plot.sizes).toEqual([
      { width: 300, height: 90 },
      { width: 10, height: 90 },
    ]);
    destroy();
    expect([observers, plot.isDestroyed]).toEqual([[], true]);
  });

  it("has a line for each series, with points if there are few", () => {
    const [, line] = open().plot.options.series;
    expect(line).toMatchObject({ stroke: "--chart-2", width: 1.75, points: { show: false } });
    expect(open().plot.options.bands).toBeUndefined();
    const [, short] = open({ x: [1, 2] }).plot.options.series;
    expect(short).toMatchObject({ points: { show: true } });
  });

  it("fills the band between its edges, which have no lines", () => {
    const { series, bands } = open({ series: EDGES }).plot.options;
    expect(series.slice(1)).toMatchObject([
      { stroke: "--chart-1", width: 1.75 },
      { stroke: "transparent", width: 0 },
      { stroke: "transparent", width: 0 },
    ]);
    expect(bands).toEqual([{ series: [2, 3], fill: "--chart-band" }]);
    expect(open({ series: EDGES.slice(0, 2) }).plot.options.bands).toBeUndefined();
  });

  it("reports the step under the pointer, and the one that is clicked", () => {
    const { plot, chosen, opened } = open();
    const point = (idx: number | null) => {
      plot.cursor.idx = idx;
      for (const hook of plot.options.hooks?.setCursor ?? []) hook?.(plot as unknown as uPlot);
    };
    point(2);
    plot.over.dispatchEvent(new Event("click"));
    point(null);
    plot.over.dispatchEvent(new Event("click"));
    expect([chosen, opened]).toEqual([
      [2, null],
      [2, null],
    ]);
  });

  it("has an axis around the values, within the bounds of the number", () => {
    const { plot } = open();
    expect(rangeOf(plot, 2, 3)).toEqual([1.9, 3.1]);
    expect(rangeOf(open({ bounds: [0, 1] }).plot, 0, 0.5)).toEqual([0, 0.6]);
    expect(rangeOf(open({ bounds: [0, 1] }).plot, 0.5, 1)).toEqual([0.4, 1]);
    expect(rangeOf(plot, null, null)).toEqual([null, null]);
    expect(rangeOf(plot, 1, null)).toEqual([null, null]);
    expect(rangeOf(plot, null, 1)).toEqual([null, null]);
  });
});
