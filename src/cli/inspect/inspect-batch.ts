import { type MetadataRow, readRows } from "../../batch-file/batch-rows.js";
import type { Header } from "../../support/safetensors/read-header.js";
import type { TensorFile } from "../../support/safetensors/tensor-file.js";
import { type BatchFindings, readFindings } from "./batch-findings.js";
import { type InspectedColumns, readRowColumns } from "./columns.js";
import { readEpisodes } from "./episodes.js";

/** The content of a batch, read from its header and its tensors. */
export interface InspectedBatch {
  readonly header: Header;
  readonly byteLength: number;
  /** Empty if the file is not a batch of Rolltape. */
  readonly rows: readonly MetadataRow[];
  /** Discounted rewards, by row or by node of a tree. */
  readonly rewards: readonly number[];
  /** Sum of the rewards that the agent returned for each episode, without discount. Empty if the file has no row tensors. */
  readonly episodeRewards: readonly number[];
  /** Number of tokens in the loss. */
  readonly lossTokens: number;
  /** Number of sampled tokens by weight version. */
  readonly versions: ReadonlyMap<number, number>;
  /** Empty if the file has no row tensors. */
  readonly columns: InspectedColumns;
  readonly findings: BatchFindings;
}

export async function inspectBatch(file: TensorFile): Promise<InspectedBatch> {
  const { header, byteLength } = file;
  const rewards: number[] = [];
  for (const name of ["rewards", "node_rewards"]) {
    for await (const piece of file.numbers(name)) for (const reward of piece) rewards.push(reward);
  }
  let lossTokens = 0;
  for await (const piece of file.numbers("loss_mask")) for (const each of piece) lossTokens += each;
  const rows = readRows(header);
  const columns = await readRowColumns(file, rows.length);
  const findings = await readFindings(file, rows);
  const versions = await countVersions(file);
  const episodeRewards = [...readEpisodes(rows, columns).values()].map(({ reward }) => reward);
  return { header, byteLength, rows, rewards, episodeRewards, lossTokens, versions, columns, findings };
}

/** Counts sampled tokens by version. Positions that are not sampled have version -1. */
async function countVersions(file: TensorFile): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  for await (const piece of file.numbers("versions")) {
    for (const version of piece) if (version >= 0) counts.set(version, (counts.get(version) ?? 0) + 1);
  }
  return new Map([...counts].toSorted(([a], [b]) => a - b));
}
