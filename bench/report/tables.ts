import { COLUMNS, cellsOf, met, type Row } from "../export/row.js";
import { type Quantity, readQuantities } from "./quantities.js";
import type { ResultRow, ResultTable } from "./result.js";

/** Returns the table of rows that have a reference and a target. */
export function toMeasurementTable(name: string, rows: readonly Row[]): ResultTable {
  return { name, columns: [...COLUMNS], rows: rows.map(toResultRow) };
}

/** Returns a table of texts. The first column names what was measured. */
export function toTextTable(
  name: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): ResultTable {
  const toRow = (cells: readonly string[]): ResultRow => {
    const numbers = columns
      .map((column, i) => [column, readQuantities(cells[i] ?? "", column)] as const)
      .filter(([, found], i) => i > 0 && found.length > 0);
    return { name: cells[0] ?? "", cells: [...cells], quantities: Object.fromEntries(numbers) };
  };
  return { name, columns: [...columns], rows: rows.map(toRow) };
}

function toResultRow(row: Row): ResultRow {
  const texts = { measured: row.measured, reference: row.reference };
  const quantities: Record<string, Quantity[]> = {};
  for (const [column, text] of Object.entries(texts)) {
    const found = readQuantities(text);
    if (found.length > 0) quantities[column] = found;
  }
  const ratio = ratioOf(row, quantities);
  return {
    name: row.what,
    cells: [...cellsOf(row)],
    quantities,
    ...(ratio !== undefined && { ratio }),
    ...(row.verdict && { verdict: { ...row.verdict, value: finite(row.verdict.value), met: met(row.verdict) } }),
  };
}

/** A verdict in percent or times is the median ratio of the rounds; otherwise it is that of the first numbers. */
function ratioOf({ verdict }: Row, { measured, reference }: Record<string, Quantity[]>): number | undefined {
  const value = verdict ? finite(verdict.value) : null;
  if (value !== null && verdict?.unit === "x") return value;
  if (value !== null && verdict?.unit === "%") return value / 100;
  const [first, second] = [measured?.[0], reference?.[0]];
  if (!first || !second || first.unit !== second.unit || second.value === 0) return undefined;
  return first.value / second.value;
}

/** JSON has no NaN: rows that came from a child process have null instead. */
function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}
