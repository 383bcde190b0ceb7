import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, release, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { BenchReport } from "../../../bench/report/bench-report.js";
import { readResult, readResults, writeResult } from "../../../bench/report/result-files.js";
import { exampleResult } from "./example-result.js";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-report-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Collects what is printed during the test. */
function capturePrints(): string[] {
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((text: string) => void printed.push(text));
  onTestFinished(() => log.mockRestore());
  return printed;
}

const ROW = { what: "a turn", measured: "3 ms", reference: "" };

describe("the report of a benchmark", () => {
  it("prints the machine, the commit and its tables, and writes the same as JSON", () => {
    const output = makeFolder();
    const printed = capturePrints();
    const report = new BenchReport("proxy", { folder: output, output });
    report.addRows([ROW]);
    report.addTable(["what", "measured (MB)"], [["memory", "12"]], "memory");
    report.write();

    const result = readResult(output, "proxy");
    const { machine, commit, tables } = result;
    expect(machine).toMatchObject({
      cores: availableParallelism(),
      system: `Linux ${release()}`,
      node: process.version,
    });
    expect(machine.fileSystem).toMatch(/^\w+ on \S+$/);
    expect(printed[0]).toContain(machine.cpu);
    expect(printed[0]).toContain(commit?.id ?? "commit not recorded");
    expect(tables.map(({ name }) => name)).toEqual(["proxy", "proxy/memory"]);
    expect(tables[1]?.rows[0]?.quantities).toEqual({ "measured (MB)": [{ value: 12, unit: "MB" }] });
    expect(printed[1]).toMatch(/^\| a turn +\| 3 ms +\|/m);
    expect(printed[2]).toMatch(/^\| memory \| 12 +\|$/m);
  });

  it("writes no file without a table", () => {
    const output = makeFolder();
    capturePrints();
    new BenchReport("proxy", { output }).write();
    expect(readdirSync(output)).toEqual([]);
  });
});

describe("a result's file", () => {
  it("has the result that was written", () => {
    const folder = makeFolder();
    writeResult(exampleResult(), folder);
    expect(readResult(folder, "open")).toEqual(exampleResult());
    expect(readResults(folder)).toEqual([exampleResult()]);
  });

  it.each([
    ["of another version", { ...exampleResult(), schema: 2 }],
    ["without a machine", { ...exampleResult(), machine: undefined }],
    [
      "whose row lacks a cell",
      {
        ...exampleResult(),
        tables: [{ name: "open", columns: ["a"], rows: [{ name: "", cells: [], quantities: {} }] }],
      },
    ],
    ["with a number as text", { ...exampleResult(), seconds: "60" }],
  ])("is rejected if it has a result %s", (_, result) => {
    const folder = makeFolder();
    writeFileSync(join(folder, "open.json"), JSON.stringify(result));
    expect(() => readResult(folder, "open")).toThrow("open.json is not a result of a benchmark");
  });

  it("is rejected if it is missing or has the result of another benchmark", () => {
    const folder = makeFolder();
    expect(() => readResult(folder, "open")).toThrow("open.json is missing");
    writeFileSync(join(folder, "proxy.json"), JSON.stringify(exampleResult()));
    expect(() => readResult(folder, "proxy")).toThrow("proxy.json has the result of open");
  });
});
