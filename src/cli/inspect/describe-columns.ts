import { TRUNCATION } from "../../facts/sampling.js";
import { countNoun } from "../count-noun.js";
import { countLabels, type InspectedColumn, type InspectedColumns } from "./columns.js";
import { formatFloat, summarizeNumbers } from "./numbers.js";

/** Maximum number of distinct values that are counted one by one. */
const MAX_COUNTED = 6;

/**
 * Summarizes the row columns of a batch: a table of name, values and meaning, and the names of columns that are 0 or
 * none in every row.
 */
export function describeColumns(columns: InspectedColumns, rows: number): { table: string[][]; silent: string[] } {
  const table: string[][] = [];
  const silent: string[] = [];
  for (const [name, column] of columns) {
    const values = describeValues(column);
    if (values === undefined) silent.push(name);
    else table.push([name, values, column.column.meaning]);
    if (name === LAST_TRUNCATION) table.push(...describeTruncation(columns, rows));
  }
  return { table: table.length > 0 ? [["row column", `of ${countRows(rows)}`, "meaning"], ...table] : [], silent };
}

/** Returns undefined if every row has 0 or none. */
function describeValues(inspected: InspectedColumn): string | undefined {
  const { column, values } = inspected;
  if (column.source === "label") return describeCounts(countLabels(inspected));
  if (values.every((value) => value === 0)) return undefined;
  if (column.dtype === "BOOL") return countRows(values.filter((value) => value !== 0).length);
  return describeNumbers(values);
}

/** Lists labels with their counts, the most frequent first. */
function describeCounts(counts: ReadonlyMap<string, number>): string | undefined {
  if (counts.size === 0) return undefined;
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
  const rest = sorted.slice(MAX_COUNTED).map(([, count]) => count);
  const others = `${rest.length} others (${rest.reduce((sum, count) => sum + count, 0)})`;
  return [
    ...sorted.slice(0, MAX_COUNTED).map(([label, count]) => `${label} (${count})`),
    ...(rest.length > 0 ? [others] : []),
  ].join(", ");
}

function describeNumbers(values: InspectedColumn["values"]): string {
  // Integers are shown in full, because six digits of a time in seconds say little.
  const shown = values instanceof Float32Array ? formatFloat : String;
  const counts = new Map<number, number>();
  for (const value of values) {
    counts.set(value, (counts.get(value) ?? 0) + 1);
    if (counts.size > MAX_COUNTED) break;
  }
  if (counts.size <= MAX_COUNTED) {
    const sorted = [...counts].toSorted(([a], [b]) => a - b);
    return sorted.map(([value, count]) => `${shown(value)} (${count})`).join(", ");
  }
  const { min = 0, median = 0, max = 0 } = summarizeNumbers([...values]) ?? {};
  return `min ${shown(min)}, median ${shown(median)}, max ${shown(max)}`;
}

/** The parameters that truncate the distribution from which tokens are sampled. */
const TRUNCATIONS = Object.values(TRUNCATION);
const LAST_TRUNCATION = TRUNCATION.minP.json;

/** Counts rows that were sampled with truncation by any of these parameters. Greedy calls are not sampled. */
function describeTruncation(columns: InspectedColumns, rows: number): string[][] {
  const cuts = TRUNCATIONS.map(({ json, missing }) => ({ values: columns.get(json)?.values, off: missing }));
  const greedy = columns.get("greedy")?.values;
  let truncated = 0;
  for (let row = 0; row < rows; row++) {
    if (greedy?.[row] !== 1 && cuts.some(({ values, off }) => values !== undefined && values[row] !== off)) truncated++;
  }
  if (truncated === 0) return [];
  const meaning = `Sampled from a part of the vocabulary: ${TRUNCATIONS.map(({ json }) => json).join(", ")}.`;
  return [["truncated sampling", countRows(truncated), meaning]];
}

const countRows = (count: number): string => countNoun(count, "row");
