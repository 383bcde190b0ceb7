import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { InertText } from "../components/inert-text.js";
import { formatNumber } from "../state/format.js";
import { currentTheme } from "../state/theme.js";
import { type AxisBounds, createPlot, type Series } from "./create-plot.js";

interface LineChartProps {
  readonly title: string;
  /** Label of the horizontal axis, such as `Step`. */
  readonly axis: string;
  readonly x: readonly number[];
  /** Default: the number. */
  readonly formatX?: ((value: number) => string) | undefined;
  readonly series: readonly Series[];
  readonly format?: (value: number | null) => string;
  readonly bounds?: AxisBounds;
  /** Returns the address of the list behind the point at a position of `x`. */
  readonly link: (at: number) => string;
}

/** A line per series. A click, or Enter at the chosen point, opens the list behind it; a table has the same numbers. */
export function LineChart({
  title,
  axis,
  x,
  formatX = String,
  series,
  format = formatNumber,
  bounds,
  link,
}: LineChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  const theme = currentTheme();
  const open = (at: number | null): void => {
    if (at !== null && x[at] !== undefined) location.hash = link(at);
  };
  useEffect(() => {
    if (!frame.current) return undefined;
    const made = createPlot(frame.current, { x, formatX, series, format, bounds, onChoose: setChosen, onOpen: open });
    plot.current = made.plot;
    return made.destroy;
  }, [x, series, theme]);
  const step = (by: number): void => {
    const next = Math.min(x.length - 1, Math.max(0, (chosen ?? (by > 0 ? -1 : x.length)) + by));
    setChosen(next);
    const made = plot.current;
    if (made) made.setCursor({ left: made.valToPos(x[next] ?? 0, "x"), top: made.over.clientHeight / 2 });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowRight") step(1);
    else if (event.key === "ArrowLeft") step(-1);
    else if (event.key === "Enter" && chosen !== null) open(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">
          <InertText text={title} />
        </span>
        <Legend axis={axis} x={x} formatX={formatX} series={series} chosen={chosen} format={format} />
      </figcaption>
      <div
        ref={frame}
        class="plot"
        role="group"
        tabIndex={0}
        data-keys
        aria-label={`${title}: line chart of ${x.length} points. Arrow keys choose a point, Enter opens its episodes.`}
        onKeyDown={onKeyDown}
      />
      <DataTable
        caption={title}
        head={[axis, ...series.map(({ label }) => label)]}
        rows={x.map((value, at) => ({
          link: link(at),
          cells: [formatX(value), ...series.map(({ values }) => format(values[at] ?? null))],
        }))}
      />
    </figure>
  );
}

interface LegendProps extends Pick<LineChartProps, "axis" | "x" | "series"> {
  readonly formatX: (value: number) => string;
  readonly chosen: number | null;
  readonly format: (value: number | null) => string;
}

/** The values at the chosen point; the last ones if none is chosen. */
function Legend({ axis, x, formatX, series, chosen, format }: LegendProps) {
  const at = chosen ?? x.length - 1;
  const value = x[at];
  return (
    <span class="legend" aria-live="polite">
      <span>
        {axis} {value === undefined ? "–" : formatX(value)}
      </span>
      {series.map(({ label, values, colour }) => (
        <span key={label}>
          <span class={`swatch colour-${colour}`} aria-hidden="true" />
          {label} <b>{format(values[at] ?? null)}</b>
        </span>
      ))}
    </span>
  );
}

interface DataTableProps {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly { readonly link: string; readonly cells: readonly string[] }[];
}

/** The numbers of a chart as a table, for screen readers among others. It is rendered when opened. */
function DataTable({ caption, head, rows }: DataTableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="data-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Table</summary>
      {isOpen && (
        <div class="scroll-box" tabIndex={0} role="region" aria-label={`Table: ${caption}`}>
          <table>
            <caption class="visually-hidden">
              <InertText text={caption} />
            </caption>
            <thead>
              <tr>
                {head.map((label) => (
                  <th key={label} scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ link, cells }) => (
                <tr key={link}>
                  {cells.map((cell, at) =>
                    at === 0 ? (
                      <th key={at} scope="row">
                        <a href={link}>{cell}</a>
                      </th>
                    ) : (
                      <td key={at}>{cell}</td>
                    ),
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
