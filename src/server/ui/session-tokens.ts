import { BatchTokens } from "../../batch-file/batch-tokens.js";
import { tensorsInMemory } from "../../batch-file/tensor-ranges.js";
import { packBatch } from "../../session/batch/batch.js";
import type { BatchOrigin } from "../../session/batch/batch-metadata.js";
import { batchOptionsSchema } from "../../session/batch/batch-options.js";
import type { Session } from "../../session/session.js";

const OPTIONS = { ...batchOptionsSchema.parse({}), layout: "tree" as const, includeUndelivered: true };

/**
 * The tokens of the sessions that were looked at last. They are packed as a tree, off the event loop: one block has every token of
 * the session once.
 */
export class SessionTokens {
  readonly #origin: BatchOrigin | undefined;
  #session: Session | undefined;
  #interactions = 0;
  /** Grows when channels of recorded tokens are added, such as the scores of teachers. */
  #byteLength = 0;
  #packed: Promise<BatchTokens | undefined> | undefined;

  /** @param origin undefined if the server that recorded the sessions is not known */
  constructor(origin: BatchOrigin | undefined) {
    // A plan gives sessions the channels of the origin's teachers, but looking at a session must not change it.
    this.#origin = origin && { ...origin, config: {} };
  }

  /** Returns the tokens of a session, whose data must be loaded; undefined if it has none. */
  read(session: Session): Promise<BatchTokens | undefined> {
    const { byteLength } = session.tokens;
    const isSame = session === this.#session && session.interactionCount === this.#interactions;
    if (!isSame || byteLength !== this.#byteLength || !this.#packed) {
      this.#session = session;
      this.#byteLength = byteLength;
      this.#interactions = session.interactionCount;
      const packed = pack(session, this.#origin);
      this.#packed = packed;
      packed.catch(() => {
        if (this.#packed === packed) this.#packed = undefined;
      });
    }
    return this.#packed;
  }
}

async function pack(session: Session, origin: BatchOrigin | undefined): Promise<BatchTokens | undefined> {
  if (session.interactionCount === 0) return undefined;
  using batch = await packBatch([session], OPTIONS, { origin });
  // A copy: the block's memory is freed with the batch.
  return BatchTokens.read(tensorsInMemory(Uint8Array.from(batch.bytes)));
}
