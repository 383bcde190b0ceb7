import { EngineError, type GenerateCall } from "../../engine.js";
import type { EncodedRequest } from "./connections.js";

/** Parts that a reply has once: head, usage, finish reason, comments that keep the connection open, and the body of an error. */
export const ONCE_BYTES = 1024 * 1024;

/**
 * The longest entry of a list of log probabilities. vLLM spells a token as text and as a list of bytes (`"bytes": [226, 150, …]`). The
 * longest tokens of known vocabularies are runs of 128 spaces, whose entries take 770 bytes.
 */
export const ENTRY_BYTES = 1024;

/** The rest of a stream's frame for one token: its members, usage and versions. */
const FRAME_BYTES = 1024;

/**
 * The widest value that engines return for each token of the whole sequence: the routed experts. Servers may return them unasked,
 * because of a flag: then 48 layers with 8 experts are assumed.
 */
const UNASKED_EXPERTS = { layers: 48, topK: 8 };
/** Of an expert as int32 in base64. */
const EXPERT_BYTES = (4 * 4) / 3;

/** Of an id in a sampling mask, with a comma and a space. */
const MASK_ID_BYTES = 9;

/** Limits the size of one reply by the tokens that its request asks for. Without a limit, a server could send until the call times out. */
export class ReplySize {
  readonly #limit: number;
  /** True if every frame of a stream repeats all tokens so far, so that each may be as long as a whole reply. */
  readonly #repeats: boolean;
  #bytes = 0;

  constructor(
    { prompt, generation, sampling }: GenerateCall,
    { format, asked, maxMaskIds = 0 }: Pick<EncodedRequest, "format" | "asked" | "maxMaskIds">,
  ) {
    const { layers, topK } = asked.experts ?? UNASKED_EXPERTS;
    const output = Math.max(sampling.maxTokens - generation.length, 1);
    // The sampled token is listed beside the alternatives, and vLLM may be asked for one more of these.
    const entries = sampling.topLogprobs + (asked.tokenIds?.length ?? 0) + 2;
    const sequence = prompt.length + sampling.maxTokens;
    const perOutput = FRAME_BYTES + entries * ENTRY_BYTES + maxMaskIds * MASK_ID_BYTES;
    this.#limit = ONCE_BYTES + output * perOutput + sequence * layers * topK * EXPERT_BYTES;
    this.#repeats = format === "sglang";
  }

  /** @throws EngineError `engine_error` if the reply is longer than the requested tokens can be */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#limit) return;
    const message = `The engine's reply is too long: it has more than ${this.#limit} bytes for the tokens that were asked for.`;
    throw new EngineError("engine_error", message);
  }

  /** Notes that a frame brought new tokens. */
  noteTokens(): void {
    if (this.#repeats) this.#bytes = 0;
  }
}
