import type { PlacedImage } from "../conversation/content.js";
import type { Message } from "../conversation/message.js";
import { countParts, sumTexts } from "../conversation/size.js";
import type { TemplateArgs } from "../conversation/template-args.js";
import { keepSpelling } from "../support/json/spelled.js";

/** Memory of all sessions together. Each session updates it, so the sum is known without visiting them. */
export interface ByteTally {
  bytes: number;
}

/** Tokens and bytes that a call adds to its session. Those that it shares with its parent do not count. */
export interface SessionGrowth {
  readonly tokens: number;
  readonly bytes: number;
}

/** The growth of a session by a prompt, and the parent whose tokens the prompt shares. */
export interface PromptGrowth extends SessionGrowth {
  readonly parent: number | undefined;
}

// Memory of JavaScript objects without their text, in bytes. Measured as growth of the heap after garbage collection.
const SESSION_BYTES = 4096;
const INTERACTION_BYTES = 2048;
const MESSAGE_BYTES = 512;
const PART_BYTES = 128;
const REFERENCE_BYTES = 8;
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
  #shared = 0;
  #tokens: number;
  #freed = false;

  /**
   * @param readNative returns the session's native memory in bytes
   * @param tokens of calls that are on disk only
   */
  constructor(readNative: () => number, tally: ByteTally, tokens = 0) {
    this.#readNative = readNative;
    this.#tally = tally;
    this.#tokens = tokens;
    this.#native = readNative();
    tally.bytes += this.#own;
  }

  get isFreed(): boolean {
    return this.#freed;
  }

  /** Native memory of the session, in bytes; 0 once it is freed. */
  get native(): number {
    return this.#freed ? 0 : this.#readNative();
  }

  /** Memory of the session, in bytes; 0 once it is freed. */
  get bytes(): number {
    return this.#freed ? 0 : this.#own + this.#shared;
  }

  /** Tokens of all calls. A call that continues another one counts only the tokens that it adds. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Adds a recorded call: its new tokens, and the objects that it does not share. */
  addCall(tokens: number, objectBytes: number): void {
    this.#tokens += tokens;
    this.addObjects(objectBytes);
  }

  /** Stops counting the session's data, because it is on disk only from now on. */
  unload(): void {
    if (this.#freed) return;
    const before = this.#own;
    this.#objects = SESSION_BYTES;
    this.#native = 0;
    this.#shared = 0;
    this.#tally.bytes += this.#own - before;
  }

  /** Adds objects that live as long as the session's data. */
  addObjects(bytes: number): void {
    if (this.#freed) return;
    const before = this.#own;
    this.#objects += bytes;
    this.#native = this.#readNative();
    this.#tally.bytes += this.#own - before;
  }

  /** Adds objects that other sessions use, too. Whoever shares them counts them in the memory of all sessions. */
  addShared(bytes: number): void {
    this.#shared += bytes;
  }

  /** Stops counting the session. */
  free(): void {
    if (!this.#freed) this.#tally.bytes -= this.#own;
    this.#freed = true;
  }

  /** Memory that belongs to this session alone, in bytes. */
  get #own(): number {
    return this.#native + this.#objects;
  }
}

/**
 * Returns the memory of a call's objects without its output, in bytes.
 *
 * @param messages the messages that it does not share with its parent
 * @param templateArgs variables of the chat template, if its parent has others
 */
export function measureRequest(messages: readonly Message[], templateArgs: TemplateArgs | undefined): number {
  return INTERACTION_BYTES + measureMessages(messages) + (templateArgs ? measureJson(templateArgs) : 0);
}

/** Returns the memory of messages in bytes. V8 stores a character in one byte or two; UTF-8 is close to that. */
export function measureMessages(messages: readonly Message[]): number {
  return messages.reduce(
    (bytes, message) =>
      bytes +
      MESSAGE_BYTES +
      PART_BYTES * countParts(message.content) +
      sumTexts(message, (text) => Buffer.byteLength(text)),
    0,
  );
}

/**
 * Returns the memory of a call's images without their files, in bytes.
 *
 * @param ofParent images whose objects it shares
 */
export function measureImages(images: readonly PlacedImage[] = [], ofParent: readonly PlacedImage[] = []): number {
  if (images === ofParent) return 0;
  const shared = images.filter((image, i) => image === ofParent[i]).length;
  return REFERENCE_BYTES * images.length + PART_BYTES * (images.length - shared);
}

/** Returns the memory of a parsed value of a request, in bytes. */
export function measureJson(value: object): number {
  return PARSED_BYTES * JSON.stringify(value, keepSpelling).length;
}
