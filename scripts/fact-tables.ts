import { ROW_COLUMNS, type RowColumn } from "../src/session/batch/row-columns.js";

/** The tables of docs/reference/batch-format.md about row columns. `write-fact-tables.ts` writes them, a test compares them. */

function describeTensors({ perRow, perTurn, ofFirstTurn }: RowColumn): string {
  const ofRows = ofFirstTurn ? "row (first turn)" : "row";
  return [...(perRow ? [ofRows] : []), ...(perTurn ? ["turn"] : [])].join(", ");
}

const linked = (meaning: string) => meaning.replace(/docs\/explanation\/(\w+\.md)/, "[$1](../explanation/$1)");

function columnRows(): string[] {
  return ROW_COLUMNS.map(
    (column) => `| \`${column.name}\` | ${column.dtype} | ${describeTensors(column)} | ${linked(column.meaning)} |`,
  );
}

/** Returns the codes that are the same in every batch. */
function codeRows(): string[] {
  return ROW_COLUMNS.filter(({ source }) => source === "label").map(({ name, labels }) => {
    const texts = labels.map((label) => `\`${label}\``);
    return `| \`${name}\` | ${texts.length === 0 ? "none" : texts.join(", ")} |`;
  });
}

/** Returns the page with the rows of one table replaced, which begins with this header line. */
function replaceRows(page: string, header: string, rows: readonly string[]): string {
  const lines = page.split("\n");
  const start = lines.indexOf(header) + 2;
  if (start < 2) throw new Error(`The page has no table with the header ${header}`);
  const length = lines.slice(start).findIndex((line) => !line.startsWith("|"));
  return lines.toSpliced(start, length, ...rows).join("\n");
}

export function writeFactTables(page: string): string {
  const withColumns = replaceRows(page, "| column | dtype | tensors | content |", columnRows());
  return replaceRows(withColumns, "| column | codes from 0 |", codeRows());
}
