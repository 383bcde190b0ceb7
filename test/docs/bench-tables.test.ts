import { describe, expect, it } from "vitest";
import { readBenchScripts } from "../../bench/all/bench-scripts.js";
import { PAGES } from "../../bench/report/page-files.js";
import { fillTables, markersOf, RUNS } from "../../bench/report/page-tables.js";
import { COMMITTED, readResults } from "../../bench/report/result-files.js";
import { readRepositoryFile } from "./repository.js";

const results = readResults(COMMITTED);
const markers = PAGES.flatMap((path) => markersOf(readRepositoryFile(path)));

describe("the tables of benchmarks", () => {
  it.each(PAGES)("of %s are those that `npm run docs:bench` writes", (path) => {
    const page = readRepositoryFile(path);
    expect(page).toBe(fillTables(page, results));
  });

  it("have one place each", () => {
    expect(markers.filter((name, index) => markers.indexOf(name) !== index)).toEqual([]);
    expect(markers).toContain(RUNS);
  });

  it("are on a page if they were measured", () => {
    const tables = results.flatMap((result) => result.tables.map(({ name }) => name));
    expect(tables.filter((name) => !markers.includes(name))).toEqual([]);
  });

  it("have a place for each benchmark of package.json", () => {
    const benches = new Set(markers.map((name) => name.split("/", 1)[0]));
    expect(readBenchScripts().filter(({ name }) => !benches.has(name))).toEqual([]);
  });
});
