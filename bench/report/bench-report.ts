import { markdownTable } from "../../test/helpers/markdown-table.js";
import type { Row } from "../export/row.js";
import { benchSize } from "../sized.js";
import { type Commit, formatCommit, readCommit } from "./commit.js";
import { formatMachine, type Machine, readMachine } from "./machine.js";
import { RESULT_SCHEMA, type ResultTable } from "./result.js";
import { outputFolder, writeResult } from "./result-files.js";
import { toMeasurementTable, toTextTable } from "./tables.js";

export interface ReportOptions {
  /** Folder that the benchmark writes to, if its file system matters. */
  readonly folder?: string;
  /** Folder for the JSON file. Default: `out/bench`. */
  readonly output?: string;
}

/**
 * The output of a benchmark: a line with the machine and the commit, tables, and the same as a JSON file in `out/bench`.
 *
 * Each table is printed when it is added. {@link write} is the last step, so a benchmark that fails leaves no JSON file.
 */
export class BenchReport {
  readonly #name: string;
  readonly #output: string;
  readonly #machine: Machine;
  readonly #commit: Commit | null;
  readonly #started = performance.now();
  readonly #tables: ResultTable[] = [];

  /** Prints the machine and the commit. @param name of the npm script, without `bench:` */
  constructor(name: string, { folder, output = outputFolder(benchSize) }: ReportOptions = {}) {
    this.#name = name;
    this.#output = output;
    this.#machine = readMachine(folder);
    this.#commit = readCommit();
    console.log(`${formatMachine(this.#machine)}; ${formatCommit(this.#commit)}\n`);
  }

  /** Adds a table of measurements with references and targets. @param part if the benchmark has several tables */
  addRows(rows: readonly Row[], part?: string): void {
    this.#add(toMeasurementTable(this.#tableName(part), rows));
  }

  /** Adds a table of texts, whose first column names what was measured. @param part if the benchmark has several tables */
  addTable(columns: readonly string[], rows: readonly (readonly string[])[], part?: string): void {
    this.#add(toTextTable(this.#tableName(part), columns, rows));
  }

  /** Writes the JSON file, if there is a table. */
  write(): void {
    if (this.#tables.length === 0) return;
    const result = {
      schema: RESULT_SCHEMA,
      bench: this.#name,
      date: new Date().toISOString(),
      seconds: Math.round((performance.now() - this.#started) / 100) / 10,
      commit: this.#commit,
      machine: this.#machine,
      options: { size: benchSize, arguments: process.argv.slice(2) },
      tables: this.#tables,
    } as const;
    writeResult(result, this.#output);
  }

  #tableName(part?: string): string {
    return part === undefined ? this.#name : `${this.#name}/${part}`;
  }

  #add(table: ResultTable): void {
    this.#tables.push(table);
    console.log(
      `${markdownTable(
        table.columns,
        table.rows.map(({ cells }) => cells),
      )}\n`,
    );
  }
}
