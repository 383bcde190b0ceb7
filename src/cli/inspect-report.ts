import type { InspectedBatch } from "./inspect-batch.js";
import type { Header, RowEntry } from "./inspect-header.js";
import { type Distribution, distribution, histogram } from "./inspect-numbers.js";

const BINS = 10;
const BAR_CHARACTERS = 40;

/** What `rolltape inspect` prints. @param listed rows that are listed one by one */
export function describeBatch(file: string, batch: InspectedBatch, listed: number): string {
  const sections = [
    [`${file}, ${batch.byteLength} bytes`],
    tensors(batch.header),
    metadata(batch.header),
    batch.rows.length > 0 ? [...totals(batch), "", ...lengths(batch.rows)] : [],
    listed > 0 ? rowList(batch, listed) : [],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function tensors({ tensors: all }: Header): string[] {
  const lines = all.map(({ name, dtype, shape }) => [name, dtype, `[${shape.join(", ")}]`]);
  return columns([["tensor", "dtype", "shape"], ...lines]);
}

/** The rows are told of apart. */
function metadata({ metadata: all }: Header): string[] {
  const entries = Object.entries(all).filter(([name]) => name !== "rows");
  if (entries.length === 0) return [];
  return columns([["metadata", ""], ...entries.map(([name, text]) => [name, shorten(text)])]);
}

function totals({ rows, rewards, lossTokens, versions }: InspectedBatch): string[] {
  const tokens = rows.reduce((total, { length }) => total + length, 0);
  const sampled = [...versions].map(([version, count]) => `${version} (${count} tokens)`).join(", ");
  return columns([
    ["sessions", differing(rows.map(({ session_id }) => session_id))],
    ["tasks", differing(rows.map(({ task_id }) => task_id))],
    ["groups", differing(rows.map(({ group_id }) => group_id))],
    ["rows", String(rows.length)],
    ["tokens", `${tokens}, ${lossTokens} of them in the loss`],
    ["versions", sampled === "" ? "none" : sampled],
    ["rewards", summary(distribution(rewards))],
    ["lengths", summary(distribution(rows.map(({ length }) => length)))],
  ]);
}

function lengths(rows: readonly RowEntry[]): string[] {
  const bins = histogram(
    rows.map(({ length }) => length),
    BINS,
  );
  const most = Math.max(...bins.map(({ count }) => count));
  const lines = bins.map(({ from, to, count }) => {
    const bar = "█".repeat(Math.ceil((count / most) * BAR_CHARACTERS));
    return [from === to ? String(from) : `${from}–${to}`, String(count), bar];
  });
  return columns([["tokens of a row", "rows", ""], ...lines]);
}

function rowList({ rows, rewards }: InspectedBatch, listed: number): string[] {
  const lines = rows.slice(0, listed).map(({ session_id, task_id, group_id, interaction_id, length }, i) => {
    const reward = rewards[i];
    const said = reward === undefined ? "" : number(reward);
    return [session_id, interaction_id, String(length), said, task_id ?? "", group_id ?? ""];
  });
  return columns([["session", "interaction", "tokens", "reward", "task", "group"], ...lines]);
}

/** How many names there are; rows without one are in none. */
function differing(names: readonly (string | null)[]): string {
  const { size } = new Set(names.filter((name) => name !== null));
  return size === 0 ? "none" : String(size);
}

function summary(values: Distribution | undefined): string {
  if (!values) return "none";
  const { least, median, mean, most } = values;
  return `least ${number(least)}, median ${number(median)}, mean ${number(mean)}, most ${number(most)}`;
}

/** With as many digits as tell something of a float32. */
function number(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}… (${text.length} characters)` : text;
}

function columns(given: readonly (readonly string[])[]): string[] {
  // A file may say anything: no part of it writes to a terminal but as text.
  const lines = given.map((line) => line.map((cell) => cell.replace(/\p{Cc}/gu, " ")));
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
