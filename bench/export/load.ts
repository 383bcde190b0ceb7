import { writeFileSync } from "node:fs";
import { type BatchOptions, batchOptionsSchema } from "../../src/session/batch/batch-options.js";
import { Session } from "../../src/session/session.js";
import {
  type ChannelInput,
  LocalSession,
  type StoreExportOptions,
  TrajectoryStore,
} from "../../src/session/trajectory-store.js";
import { sized } from "../kit/sized.js";

/** One model call: the tokens that its prompt adds to the sequence before it (`tail`), and the output. */
export interface Turn {
  readonly tail: Int32Array;
  readonly output: Int32Array;
  /** Log probability of each output token, in nats. */
  readonly logprobs: Float32Array;
  /** Weight version of the whole output. */
  readonly version: number;
  /** Number of characters in the texts of the call's new messages. */
  readonly text: number;
}

/** A linear conversation; the last call is rewarded with 1. */
export type Conversation = readonly Turn[];

export interface LoadShape {
  readonly sessions: number;
  readonly turns: number;
  /** Tokens of the whole conversation. Every turn adds the same number, of which a varying part is output. */
  readonly tokens: number;
  /** Characters of message text per token. 0: messages have a few characters. */
  readonly charactersPerToken?: number;
}

/** The load of an agent run: 64 sessions × 16 turns growing to 16K tokens, 8.9 M tokens in `individual` rows. */
export const AGENT_RUN = sized<LoadShape>(
  { sessions: 64, turns: 16, tokens: 16_384 },
  { sessions: 4, turns: 4, tokens: 512 },
);
/** Number of workers that share {@link AGENT_RUN}. */
export const WORKERS = 4;
/** The load of one of them. */
export const WORKER_RUN: LoadShape = { ...AGENT_RUN, sessions: AGENT_RUN.sessions / WORKERS };
export const DISCOUNT = 0.9;
const RECORDED_AT = Date.UTC(2026, 0, 1);
/** Size of Qwen3's vocabulary. */
const VOCABULARY = 151_936;

/** Returns conversations that are the same in every process. */
export function makeLoad({ sessions, turns, tokens, charactersPerToken = 0 }: LoadShape): Conversation[] {
  let state = 20_240_229;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
  const share = Math.floor(tokens / turns);
  return Array.from({ length: sessions }, () =>
    Array.from({ length: turns }, (_, turn) => {
      const outputs = Math.floor(share / 4) + (next() % Math.max(1, Math.floor(share / 2)));
      return {
        tail: Int32Array.from({ length: share - outputs }, () => next() % VOCABULARY),
        output: Int32Array.from({ length: outputs }, () => next() % VOCABULARY),
        logprobs: Float32Array.from({ length: outputs }, () => -next() / 2 ** 30),
        version: turn >> 2,
        text: Math.floor((share * charactersPerToken) / 2),
      };
    }),
  );
}

/** Records conversations like a trainer bridge and ends the sessions. Returns the ids of the sessions. */
export function record(store: TrajectoryStore, load: readonly Conversation[]): string[] {
  return load.map((conversation, index) => {
    const sessionId = `task-${index}`;
    recordConversation(store.createSession({ sessionId }), conversation);
    return sessionId;
  });
}

/** @param channelsOf returns the channels of a call, for prompt and output together. Default: none */
export function recordConversation(
  session: LocalSession,
  conversation: Conversation,
  channelsOf?: (sequence: Int32Array) => readonly ChannelInput[],
): void {
  const messages: { role: "user" | "assistant"; content: string }[] = [];
  let sequence = new Int32Array(0);
  for (const [turn, { tail, output, logprobs, version, text }] of conversation.entries()) {
    messages.push({ role: "user", content: messageText(`${session.id}, turn ${turn}`, text) });
    const answer = { role: "assistant" as const, content: messageText(`answer ${turn}`, text) };
    const promptIds = joined(sequence, tail);
    atFixedTime(() =>
      session.record({
        messages: [...messages],
        output: answer,
        promptIds,
        outputIds: output,
        logprobs,
        versions: version,
        ...(channelsOf && { channels: channelsOf(joined(promptIds, output)) }),
        finishReason: "stop",
        interactionId: `${session.id}-turn-${turn}`,
      }),
    );
    messages.push(answer);
    sequence = joined(promptIds, output);
  }
  session.setReward(1);
  session.end();
}

/** Runs `work` at a fixed time. Batches contain the time of each call, so otherwise they would differ between processes. */
function atFixedTime(work: () => void): void {
  const { now } = Date;
  Date.now = () => RECORDED_AT;
  try {
    work();
  } finally {
    Date.now = now;
  }
}

export function recordedStore(load: readonly Conversation[]): { store: TrajectoryStore; ids: string[] } {
  const store = new TrajectoryStore();
  return { store, ids: record(store, load) };
}

function joined(first: Int32Array, second: Int32Array): Int32Array<ArrayBuffer> {
  const both = new Int32Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** Returns a new string that shares no memory with other messages. */
function messageText(start: string, characters: number): string {
  return Buffer.from(start.padEnd(characters, " lorem ipsum dolor sit amet")).toString("latin1");
}

/** Records {@link AGENT_RUN} in sessions of their own, without a store. */
export function recordAgentRun(): Session[] {
  return makeLoad(AGENT_RUN).map((conversation, index) => {
    const session = new Session({ id: `task-${index}`, taskId: "task" });
    recordConversation(new LocalSession(session), conversation);
    return session;
  });
}

/** Returns options of an export. */
export function batchOptions(options: Readonly<Record<string, unknown>> = {}): BatchOptions {
  return batchOptionsSchema.parse({ discount: DISCOUNT, ...options });
}

/** Returns the same for an export that keeps its sessions, so that it can be repeated. */
export function exportOptions(options: Readonly<Record<string, unknown>> = {}): StoreExportOptions {
  return { ...batchOptions(options), release: false };
}

/**
 * Writes conversations to a file for a program in another language. All values are little endian: int32, and float32 for log
 * probabilities. The file has the number of sessions, then for each session the number of turns, and for each turn the length of the
 * tail, the length of the output, the weight version, the ids of the tail, the ids of the output, and the log probabilities.
 */
export function writeLoad(path: string, load: readonly Conversation[]): void {
  const parts: NodeJS.ArrayBufferView[] = [Int32Array.of(load.length)];
  for (const conversation of load) {
    parts.push(Int32Array.of(conversation.length));
    for (const { tail, output, logprobs, version } of conversation) {
      parts.push(Int32Array.of(tail.length, output.length, version), tail, output, logprobs);
    }
  }
  const bytes = parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength));
  writeFileSync(path, Buffer.concat(bytes));
}
