import { formatCommit } from "./commit.js";
import { formatMachine } from "./machine.js";
import type { BenchResult, ResultTable } from "./result.js";

/** Marks the table that lists the runs, with machines, commits, and targets. */
export const RUNS = "runs";

const BLOCK = /^<!-- bench:(?<name>[a-z/-]+) -->\n(?<text>[^]*?)^<!-- \/bench:\k<name> -->$/gm;
const MARKER = /^<!-- \/?bench:.*$/gm;

/** Returns the names of the tables that a page has places for, in order. */
export function markersOf(page: string): string[] {
  return [...page.matchAll(BLOCK)].map(({ groups }) => groups?.["name"] ?? "");
}

/**
 * Writes the results' tables between the page's markers, `<!-- bench:NAME -->` and `<!-- /bench:NAME -->`. The rest stays as it is. A
 * place whose table is in no result says so.
 *
 * @throws Error if a marker has no counterpart
 */
export function fillTables(page: string, results: readonly BenchResult[]): string {
  const alone = page.replaceAll(BLOCK, "").match(MARKER);
  if (alone) throw new Error(`${alone[0]} has no counterpart.`);
  const tables = new Map(results.flatMap((result) => result.tables.map((table) => [table.name, table] as const)));
  return page.replaceAll(BLOCK, (_, name: string) => {
    const text = name === RUNS ? writeRuns(results) : writeTable(name, tables.get(name));
    return `<!-- bench:${name} -->\n\n${text}\n\n<!-- /bench:${name} -->`;
  });
}

function writeTable(name: string, table: ResultTable | undefined): string {
  const bench = name.split("/", 1)[0] ?? name;
  if (table === undefined) return `Not measured yet: \`${commandOf(bench)}\`.`;
  return writeMarkdown(
    table.columns,
    table.rows.map(({ cells }) => cells),
  );
}

/** Lists the machines, and for each run when, of which commit and on which machine it was, and the targets that it met. */
function writeRuns(results: readonly BenchResult[]): string {
  const machines = [...new Set(results.map(({ machine }) => formatMachine(machine)))];
  const rows = results.map((result) => {
    const { bench, date, commit, machine, options } = result;
    const verdicts = result.tables.flatMap(({ rows: all }) => all.flatMap(({ verdict }) => verdict ?? []));
    const met = verdicts.filter((each) => each.met).length;
    return [
      `\`${[commandOf(bench), ...(options.arguments.length > 0 ? ["--", ...options.arguments] : [])].join(" ")}\``,
      options.size,
      date.slice(0, 10),
      formatCommit(commit).replace(/^commit /, ""),
      verdicts.length === 0 ? "" : `${met} of ${verdicts.length}`,
      String(machines.indexOf(formatMachine(machine)) + 1),
    ];
  });
  const list = machines.map((machine, index) => `${index + 1}. ${machine}`).join("\n");
  const columns = ["run", "size", "date", "commit", "targets met", "machine"];
  return `Machines:\n\n${list}\n\n${writeMarkdown(columns, rows)}`;
}

function commandOf(bench: string): string {
  return `npm run ${bench === "bench" ? bench : `bench:${bench}`}`;
}

function writeMarkdown(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`.replaceAll(/ {2,}/g, " ");
  return [line(columns), `|${"---|".repeat(columns.length)}`, ...rows.map(line)].join("\n");
}
