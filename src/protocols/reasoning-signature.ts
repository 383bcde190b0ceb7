import type { Message } from "../conversation/message.js";

/**
 * A signature is an opaque text that an answer carries beside its reasoning: `signature` of thinking blocks, `encrypted_content` of
 * reasoning items. Many clients send it back without the text, and some drop reasoning that has none. It names the call that
 * generated the reasoning, so it stays short however long the reasoning is.
 */

/** Returns the reasoning of the call that a signature names; empty if the signature or the call is unknown. */
export type ReadReasoning = (signature: string) => string;

export const NO_REASONING: ReadReasoning = () => "";

const VERSION = "rolltape-1:";

/** Longer texts are not decoded: those of other servers can have megabytes. */
const MAX_LENGTH = 512;

/** @param interactionId id of the call whose answer contains the reasoning */
export const signReasoning = (interactionId: string): string =>
  Buffer.from(VERSION + interactionId).toString("base64url");

/** Returns the id of the call that a signature names; undefined if it is not one of Rolltape's. */
export function parseSignature(signature: string): string | undefined {
  if (signature.length > MAX_LENGTH) return undefined;
  const text = Buffer.from(signature, "base64url").toString();
  return text.startsWith(VERSION) ? text.slice(VERSION.length) : undefined;
}

/** The reasoning of an assistant message. */
export type ReasoningFields = Pick<Message, "reasoning" | "hasUnknownReasoning">;

/** Collects the reasoning of one assistant message from its parts. */
export class SentReasoning {
  #text = "";
  readonly #signatures = new Set<string>();

  /** @param signature any value that the client sent as the signature */
  add(text: string, signature: unknown): void {
    this.#text += text;
    if (typeof signature === "string") this.#signatures.add(signature);
  }

  /** Returns the text that the client sent; if it sent signatures only, the text that they stand for. */
  read(readReasoning: ReadReasoning): ReasoningFields {
    const reasoning = this.#text === "" ? [...this.#signatures].map(readReasoning).join("") : this.#text;
    if (reasoning !== "") return { reasoning };
    return this.#signatures.size > 0 ? { hasUnknownReasoning: true } : {};
  }
}
