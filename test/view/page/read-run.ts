import type { Overview } from "../../../src/view/api.js";
import { type RunData, RunPages } from "../../../src/view/page/state/run-data.js";

/** Returns the run that a page has after it received these pages. */
export function readRun(...overviews: readonly Overview[]): RunData {
  const pages = new RunPages();
  for (const overview of overviews) pages.add(overview);
  const run = pages.read();
  if (!run) throw new Error("There are no pages.");
  return run;
}
