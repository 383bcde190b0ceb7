import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { type StoreExportOptions, TrajectoryStore } from "../../src/session/trajectory-store.js";
import type { BatchLine, EpisodeLine, RunLine, TranscriptInteraction } from "../../src/transcript/format.js";
import { toIndexLine } from "../../src/transcript/summarize.js";

export interface RunSize {
  readonly episodes: number;
  readonly turns: number;
  readonly episodesPerBatch: number;
  readonly shards: number;
  /** Prompt tokens that a turn adds, and tokens of its answer. */
  readonly tokens: readonly [prompt: number, answer: number];
}

const TREE: StoreExportOptions = { layout: "tree" };

/** Sessions have ids of one length, so that the ids in a header can be replaced without moving anything. */
const sessionId = (episode: number) => `session-${String(episode).padStart(7, "0")}`;
const interactionId = (turn: number) => `interaction-${String(turn).padStart(4, "0")}`;

const QUESTION =
  "The tool returned three rows. Compare them with the table above, and say which one differs and why. ".repeat(2);
const ANSWER = "I compare the columns one by one: the first two agree, and the third has another unit. ".repeat(2);

/**
 * Writes a job's files into a folder: tree batches in shards, and a transcript with its index. One batch is recorded and packed; the
 * others are copies with other ids. Returns the path of the transcript.
 */
export async function generateRun(folder: string, size: RunSize): Promise<string> {
  const shards = await recordBatch(size);
  const path = join(folder, "run.safetensors.jsonl");
  const [transcript, index] = [createWriteStream(path), createWriteStream(`${path}.index`)];
  let offset = 0;
  const write = async (line: RunLine | BatchLine | EpisodeLine) => {
    const text = JSON.stringify(line);
    const length = Buffer.byteLength(text);
    index.write(`${JSON.stringify(toIndexLine(line, { offset, length }))}\n`);
    offset += length + 1;
    if (!transcript.write(`${text}\n`)) await once(transcript, "drain");
  };
  await write({
    type: "run",
    format: 1,
    started_at: 1_700_000_000,
    model: "bench",
    tasks: size.episodes,
    group_size: 1,
  });
  const interactions = describeTurns(size);
  for (let first = 0, number = 0; first < size.episodes; first += size.episodesPerBatch, number++) {
    const count = Math.min(size.episodesPerBatch, size.episodes - first);
    for (let episode = first; episode < first + count; episode++)
      await write(describeEpisode(episode, number, interactions));
    for (const [shard, { header, tensors, sessions }] of shards.entries()) {
      const file = `run-${String(number).padStart(5, "0")}.${shard}.safetensors`;
      await writeShard(join(folder, file), replaceIds(header, sessions, first), tensors);
      const ids = sessions.map((session) => sessionId(first + session)).filter((_, i) => (sessions[i] ?? 0) < count);
      await write({ type: "batch", number, file, version: number, at: 1_700_000_000 + number, session_ids: ids });
    }
  }
  for (const stream of [transcript, index]) {
    stream.end();
    await finished(stream);
  }
  return path;
}

interface Shard {
  readonly header: Buffer;
  readonly tensors: Buffer;
  /** Positions of its sessions in the batch. */
  readonly sessions: readonly number[];
}

async function recordBatch({ episodesPerBatch, turns, shards, tokens: [question, answer] }: RunSize): Promise<Shard[]> {
  const store = new TrajectoryStore();
  const ids = Array.from({ length: episodesPerBatch }, (_, episode) => sessionId(episode));
  for (const id of ids) {
    const session = store.createSession({ sessionId: id });
    const messages: { role: "user" | "assistant"; content: string }[] = [];
    const sequence: number[] = [];
    for (let turn = 0; turn < turns; turn++) {
      messages.push({ role: "user", content: `${turn}: ${QUESTION}` });
      for (let i = 0; i < question; i++) sequence.push((turn * 31 + i * 7) % 50_000);
      const outputIds = Int32Array.from({ length: answer }, (_, i) => (turn * 17 + i * 13) % 50_000);
      const output = { role: "assistant" as const, content: ANSWER };
      session.record({
        messages: [...messages],
        output,
        promptIds: Int32Array.from(sequence),
        outputIds,
        logprobs: new Float32Array(answer).fill(-0.5),
        versions: 0,
        finishReason: "stop",
        interactionId: interactionId(turn),
      });
      messages.push(output);
      sequence.push(...outputIds);
    }
    session.setSessionReward(1);
    session.end();
  }
  const batches = await store.exportShards(ids, { ...TREE, shards });
  return batches.map((batch) => {
    const bytes = Buffer.from(batch.bytes);
    const end = 8 + Number(bytes.readBigUInt64LE(0));
    const sessions = [...new Set(batch.rows.map((row) => ids.indexOf(row.sessionId)))];
    return { header: bytes.subarray(0, end), tensors: bytes.subarray(end), sessions };
  });
}

function replaceIds(header: Buffer, sessions: readonly number[], first: number): Buffer {
  if (first === 0) return header;
  const ids = new Map(sessions.map((session) => [sessionId(session), sessionId(first + session)]));
  const text = header.toString("latin1").replace(/session-\d{7}/g, (id) => ids.get(id) ?? id);
  return Buffer.from(text, "latin1");
}

async function writeShard(path: string, header: Buffer, tensors: Buffer): Promise<void> {
  await writeFile(path, header);
  const file = await open(path, "a");
  await file.writeFile(tensors);
  await file.close();
}

function describeTurns({ turns, tokens: [question, answer] }: RunSize): TranscriptInteraction[] {
  const whole = question + answer;
  return Array.from({ length: turns }, (_, turn) => ({
    id: interactionId(turn),
    parent: turn - 1,
    kept: turn === 0 ? 0 : turn * 2,
    messages: [{ role: "user", content: `${turn}: ${QUESTION}` }],
    answer: { role: "assistant", content: ANSWER },
    finish_reason: "stop",
    api: "chat.completions",
    created_at: 1_700_000_000 + turn,
    latency: 1.25,
    prompt_tokens: turn * whole + question,
    completion_tokens: answer,
    shared_tokens: turn * whole,
    versions: [0, 0],
    token_exact: true,
    reward: 1,
  }));
}

function describeEpisode(
  episode: number,
  version: number,
  interactions: readonly TranscriptInteraction[],
): EpisodeLine {
  return {
    type: "episode",
    session_id: sessionId(episode),
    task: episode,
    task_id: `task-${episode >> 3}`,
    group_id: `group-${episode >> 3}`,
    accepted: true,
    version,
    started_at: 1_700_000_000 + episode,
    duration: 80,
    session_reward: (episode % 8) / 8,
    interactions,
  };
}
