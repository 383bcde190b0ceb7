import type { EncodedText } from "../../model/tokenizer/encoded-text.js";
import { totalLength } from "../../model/tokenizer/total-length.js";
import { native } from "../../native/addon.js";
import { TOKEN_BYTES } from "../../session/session-size.js";
import type { KnownBody } from "./known-body.js";
import type { KnownPromptText } from "./prompt-texts.js";
import { Recent } from "./recent.js";

// Memory of objects beside their text, in bytes. In a conversation of many short messages this is the larger part.
const ELEMENT_BYTES = 160;
const PART_BYTES = 40;
const CUT_BYTES = 40;

// Shares of the limit. Text of a prompt that is not kept takes the least time to make again.
const BODY_SHARE = 3 / 8;
const PROMPT_SHARE = 3 / 8;
const PROMPT_TEXT_SHARE = 1 / 4;

/** The newest requests of all sessions, within a limit of memory. */
export class KnownRequests {
  readonly bodies: Recent<KnownBody>;
  readonly prompts: Recent<EncodedText>;
  readonly promptTexts: Recent<KnownPromptText>;

  /** @param maxBytes 0 keeps nothing */
  constructor(maxBytes: number) {
    // A body is kept as bytes and as parsed messages, which take about the same memory.
    this.bodies = new Recent(
      BODY_SHARE * maxBytes,
      ({ bytes, ends }) => 2 * bytes.length + ELEMENT_BYTES * ends.length,
      // Requests that share elements with a body use its elements, and not its bytes.
      ({ bytes }) => native.freeBytes(bytes),
    );
    this.prompts = new Recent(
      PROMPT_SHARE * maxBytes,
      ({ characters, idPieces, parts, cuts }) =>
        characters + TOKEN_BYTES * totalLength(idPieces) + PART_BYTES * parts.length + CUT_BYTES * cuts.length,
    );
    this.promptTexts = new Recent(
      PROMPT_TEXT_SHARE * maxBytes,
      ({ text }) => text.memory,
      ({ text }) => text.free(),
    );
  }

  get bytes(): number {
    return this.bodies.bytes + this.prompts.bytes + this.promptTexts.bytes;
  }

  /** Drops everything. Then the next request of each session is processed completely. */
  clear(): void {
    this.bodies.clear();
    this.prompts.clear();
    this.promptTexts.clear();
  }

  sweep(): void {
    this.bodies.sweep();
    this.prompts.sweep();
    this.promptTexts.sweep();
  }
}
