/** What the demo prints: read back from the file that it wrote, as a trainer would. */
export interface DemoResult {
  /** A safetensors file. */
  readonly batch: Uint8Array;
  readonly file: string;
  /** Own reward of each episode's last turn. */
  readonly rewards: readonly number[];
  readonly discount: number;
  readonly seconds: number;
}

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

interface Row {
  readonly session_id: string;
  readonly interaction_id: string;
  readonly length: number;
}

export function report(result: DemoResult): string {
  const { entries, metadata, data } = readHeader(result.batch);
  const rows = JSON.parse(metadata["rows"] ?? "[]") as Row[];
  const finalRewards = floats(data, entries["rewards"]);
  const mask = ints(data, entries["loss_mask"]);
  const bySession = groupBySession(rows);

  const tokens = rows.reduce((sum, row) => sum + row.length, 0);
  const sampled = mask.reduce((sum, value) => sum + value, 0);
  const lines = [
    "",
    `episodes  ${bySession.size}`,
    `turns     ${rows.length}`,
    `tokens    ${tokens} exported, ${sampled} of them sampled`,
    "",
    `episode      turns  reward  after discount ${result.discount}, first turn to last`,
  ];
  let row = 0;
  [...bySession].forEach(([session, turns], episode) => {
    const final = turns.map(() => (finalRewards[row++] ?? 0).toFixed(3)).join("  ");
    const own = (result.rewards[episode] ?? 0).toFixed(3);
    lines.push(`${session.padEnd(12)} ${String(turns.length).padStart(5)}  ${own.padStart(6)}  ${final}`);
  });
  lines.push("", "tensor          dtype  shape");
  for (const [name, { dtype, shape }] of Object.entries(entries)) {
    lines.push(`${name.padEnd(15)} ${dtype.padEnd(5)}  [${shape.join(", ")}]`);
  }
  lines.push("", `wrote ${result.file}, ${result.batch.byteLength} bytes, in ${result.seconds.toFixed(1)} s`);
  return lines.join("\n");
}

function readHeader(file: Uint8Array) {
  const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const { __metadata__: metadata, ...entries } = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length))) as {
    __metadata__: Record<string, string>;
  } & Record<string, Entry>;
  return { metadata, entries: entries as Record<string, Entry>, data: file.slice(8 + length).buffer };
}

function floats(data: ArrayBuffer, entry: Entry | undefined): Float32Array {
  return entry ? new Float32Array(data.slice(...entry.data_offsets)) : new Float32Array();
}

function ints(data: ArrayBuffer, entry: Entry | undefined): Int32Array {
  return entry ? new Int32Array(data.slice(...entry.data_offsets)) : new Int32Array();
}

function groupBySession(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(row.session_id, [...(groups.get(row.session_id) ?? []), row]);
  return groups;
}
