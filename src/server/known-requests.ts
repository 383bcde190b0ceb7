import type { EncodedText } from "../conversation/tokenizer/encoded-text.js";
import type { KnownBody } from "./known-body.js";
import { Recent } from "./recent.js";

/** What is kept of the newest requests of sessions, within a limit of bytes for all of it. */
export class KnownRequests {
  readonly bodies: Recent<KnownBody>;
  readonly prompts: Recent<EncodedText>;

  /** @param maxBytes 0 keeps nothing */
  constructor(maxBytes: number) {
    // A body is kept with its messages, whose text takes about as much again.
    this.bodies = new Recent(maxBytes / 2, ({ bytes }) => 2 * bytes.length);
    this.prompts = new Recent(maxBytes / 2, ({ characters, ids }) => characters + ids.byteLength);
  }

  get bytes(): number {
    return this.bodies.bytes + this.prompts.bytes;
  }

  sweep(): void {
    this.bodies.sweep();
    this.prompts.sweep();
  }
}
