import type { Header } from "../../support/safetensors/read-header.js";
import { inertText } from "../inert-text.js";
import { labelOf } from "./columns.js";
import { describeColumns } from "./describe-columns.js";
import type { InspectedBatch } from "./inspect-batch.js";
import { describeMetadata } from "./metadata.js";
import { type Distribution, distribution, formatNumber, histogram } from "./numbers.js";
import type { RowEntry } from "./rows.js";
import { inspectWarnings } from "./warnings.js";

const BINS = 10;
const BAR_CHARACTERS = 40;

/** What `rolltape inspect` prints. @param listed rows that are listed one by one */
export function describeBatch(file: string, batch: InspectedBatch, listed: number): string {
  const sections = [
    [`${file}, ${batch.byteLength} bytes`],
    tensors(batch.header),
    metadata(batch.header),
    batch.rows.length > 0 ? [...totals(batch), "", ...lengths(batch.rows)] : [],
    rowColumns(batch),
    listed > 0 ? rowList(batch, listed) : [],
    inspectWarnings(batch).map((warning) => `warning: ${warning}`),
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

function metadata(header: Header): string[] {
  const lines = describeMetadata(header);
  return lines.length === 0 ? [] : columns([["metadata", ""], ...lines]);
}

function rowColumns({ columns: all, rows }: InspectedBatch): string[] {
  const { table, silent } = describeColumns(all, rows.length);
  return [...columns(table), ...(silent.length > 0 ? [`0 or none in every row: ${silent.join(", ")}`] : [])];
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

function rowList({ rows, rewards, columns: all }: InspectedBatch, listed: number): string[] {
  const described = all.size > 0;
  const lines = rows.slice(0, listed).map(({ session_id, task_id, group_id, interaction_id, length }, row) => {
    const reward = rewards[row];
    const said = reward === undefined ? "" : formatNumber(reward);
    const particulars = described ? rowParticulars(all, row) : [];
    return [session_id, interaction_id, String(length), said, ...particulars, task_id ?? "", group_id ?? ""];
  });
  const particulars = described ? ["own reward", "finish", "temperature"] : [];
  return columns([["session", "interaction", "tokens", "reward", ...particulars, "task", "group"], ...lines]);
}

function rowParticulars(all: InspectedBatch["columns"], row: number): string[] {
  const [hasReward, reward, temperature] = (["has_reward", "own_reward", "temperature"] as const).map(
    (name) => all.get(name)?.values[row],
  );
  const finish = all.get("finish_reason");
  return [
    hasReward === 1 && reward !== undefined ? formatNumber(reward) : "",
    (finish && labelOf(finish, row)) ?? "",
    temperature === undefined ? "" : formatNumber(temperature),
  ];
}

/** How many names there are; rows without one are in none. */
function differing(names: readonly (string | null)[]): string {
  const { size } = new Set(names.filter((name) => name !== null));
  return size === 0 ? "none" : String(size);
}

function summary(values: Distribution | undefined): string {
  if (!values) return "none";
  const { least, median, mean, most } = values;
  return `least ${formatNumber(least)}, median ${formatNumber(median)}, mean ${formatNumber(mean)}, most ${formatNumber(most)}`;
}

function columns(given: readonly (readonly string[])[]): string[] {
  // A file may say anything: no part of it writes to a terminal but as text.
  const lines = given.map((line) => line.map(inertText));
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
