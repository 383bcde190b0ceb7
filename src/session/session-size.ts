import type { Message } from "../conversation/message.js";
import { sumTexts } from "../conversation/size.js";
import { keepSpelling } from "../support/json/spelled.js";

/** Memory of all sessions together. Each session updates it, so the sum is known without visiting them. */
export interface ByteTally {
  bytes: number;
}

/** Tokens and bytes that a call adds to its session. Tokens that it shares with its parent do not count. */
export interface SessionGrowth {
  readonly tokens: number;
  readonly bytes: number;
}

// Memory of JavaScript objects without their text, in bytes. Measured as growth of the heap after garbage collection.
const SESSION_BYTES = 4096;
const INTERACTION_BYTES = 2048;
const MESSAGE_BYTES = 512;
/** Memory of parsed JSON for each byte of its text, in bytes. */
const PARSED_BYTES = 4;

/** Native memory of a prompt token, in bytes. */
export const TOKEN_BYTES = 4;

/** Counts the memory of one session: its native memory, and an estimate of its JavaScript objects. */
export class SessionSize {
  readonly #readNative: () => number;
  readonly #tally: ByteTally;
  #native: number;
  #objects = SESSION_BYTES;
  #tokens = 0;
  #freed = false;

  /** @param readNative returns the session's native memory in bytes */
  constructor(readNative: () => number, tally: ByteTally) {
    this.#readNative = readNative;
    this.#tally = tally;
    this.#native = readNative();
    tally.bytes += this.bytes;
  }

  /** Memory of the session, in bytes; 0 once it is freed. */
  get bytes(): number {
    return this.#freed ? 0 : this.#native + this.#objects;
  }

  /** Tokens of all calls. A call that continues another one counts only the tokens that it adds. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Adds a recorded call: its new tokens and the messages that only it has. */
  addCall(tokens: number, messages: readonly Message[]): void {
    this.#tokens += tokens;
    this.addObjects(INTERACTION_BYTES + measureMessages(messages));
  }

  /** Adds objects that live as long as the session's data. */
  addObjects(bytes: number): void {
    if (this.#freed) return;
    const before = this.bytes;
    this.#objects += bytes;
    this.#native = this.#readNative();
    this.#tally.bytes += this.bytes - before;
  }

  /** Stops counting the session. */
  free(): void {
    this.#tally.bytes -= this.bytes;
    this.#freed = true;
  }
}

/** Returns the memory of messages in bytes. V8 stores a character in one byte or two; UTF-8 is close to that. */
export function measureMessages(messages: readonly Message[]): number {
  return messages.reduce(
    (bytes, message) => bytes + MESSAGE_BYTES + sumTexts(message, (text) => Buffer.byteLength(text)),
    0,
  );
}

/** Returns the memory of a parsed value of a request, in bytes. */
export function measureJson(value: object): number {
  return PARSED_BYTES * JSON.stringify(value, keepSpelling).length;
}
