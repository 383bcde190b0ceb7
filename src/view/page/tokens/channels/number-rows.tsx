import { plural } from "../../state/format.js";
import { formatValue } from "../format-values.js";

/** Number of values that are shown. */
const SHOWN = 512;

interface NumberRowsProps {
  readonly values: readonly number[];
  /** Number of all values of the token. */
  readonly total: number;
  /** Extents of an item. */
  readonly shape: readonly number[];
}

/** Numbers without a known meaning: a row for each index of all extents but the last. */
export function NumberRows({ values, total, shape }: NumberRowsProps) {
  const width = Math.max(1, shape.at(-1) ?? values.length);
  const shown = values.slice(0, SHOWN);
  const rows = Array.from({ length: Math.ceil(shown.length / width) }, (_, row) =>
    shown.slice(row * width, (row + 1) * width),
  );
  return (
    <>
      <ol class="numbers">
        {rows.map((row, at) => (
          <li key={at}>{row.map(formatValue).join("  ")}</li>
        ))}
      </ol>
      {total > shown.length && <p class="quiet">and {plural(total - shown.length, "more value")}</p>}
    </>
  );
}
