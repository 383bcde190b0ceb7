import type { MetadataRow } from "../../batch-file/batch-rows.js";
import { makeInert } from "../../support/inert-text.js";
import type { Header } from "../../support/safetensors/read-header.js";
import { countLabels, type InspectedColumn, readLabel } from "./columns.js";
import { describeColumns } from "./describe-columns.js";
import type { InspectedBatch } from "./inspect-batch.js";
import { describeMetadata } from "./metadata.js";
import { countBins, type Distribution, formatFloat, summarizeNumbers } from "./numbers.js";
import { listWarnings } from "./warnings.js";

const BINS = 10;
const BAR_CHARACTERS = 40;

/**
 * Returns what `rolltape inspect` prints.
 *
 * @param listed number of rows to list one by one
 */
export function describeBatch(file: string, batch: InspectedBatch, listed: number): string {
  const sections = [
    [`${file}, ${batch.byteLength} bytes`],
    batch.rows.length > 0 ? [...totals(batch), "", ...lengths(batch.rows)] : [],
    tensors(batch.header),
    metadata(batch.header),
    rowColumns(batch),
    listed > 0 ? rowList(batch, listed) : [],
    listWarnings(batch).map((warning) => `warning: ${warning}`),
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

function totals({ rows, rewards, episodeRewards, lossTokens, versions, columns: all }: InspectedBatch): string[] {
  const tokens = rows.reduce((total, { length }) => total + length, 0);
  const sampled = [...versions].map(([version, count]) => `${version} (${count} tokens)`).join(", ");
  return columns([
    ["sessions", countDistinct(rows.map(({ session_id }) => session_id))],
    ["tasks", countDistinct(rows.map(({ task_id }) => task_id))],
    ["groups", countDistinct(rows.map(({ group_id }) => group_id))],
    ["rows", String(rows.length)],
    ...describeBroken(all.get("cause"), rows.length),
    ["tokens", `${tokens}, ${lossTokens} of them in the loss`],
    ["versions", sampled === "" ? "none" : sampled],
    ...(episodeRewards.length > 0 ? [["rewards", `${describeRewards(episodeRewards)}, by episode`]] : []),
    ["row rewards", rewards.length > 0 ? `${describeRewards(rewards)}, discounted` : "none"],
    ["lengths", describeSummary(summarizeNumbers(rows.map(({ length }) => length)))],
  ]);
}

/** Describes the rows whose first prompt does not begin with its parent's tokens, by cause. */
function describeBroken(causes: InspectedColumn | undefined, rows: number): string[][] {
  const counts = [...countLabels(causes)].toSorted(([, a], [, b]) => b - a);
  if (counts.length === 0) return [];
  const broken = counts.reduce((sum, [, count]) => sum + count, 0);
  const share = `${((100 * broken) / rows).toFixed(1)} %`;
  const byCause = counts.map(([cause, count]) => `${cause} (${count})`).join(", ");
  return [["not token-exact", `${broken} rows, ${share}: ${byCause}`]];
}

function lengths(rows: readonly MetadataRow[]): string[] {
  const bins = countBins(
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
    const rewardText = reward === undefined ? "" : formatFloat(reward);
    const details = described ? describeRow(all, row) : [];
    return [session_id, interaction_id, String(length), rewardText, ...details, task_id ?? "", group_id ?? ""];
  });
  const details = described ? ["own reward", "finish", "temperature"] : [];
  return columns([["session", "interaction", "tokens", "row reward", ...details, "task", "group"], ...lines]);
}

function describeRow(all: InspectedBatch["columns"], row: number): string[] {
  const [hasReward, reward, temperature] = (["has_reward", "own_reward", "temperature"] as const).map(
    (name) => all.get(name)?.values[row],
  );
  const finish = all.get("finish_reason");
  return [
    hasReward === 1 && reward !== undefined ? formatFloat(reward) : "",
    (finish && readLabel(finish, row)) ?? "",
    temperature === undefined ? "" : formatFloat(temperature),
  ];
}

/** Returns the number of distinct names. Rows without a name are not counted. */
function countDistinct(names: readonly (string | null)[]): string {
  const { size } = new Set(names.filter((name) => name !== null));
  return size === 0 ? "none" : String(size);
}

const describeRewards = (rewards: readonly number[]): string => describeSummary(summarizeNumbers(rewards));

function describeSummary(values: Distribution | undefined): string {
  if (!values) return "none";
  const { min, median, mean, max } = values;
  return `min ${formatFloat(min)}, median ${formatFloat(median)}, mean ${formatFloat(mean)}, max ${formatFloat(max)}`;
}

function columns(table: readonly (readonly string[])[]): string[] {
  // A file may contain any text, so control sequences of a terminal are removed.
  const lines = table.map((line) => line.map(makeInert));
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
