import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fillTables } from "./page-tables.js";
import { COMMITTED, readResults } from "./result-files.js";

/** Pages with tables of benchmarks, relative to the repository root. */
export const PAGES = ["docs/explanation/performance.md", "bench/NOTEBOOK.md"] as const;

/** Writes the tables of the committed results into the pages. Returns the pages that changed. */
export function writePages(): string[] {
  const results = readResults(COMMITTED);
  return PAGES.filter((path) => {
    const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
    const before = readFileSync(file, "utf8");
    const after = fillTables(before, results);
    if (after !== before) writeFileSync(file, after);
    return after !== before;
  });
}
