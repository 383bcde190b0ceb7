import { createHash } from "node:crypto";
import { Slices } from "../../../support/async/run-steps.js";
import type { Steps } from "../../../support/async/steps.js";
import type { BatchOrigin } from "../../batch/batch-metadata.js";
import { NOTHING_RESPELLED, type RecordedInteraction } from "../../recorded-interaction.js";
import type { Session } from "../../session.js";
import type { SessionSummary } from "../../session-summary.js";
import { summarizeSession } from "../../session-transcript.js";
import { encodeImages } from "../image-record.js";
import { encodeInteraction, type OwnMessages, type StoredInteraction, toStoredImages } from "../interaction-record.js";
import { encodeOutcome } from "../outcome-record.js";
import { encodeFrameHeader, encodeStart, type Frame, FrameCount, type FrameKind } from "./frames.js";
import type { OriginRecord, SessionRecord, ToolsRecord } from "./records.js";

/** Size of the chunks of a file. Smaller frames are copied into one chunk, because each write to a socket costs more than the copy. */
const CHUNK_BYTES = 1 << 18;

export interface WriteOptions {
  /**
   * Leaves out what a batch does not need: messages, tools and template arguments. The records of a session are then the same until its
   * data changes, also after its export. Default: false.
   */
  readonly forBatch?: boolean;
  /** Writes each session as if it had not been exported, so that an export does not change its records. Default: like `forBatch`. */
  readonly asEnded?: boolean;
}

/**
 * Yields a sessions file in chunks. Each session is read when its turn comes, in slices of the event loop. Sessions must not change or be
 * freed until the last chunk.
 *
 * @param origin the server that recorded the sessions
 */
export async function* writeSessions(
  sessions: Iterable<Session>,
  origin?: BatchOrigin,
  options: WriteOptions = {},
): AsyncGenerator<Buffer> {
  yield* writeFrames(inSlices(toFrames(sessions, origin, options)));
}

/** Yields the same values, each made in a slice of the event loop. Where there is no value yet, the slice may end. */
async function* inSlices<Value>(values: Iterator<Value | void>): AsyncGenerator<Value> {
  const slices = new Slices();
  for (;;) {
    const { done, value } = await slices.run(nextOf(values));
    if (done) return;
    if (value !== undefined) yield value as Value;
  }
}

function* nextOf<Value>(values: Iterator<Value>): Steps<IteratorResult<Value, unknown>> {
  const next = values.next();
  yield;
  return next;
}

/**
 * Yields a file with these frames in chunks. Skips frames of kinds `origin` and `tools` that the file already has.
 *
 * @param frames of one file, or of several files, in the order of their sessions
 */
export async function* writeFrames(frames: AsyncIterable<Frame>): AsyncGenerator<Buffer> {
  const slices = new Slices();
  const count = new FrameCount();
  const known = new Set<string>();
  let chunk: Buffer[] = [encodeStart()];
  let length = 0;
  for await (const frame of frames) {
    if (isShared(frame.kind)) {
      const key = digest(frame.payload);
      if (known.has(key)) continue;
      known.add(key);
    }
    const header = await slices.run(encodeFrameHeader(frame));
    count.add(frame.kind, header);
    chunk.push(header, frame.payload);
    length += frame.payload.length;
    if (length < CHUNK_BYTES) continue;
    yield* joinSmall(chunk);
    [chunk, length] = [[], 0];
  }
  const end: Frame = { kind: "end", payload: count.encode() };
  yield Buffer.concat([...chunk, await slices.run(encodeFrameHeader(end)), end.payload]);
}

/** Returns true for kinds of frames that several sessions use. */
const isShared = (kind: FrameKind): boolean => kind === "origin" || kind === "tools";

/** Yields the pieces of a chunk as one buffer. A large last piece is not copied and comes by itself. */
function* joinSmall(pieces: readonly Buffer[]): Generator<Buffer> {
  const last = pieces.at(-1);
  if (!last || last.length < CHUNK_BYTES) return yield Buffer.concat(pieces);
  yield Buffer.concat(pieces.slice(0, -1));
  yield last;
}

function* toFrames(
  sessions: Iterable<Session>,
  origin: BatchOrigin | undefined,
  { forBatch = false, asEnded = forBatch }: WriteOptions,
): Generator<Frame | void> {
  const key = origin && digest(JSON.stringify(origin)).slice(0, 32);
  if (origin && key !== undefined) yield toJson<OriginRecord>("origin", { key, ...origin });
  const tools = new Set<string>();
  for (const session of sessions) {
    if (!forBatch) yield* toolFrames(session, tools);
    const interactions = forBatch ? undefined : yield* summarizeSession(session);
    yield toJson<SessionRecord>("session", { origin: key, summary: summarize(session, asEnded), interactions });
    for (let index = 0; index < session.interactionCount; index++) {
      const stored = forBatch ? toStoredFacts(session, index) : session.data.toStored(session.interaction(index));
      yield { kind: "interaction", payload: encodeInteraction(stored) };
    }
    for (let index = 0; index < session.interactionCount; index++) {
      const added = session.tokens.serializeAdded(index);
      if (added) yield { kind: "channels", payload: added };
    }
    for (const file of session.data.images) yield { kind: "images", payload: encodeImages([file]) };
    const outcomes = Array.from({ length: session.interactionCount }, (_, index) =>
      encodeOutcome(session.data.readOutcome(index)),
    );
    yield { kind: "outcomes", payload: Buffer.concat(outcomes) };
  }
}

/** Returns the summary with the interactions that exports leave out. If no export has decided on them, the file does. */
function summarize(session: Session, asEnded: boolean): SessionSummary {
  const summary = { ...session.summarize(), leftOut: session.chooseLeftOut() };
  return asEnded ? { ...summary, state: "ended", held: false, acknowledged: false } : summary;
}

/** @param written keys of the tool lists that the file already has. Adds those of the session */
function* toolFrames(session: Session, written: Set<string>): Generator<Frame> {
  for (let index = 0; index < session.interactionCount; index++) {
    const interaction = session.interaction(index);
    const { toolsKey: key } = interaction;
    if (key === "" || written.has(key)) continue;
    written.add(key);
    const text = session.data.readTools(interaction);
    if (text !== undefined) yield toJson<ToolsRecord>("tools", { key, text });
  }
}

/** The values of an interaction that are texts, or have their own place in a record. */
const NO_FACTS: ReadonlySet<string> = new Set([
  "index",
  "parent",
  "tokenExact",
  "images",
  "templateArgs",
  "input",
  "output",
]);
const NO_MESSAGES: OwnMessages = { input: { inherited: 0, respelled: NOTHING_RESPELLED, added: [] }, output: [] };

/** Returns an interaction without texts. Those of a restored session are not read from disk. */
function toStoredFacts(session: Session, index: number): StoredInteraction {
  const interaction = session.interaction(index);
  const { images, parent } = interaction;
  const facts: Record<string, unknown> = {};
  for (const name of Object.keys(interaction)) {
    if (!NO_FACTS.has(name)) facts[name] = interaction[name as keyof RecordedInteraction];
  }
  return {
    native: session.tokens.serialize(index),
    facts: facts as unknown as StoredInteraction["facts"],
    images: toStoredImages(images, parent < 0 ? undefined : session.interaction(parent).images),
    messages: () => NO_MESSAGES,
    objectBytes: 0,
    templateArgs: undefined,
    request: undefined,
  };
}

const digest = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");

function toJson<Value>(kind: FrameKind, value: Value): Frame {
  return { kind, payload: Buffer.from(JSON.stringify(value)) };
}
