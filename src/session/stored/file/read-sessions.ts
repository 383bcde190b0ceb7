import type { z } from "zod";
import { Slices } from "../../../support/async/run-steps.js";
import { runAtOnce, type Steps } from "../../../support/async/steps.js";
import type { BatchOrigin } from "../../batch/batch-metadata.js";
import type { Session } from "../../session.js";
import { type ImageBytes, ImagePool } from "../../session-images.js";
import { ToolLists } from "../../tool-lists.js";
import { decodeImages } from "../image-record.js";
import { decodeInteraction, type StoredInteraction } from "../interaction-record.js";
import { loadSession, restoreSession, type SharedParts } from "../load-session.js";
import { decodeOutcome, OUTCOME_BYTES } from "../outcome-record.js";
import { damaged } from "./errors.js";
import { type Frame, readFrames } from "./frames.js";
import { originRecord, type SessionRecord, sessionRecord, toolsRecord } from "./records.js";

/** A session of a file, restored like a session of a storage folder. */
export interface FileSession {
  readonly session: Session;
  /** The server that recorded it; undefined if no server did. */
  readonly origin: BatchOrigin | undefined;
}

/** A session without its data, and the summary of its interactions. */
export interface FileHead extends FileSession, Pick<SessionRecord, "interactions"> {}

/** The frames of a session, and the frames of kinds `origin` and `tools` that come before it. */
export interface SessionFrames {
  readonly id: string;
  readonly frames: readonly Frame[];
}

/**
 * Yields the frames of each session of a file.
 *
 * @param chunks the bytes of the file
 * @param name of the file, for errors
 * @throws SessionsFileError if it is no sessions file, of another format, or damaged
 */
export async function* readSessionFrames(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<SessionFrames> {
  let frames: Frame[] = [];
  for await (const frame of readFrames(chunks, name)) {
    frames.push(frame);
    if (frame.kind !== "outcomes") continue;
    const head = frames.find(({ kind }) => kind === "session");
    if (!head) throw damaged(name, "a session has no summary");
    yield { id: readJson(head, sessionRecord, name).summary.id, frames };
    frames = [];
  }
  if (frames.length > 0) throw damaged(name, "its last session is incomplete");
}

/**
 * Yields the sessions of a file.
 *
 * @param isChosen returns true for the sessions to restore. Default: all
 * @throws SessionsFileError if it is no sessions file, of another format, or damaged
 * @throws DamagedSessionError if the data of a session cannot be restored
 */
export async function* readSessions(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  isChosen: (id: string) => boolean = () => true,
): AsyncGenerator<FileSession> {
  const origins = new Map<string, BatchOrigin>();
  const shared = { toolLists: new ToolLists(), imagePool: new ImagePool() };
  const slices = new Slices();
  for await (const { id, frames } of readSessionFrames(chunks, name)) {
    for (const frame of frames) {
      if (frame.kind === "origin") {
        addOrigin(origins, frame, name);
      } else if (frame.kind === "tools") {
        const { key, text } = readJson(frame, toolsRecord, name);
        shared.toolLists.acquire(key, () => ({ key, text }));
      }
    }
    if (isChosen(id)) yield await slices.run(restore(frames, { origins, shared, name }));
  }
}

/**
 * Reads the beginning of a file, up to the data of its first session.
 *
 * @throws SessionsFileError if it is no sessions file, of another format, or damaged there
 */
export async function readFirstHead(chunks: AsyncIterable<Uint8Array>, name: string): Promise<FileHead> {
  const origins = new Map<string, BatchOrigin>();
  for await (const frame of readFrames(chunks, name)) {
    if (frame.kind === "origin") addOrigin(origins, frame, name);
    if (frame.kind !== "session") continue;
    const { summary, origin = "", interactions } = readSessionRecord(frame, name);
    return { session: restoreSession(summary), origin: origins.get(origin), interactions };
  }
  throw damaged(name, "it has no session");
}

interface FileParts {
  readonly origins: ReadonlyMap<string, BatchOrigin>;
  readonly shared: SharedParts;
  readonly name: string;
}

function* restore(frames: readonly Frame[], { origins, shared, name }: FileParts): Steps<FileSession> {
  let record: SessionRecord | undefined;
  const interactions: StoredInteraction[] = [];
  const added: Buffer[] = [];
  const images: ImageBytes[] = [];
  let outcomes: Buffer = Buffer.alloc(0);
  for (const frame of frames) {
    const { kind, payload } = frame;
    if (kind === "session") record = readSessionRecord(frame, name);
    if (kind === "interaction") interactions.push(readPart(name, () => decodeInteraction(payload)));
    if (kind === "channels") added.push(payload);
    if (kind === "images") images.push(...readPart(name, () => runAtOnce(decodeImages(payload))));
    if (kind === "outcomes") outcomes = payload;
    yield;
  }
  if (!record) throw damaged(name, "a session has no summary");
  const { summary, origin } = record;
  const stored = {
    interactions,
    added,
    images,
    outcomes: interactions.map((_, index) => readPart(name, () => outcomeAt(outcomes, index))),
  };
  return {
    session: loadSession({ summary }, stored, shared),
    origin: origin === undefined ? undefined : origins.get(origin),
  };
}

function addOrigin(origins: Map<string, BatchOrigin>, frame: Frame, name: string): void {
  const { key, ...origin } = readJson(frame, originRecord, name);
  origins.set(key, origin);
}

const readSessionRecord = (frame: Frame, name: string): SessionRecord =>
  readJson(frame, sessionRecord, name) as unknown as SessionRecord;

const outcomeAt = (outcomes: Buffer, index: number) =>
  decodeOutcome(outcomes.subarray(index * OUTCOME_BYTES, (index + 1) * OUTCOME_BYTES));

function readJson<Schema extends z.ZodType>({ payload, kind }: Frame, schema: Schema, name: string): z.output<Schema> {
  const parsed = readPart(name, () => schema.safeParse(JSON.parse(payload.toString())));
  if (parsed.success) return parsed.data;
  throw damaged(name, `a record of kind \`${kind}\` is unknown to this Rolltape`, parsed.error);
}

function readPart<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw damaged(name, (error as Error).message, error);
  }
}
