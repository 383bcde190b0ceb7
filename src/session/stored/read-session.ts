import type { Entry } from "../../storage/index.js";
import type { Steps } from "../../support/async/steps.js";
import type { ImageBytes } from "../session-images.js";
import type { SessionSummary } from "../session-summary.js";
import { DamagedSessionError } from "./damaged-session-error.js";
import { decodeImages } from "./image-record.js";
import { decodeInteraction, type OwnMessages, type StoredInteraction } from "./interaction-record.js";
import { readRecordKey } from "./keys.js";
import { decodeOutcome, NO_OUTCOME, type Outcome } from "./outcome-record.js";

/** The stored data of a session. `outcomes[i]` belongs to `interactions[i]`. */
export interface StoredSession {
  /** Items of channels that were added to interactions: results of the native session's `serializeAdded`. */
  readonly added: readonly Uint8Array[];
  readonly interactions: readonly StoredInteraction[];
  readonly outcomes: readonly Outcome[];
  /** The files of all images, each of them once, in the order of their first use. */
  readonly images: readonly ImageBytes[];
}

/** Bytes of the records that are decoded in one step, which takes a few milliseconds. */
const STEP_BYTES = 1 << 18;

/** Reads the messages of an interaction, whose key is given. */
type ReadMessages = (key: Buffer) => OwnMessages;

type StoredCounts = Pick<SessionSummary, "interactionCount" | "rewards">;

/**
 * Reads the data of a session from its records.
 *
 * @param readMessages reads messages when they are needed. Required if the values of the records can change before that
 * @throws DamagedSessionError if a record is damaged
 */
export function* readStoredSession(
  id: string,
  records: readonly Entry[],
  readMessages?: ReadMessages,
): Steps<StoredSession> {
  const session = new RecordList(readMessages);
  let bytes = 0;
  for (const record of records) {
    if (bytes >= STEP_BYTES) {
      yield;
      bytes = 0;
    }
    bytes += record.value.length;
    try {
      yield* session.add(record);
    } catch (error) {
      throw damagedRecordError(id, nameRecord(record.key), error);
    }
  }
  return session.read();
}

/** Collects the records of a session, which come in the order of their keys: all interactions, then the others. */
export class RecordList {
  readonly #interactions: StoredInteraction[] = [];
  readonly #readMessages: ReadMessages | undefined;

  /** @param readMessages reads messages when they are needed. Required if the values of the records can change before that */
  constructor(readMessages?: ReadMessages) {
    this.#readMessages = readMessages;
  }
  readonly #outcomes: Outcome[] = [];
  readonly #added: Uint8Array[] = [];
  readonly #images: ImageBytes[] = [];

  /** Copies the files of images. Throws if the record is damaged, or if one before it is missing. */
  *add({ key, value }: Entry): Steps<void> {
    const { kind, index } = readRecordKey(key);
    const { length } = this.#interactions;
    if (kind === "interaction") {
      if (index !== length) throw new Error(`interaction ${length} is missing before it`);
      const readMessages = this.#readMessages;
      this.#interactions.push(decodeInteraction(value, readMessages && (() => readMessages(key))));
      return;
    }
    if (index >= length) throw new Error(`interaction ${index} does not exist`);
    if (kind === "outcome") this.#outcomes[index] = decodeOutcome(value);
    if (kind === "channels") this.#added.push(value);
    if (kind === "images") this.#images.push(...(yield* decodeImages(value)));
  }

  read(): StoredSession {
    const outcomes = this.#interactions.map((_, index) => this.#outcomes[index] ?? NO_OUTCOME);
    return { interactions: this.#interactions, outcomes, added: this.#added, images: this.#images };
  }
}

/** Returns the name of a record in its session. Its key may be damaged. */
export function nameRecord(key: Buffer): string {
  try {
    const { kind, index } = readRecordKey(key);
    return `${kind} ${index}`;
  } catch {
    return `record with key ${key.toString("hex")}`;
  }
}

/**
 * Compares the data of a session with the counts in its head. Nothing else shows that records at its end are missing.
 *
 * @throws DamagedSessionError if something is missing
 */
export function requireComplete(id: string, stored: StoredSession, counts: StoredCounts): void {
  const { interactions, outcomes } = stored;
  const { interactionCount, rewards } = counts;
  const rewarded = outcomes.filter(({ reward }) => reward !== undefined).length;
  const missing =
    interactions.length === interactionCount
      ? rewarded !== rewards && `rewards of interactions: ${rewarded} instead of ${rewards}`
      : `interactions: ${interactions.length} instead of ${interactionCount}`;
  if (missing) throw new DamagedSessionError(id, { reason: missing });
  requireImages(id, stored);
}

function requireImages(id: string, { interactions, images }: StoredSession): void {
  const files = new Set(images.map(({ sha256 }) => sha256));
  for (const [interaction, { images: named }] of interactions.entries()) {
    const missing = named?.added.find(({ sha256 }) => !files.has(sha256));
    if (!missing) continue;
    const damage = {
      what: `interaction ${interaction}`,
      reason: `the file of image ${missing.sha256} is missing`,
      interaction,
    };
    throw new DamagedSessionError(id, damage);
  }
}

/** Names a session whose id is unknown by its number, which is the last part of the id. */
export function nameByNumber(number: number): string {
  return `the session whose id ends with -${number}`;
}

/** Returns the error of a record that is damaged, for example `interaction 3`. */
export function damagedRecordError(session: string, what: string, cause: unknown): DamagedSessionError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new DamagedSessionError(session, { what, reason }, cause);
}
