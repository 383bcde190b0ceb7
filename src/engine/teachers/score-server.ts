import type { AskedScores, NativePrompt, TokenScores } from "../../native/contract.js";
import type { AbortSource } from "../../support/async/abort-source.js";
import { concatInSteps } from "../../support/async/concat-in-steps.js";
import { runInIterations } from "../../support/async/run-steps.js";
import { EngineError } from "../engine.js";
import type { ServerConnections } from "../servers/wire/connections.js";
import { generationError, replyError } from "../servers/wire/errors.js";
import { writeIds } from "../servers/wire/generate-once.js";
import type { ReplySink } from "../servers/wire/post.js";
import { ASYNC_SCAN_BYTES, ERROR_BYTES } from "../servers/wire/reply-sink.js";
import { ENTRY_BYTES, ONCE_BYTES } from "../servers/wire/reply-size.js";

/** A recorded sequence to score. */
export interface ScoredSequence {
  readonly prompt: NativePrompt;
  /** The first token to score, at least 1. */
  readonly first: number;
  /** Number of the most probable tokens to return for each position. */
  readonly topLogprobs: number;
  /** Keeps sequences with the same start on one server behind a router. */
  readonly affinityKey: string;
}

/** One server of a teacher. */
export interface ScoreServer {
  readonly url: string;
  /** @throws EngineError if the server did not score the sequence */
  score(sequence: ScoredSequence, signal: AbortSource): Promise<TokenScores>;
  close(): Promise<void>;
}

export interface ScoreServerOptions {
  readonly maxInflight: number;
  readonly apiKey?: string | undefined;
  /** Name of the model on vLLM servers. Undefined: the servers are asked. */
  readonly model?: string | undefined;
}

/** The part of a request that depends on the engine. */
export interface ScoreRequest {
  readonly path: string;
  /** JSON before and after the token ids. */
  readonly prefix: string;
  readonly suffix: string;
  readonly format: AskedScores["format"];
}

const OK = 200;

/**
 * Sends a sequence to a server and reads its scores.
 *
 * @returns undefined if the server does not know the field that asks for them
 * @throws EngineError
 */
export async function requestScores(
  connections: ServerConnections,
  { path, prefix, suffix, format }: ScoreRequest,
  { prompt, first, topLogprobs, affinityKey }: ScoredSequence,
  signal: AbortSource,
): Promise<TokenScores | undefined> {
  const body = await writeIds(prompt, { prefix, suffix });
  const limit = ONCE_BYTES + prompt.length * (topLogprobs + 2) * ENTRY_BYTES;
  const reply = await connections.generate({ path, body }, { affinityKey }, () => new WholeReply(limit), signal);
  const bytes = await reply.finish();
  const asked = { format, first, topLogprobs };
  try {
    return bytes.byteLength < ASYNC_SCAN_BYTES
      ? prompt.readScores(bytes, asked)
      : await prompt.readScoresAsync(bytes, asked);
  } catch (error) {
    throw replyError(error);
  }
}

/** Collects the body of a reply. */
class WholeReply implements ReplySink {
  readonly #limit: number;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #status = 0;
  #retryAfter = "";

  /** @param limit largest number of bytes of a reply that is no error */
  constructor(limit: number) {
    this.#limit = limit;
  }

  begin(status: number, header: (name: string) => string): void {
    this.#status = status;
    if (status !== OK) this.#retryAfter = header("retry-after");
  }

  piece(bytes: Buffer): void {
    this.#pieces.push(bytes);
    this.#bytes += bytes.byteLength;
    if (this.#status !== OK && this.#bytes > ERROR_BYTES) throw this.#toError(Buffer.concat(this.#pieces));
    if (this.#bytes <= this.#limit) return;
    throw new EngineError("engine_error", `The reply is too long: it has more than ${this.#limit} bytes.`);
  }

  /** @throws EngineError if the status is not 200 */
  async finish(): Promise<Buffer> {
    const body = await runInIterations(concatInSteps(this.#pieces));
    if (this.#status !== OK) throw this.#toError(body);
    return body;
  }

  #toError(body: Buffer): EngineError {
    return generationError(this.#status, body.toString("utf8"), this.#retryAfter);
  }
}
