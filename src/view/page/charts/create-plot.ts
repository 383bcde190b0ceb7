import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export interface Series {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** Number of the colour in the style sheet. */
  readonly colour: 1 | 2 | 3;
  /** True for an edge of the band around the first series. It has no line; the band between both edges is filled. */
  readonly edge?: boolean;
}

/** The lowest and highest number that an axis can have, such as 0 and 1 for a share. */
export type AxisBounds = readonly [low: number, high: number];

interface PlotOptions {
  readonly x: readonly number[];
  readonly formatX: (value: number) => string;
  readonly series: readonly Series[];
  readonly format: (value: number | null) => string;
  readonly bounds: AxisBounds | undefined;
  readonly onChoose: (at: number | null) => void;
  readonly onOpen: (at: number | null) => void;
}

const HEIGHT_REM = 9;

/** Draws a line chart that is as wide as its frame. */
export function createPlot(frame: HTMLElement, { x, formatX, series, format, bounds, onChoose, onOpen }: PlotOptions) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const rem = Number.parseFloat(style.fontSize);
  const size = (): uPlot.Options["width"] => Math.max(10, frame.clientWidth);
  const axis: uPlot.Axis = {
    stroke: colour("--quiet"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
    font: `${0.7 * rem}px ${style.getPropertyValue("--sans")}`,
    size: 1.4 * rem,
    gap: 4,
  };
  const edges = series.flatMap(({ edge }, at) => (edge ? [at + 1] : []));
  const [high, low] = edges;
  const plot = new uPlot(
    {
      width: size(),
      height: HEIGHT_REM * rem,
      padding: [6, 18, 0, 0],
      legend: { show: false },
      scales: { x: { time: false }, y: { range: (_, low, high) => axisRange(low, high, bounds) } },
      axes: [
        // Steps, versions and seconds are whole numbers.
        {
          ...axis,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000, 1_000_000],
          values: (_, values) => values.map(formatX),
        },
        { ...axis, size: 3 * rem, values: (_, values) => values.map((value) => format(value)) },
      ],
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
      series: [
        {},
        ...series.map((line) => ({
          stroke: line.edge ? "transparent" : colour(`--chart-${line.colour}`),
          width: line.edge ? 0 : 1.75,
          points: { show: x.length < 3, size: 5 },
        })),
      ],
      ...(high !== undefined &&
        low !== undefined && { bands: [{ series: [high, low], fill: colour("--chart-band") }] }),
      hooks: { setCursor: [(self) => onChoose(self.cursor.idx ?? null)] },
    },
    [[...x], ...series.map(({ values }) => [...values])] as uPlot.AlignedData,
    frame,
  );
  const onClick = (): void => onOpen(plot.cursor.idx ?? null);
  plot.over.addEventListener("click", onClick);
  const resize = new ResizeObserver(() => plot.setSize({ width: size(), height: HEIGHT_REM * rem }));
  resize.observe(frame);
  return {
    plot,
    destroy: (): void => {
      resize.disconnect();
      plot.destroy();
    },
  };
}

/** Returns the range of the vertical axis. If all values are equal, uPlot alone would choose one far wider than `bounds`. */
function axisRange(
  low: number | null,
  high: number | null,
  bounds: AxisBounds = [-Infinity, Infinity],
): uPlot.Range.MinMax {
  if (low === null || high === null) return [null, null];
  // Null only for an axis without values.
  const [first, last] = uPlot.rangeNum(low, high, 0.1, true) as [number, number];
  return [Math.max(first, bounds[0]), Math.min(last, bounds[1])];
}
