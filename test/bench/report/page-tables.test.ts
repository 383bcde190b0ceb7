import { describe, expect, it } from "vitest";
import { fillTables, markersOf } from "../../../bench/report/page-tables.js";
import { toMeasurementTable, toTextTable } from "../../../bench/report/tables.js";
import { exampleResult } from "./example-result.js";

const place = (name: string, text = "") => `<!-- bench:${name} -->\n${text}<!-- /bench:${name} -->`;
const TABLE = "\n| what | measured |\n|---|---|\n| calls open | 9,700 |\n\n";

describe("the tables of a page", () => {
  it("are written between their markers, and nothing else changes", () => {
    const page = (text: string) => `# Page\n\nBy hand: 9,000.\n\n${place("open", text)}\n\n| by | hand |\n`;
    expect(fillTables(page(""), [exampleResult()])).toBe(page(TABLE));
    expect(fillTables(page("\n| old |\n"), [exampleResult()])).toBe(page(TABLE));
    expect(fillTables(page(TABLE), [exampleResult()])).toBe(page(TABLE));
  });

  it("keep characters that a replacement would interpret", () => {
    const tables = [toTextTable("open", ["what", "cost"], [["$& and $1", "$$ 5"]])];
    expect(fillTables(place("open"), [exampleResult({ tables })])).toContain("| $& and $1 | $$ 5 |");
  });

  it("are found by the name of the benchmark and of the table", () => {
    const tables = [toTextTable("open/first", ["a"], [["1"]]), toTextTable("open/second", ["b"], [["2"]])];
    const filled = fillTables(`${place("open/second")}\n${place("open/first")}\n`, [exampleResult({ tables })]);
    expect(filled.match(/^\| \w \|$/gm)).toEqual(["| b |", "| 2 |", "| a |", "| 1 |"]);
  });

  it("name the command of a benchmark without a result", () => {
    expect(fillTables(place("proxy/rates"), [])).toContain("Not measured yet: `npm run bench:proxy`.");
  });

  it("are rejected if a marker has no counterpart", () => {
    expect(() => fillTables("<!-- bench:open -->\n| a |\n", [])).toThrow("<!-- bench:open --> has no counterpart.");
    expect(() => fillTables(`${place("open")}\n<!-- /bench:proxy -->\n`, [])).toThrow("bench:proxy");
  });

  it("are listed in the order of the page", () => {
    expect(markersOf(`${place("runs")}\n\n${place("rollout/turn")}\n`)).toEqual(["runs", "rollout/turn"]);
  });
});

describe("the table of runs", () => {
  it("has the command, its options, day, commit, met targets and machine of each run", () => {
    const verdict = { target: 2, bound: "at most", unit: "x" } as const;
    const rows = [1, 3].map((value) => ({
      what: `row ${value}`,
      measured: "",
      reference: "",
      verdict: { ...verdict, value },
    }));
    const machine = { ...exampleResult().machine, fileSystem: "ext4 on /dev/sda" };
    const results = [
      exampleResult(),
      exampleResult({ bench: "proxy", machine, commit: null, tables: [toMeasurementTable("proxy", rows)] }),
      exampleResult({
        bench: "bench",
        options: { size: "full", arguments: [] },
        commit: { id: "89ab", changed: false },
      }),
    ];
    expect(
      fillTables(place("runs"), results)
        .split("\n")
        .filter((line) => /^[|\d]/.test(line)),
    ).toEqual([
      "1. A processor, 2 cores, 8 GiB, Linux 6.1, Node v20.20.2",
      "2. A processor, 2 cores, 8 GiB, Linux 6.1, Node v20.20.2, ext4 on /dev/sda",
      "| run | size | date | commit | targets met | machine |",
      "|---|---|---|---|---|---|",
      "| `npm run bench:open -- --minutes 1` | short | 2026-11-24 | 0123abcd + changes | | 1 |",
      "| `npm run bench:proxy -- --minutes 1` | short | 2026-11-24 | not recorded | 1 of 2 | 2 |",
      "| `npm run bench` | full | 2026-11-24 | 89ab | | 1 |",
    ]);
  });
});
