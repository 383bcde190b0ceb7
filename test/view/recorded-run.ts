import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type ChannelInput, type StoreExportOptions, TrajectoryStore } from "../../src/session/trajectory-store.js";
import type { Dtype } from "../../src/support/safetensors/dtype.js";
import { readHeader } from "../../src/support/safetensors/read-header.js";
import { encodeHeader } from "../../src/support/safetensors/write-header.js";
import type { EpisodeLine, TranscriptInteraction } from "../../src/transcript/format.js";
import { encode, episode, interaction, RUN } from "../transcript/lines.js";

/** A recorded call: its whole sequence as the engine had it. */
export interface TrueCall {
  readonly prompt: readonly number[];
  readonly output: readonly number[];
  readonly logprobs: readonly number[];
  readonly version: number;
}

/** Creates a folder that is removed when the test ends. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-view-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const sampled = (output: readonly number[], version: number) => ({
  output,
  version,
  logprobs: output.map((id) => -Math.fround(id / 100)),
});

/**
 * The calls of each session: a root, a turn that continues it exactly, a turn that continues that one, a turn whose prompt
 * differs from its parent's tokens, and a second branch from the root.
 */
export function trueCalls(base: number): readonly TrueCall[] {
  const id = (n: number) => base + n;
  const root = { prompt: [1, 2, 3, 4].map(id), ...sampled([5, 6].map(id), 0) };
  const second = { prompt: [1, 2, 3, 4, 5, 6, 7, 8].map(id), ...sampled([9, 10, 11].map(id), 1) };
  const third = { prompt: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map(id), ...sampled([13].map(id), 1) };
  const broken = { prompt: [1, 2, 3, 4, 5, 6, 7, 8, 9, 70, 71, 12, 13, 14].map(id), ...sampled([15, 16].map(id), 2) };
  const branch = { prompt: [1, 2, 3, 4, 5, 6, 30].map(id), ...sampled([31, 32].map(id), 2) };
  return [root, second, third, broken, branch];
}

/** A row of several turns has the temperature of its last one, so each turn has its own. */
export const temperatureOf = (index: number): number => (index + 1) / 4;

const PARENTS = [-1, 0, 1, 2, 0];
const SHARED = [0, 6, 11, 9, 6];

function sessionEpisode(sessionId: string, task: number, calls: readonly TrueCall[]): EpisodeLine {
  const interactions = calls.map((call, index): TranscriptInteraction => {
    const parent = PARENTS[index] ?? -1;
    return interaction({
      id: `${sessionId}-${index}`,
      parent,
      kept: parent < 0 ? 0 : 2,
      messages: [{ role: "user", content: `Question ${index} of ${sessionId}` }],
      answer: { role: "assistant", content: `Answer ${index}` },
      prompt_tokens: call.prompt.length,
      completion_tokens: call.output.length,
      shared_tokens: SHARED[index] ?? 0,
      token_exact: index !== 3,
      ...(index === 3 && { cause: "rerendered" }),
      versions: [call.version, call.version],
      sampling: { temperature: temperatureOf(index) },
      reward: 1,
    });
  });
  return episode({ session_id: sessionId, task, task_id: `task-${task}`, interactions, session_reward: 1 });
}

export interface RecordedRun {
  readonly folder: string;
  readonly transcript: string;
  readonly calls: ReadonlyMap<string, readonly TrueCall[]>;
  readonly episodes: readonly EpisodeLine[];
}

export type RecordRunOptions = StoreExportOptions & {
  readonly shards?: number;
  /** Items of channels that a call records. */
  readonly channels?: (call: TrueCall) => readonly ChannelInput[];
  /** Metadata that only servers write into batches. */
  readonly metadata?: Readonly<Record<string, string>>;
};

/** Records two sessions, and writes their batch, in shards if there are several, and a transcript. */
export async function recordRun({ channels, metadata, ...options }: RecordRunOptions = {}): Promise<RecordedRun> {
  const folder = testFolder();
  const store = new TrajectoryStore();
  const calls = new Map(["s-0", "s-1"].map((id, i) => [id, trueCalls(100 * (i + 1))]));
  for (const [sessionId, recorded] of calls) {
    const session = store.createSession({ sessionId, taskId: "task" });
    const history: { role: "user" | "assistant"; content: string }[][] = [];
    recorded.forEach((call, index) => {
      const { prompt, output, logprobs, version } = call;
      const before = history[PARENTS[index] ?? -1] ?? [];
      const messages = [...before, { role: "user" as const, content: `Question ${index} of ${sessionId}` }];
      const answer = { role: "assistant" as const, content: `Answer ${index}` };
      history.push([...messages, answer]);
      session.record({
        messages,
        output: answer,
        promptIds: Int32Array.from(prompt),
        outputIds: Int32Array.from(output),
        logprobs: Float32Array.from(logprobs),
        versions: version,
        finishReason: "stop",
        interactionId: `${sessionId}-${index}`,
        sampling: { temperature: temperatureOf(index) },
        ...(channels && { channels: channels(call) }),
      });
    });
    session.setSessionReward(1);
    session.end();
  }
  const episodes = [...calls].map(([id, recorded], task) => sessionEpisode(id, task, recorded));
  const { shards = 1, ...rest } = options;
  const batches =
    shards > 1
      ? await store.exportShards([...calls.keys()], { ...rest, shards })
      : [await store.exportBatch([...calls.keys()], rest)];
  const lines = batches.map((batch, i) => {
    const file = shards > 1 ? `batch.${i}.safetensors` : "batch.safetensors";
    writeFileSync(join(folder, file), addMetadata(batch.bytes, metadata));
    const ids = [...new Set(batch.rows.map(({ sessionId }) => sessionId))];
    return { type: "batch" as const, number: 0, file, version: 2, at: 1010, session_ids: ids };
  });
  const { transcript, index } = encode([RUN, ...episodes, ...lines]);
  const path = join(folder, "batch.safetensors.jsonl");
  writeFileSync(path, transcript);
  writeFileSync(`${path}.index`, index);
  return { folder, transcript: path, calls, episodes };
}

/** Returns a safetensors file with further metadata. */
function addMetadata(file: Uint8Array, added: RecordRunOptions["metadata"] = {}): Uint8Array {
  const { metadata, tensors } = readHeader(file);
  const specs = tensors.map(({ name, dtype, shape }) => ({ name, dtype: dtype as Dtype, shape }));
  const data = tensors.map(({ start, end }) => file.subarray(start, end));
  return Buffer.concat([encodeHeader(specs, { ...metadata, ...added }), ...data]);
}

/** Returns the tokens that a call adds to its parent. */
export function ownTokens(calls: readonly TrueCall[], index: number): number[] {
  const { prompt = [], output = [] } = calls[index] ?? {};
  return [...prompt, ...output].slice(SHARED[index]);
}
