import { native } from "../../../native/addon.js";
import type { EngineReply, NativeReplyStream, ReplyFormat } from "../../../native/contract.js";
import { concatInSteps } from "../../../support/async/concat-in-steps.js";
import { runInTurns } from "../../../support/async/run-steps.js";
import { runAtOnce } from "../../../support/async/steps.js";
import { StopReached } from "../call/stop-watch.js";
import type { ServerCall } from "../engine-server.js";
import { errorCode, failureError, failureInBody, generationError, removalInBody, replyError } from "./errors.js";
import type { ReplySink } from "./post.js";

/** From this many bytes on, a whole reply is joined in steps and scanned on a worker thread. */
const ASYNC_SCAN_BYTES = 256 * 1024;

const OK = 200;

/** Bytes kept of the body of an error: its message is at the beginning. */
const ERROR_BYTES = 64 * 1024;

/** Adds one reply to a call's generation: a stream piece by piece, any other body when it is complete. */
export class GenerationSink implements ReplySink {
  readonly #call: ServerCall;
  readonly #format: ReplyFormat;
  readonly #version: number;
  #status = 0;
  #retryAfter = "";
  #bytes = 0;
  #stream: NativeReplyStream | undefined;
  readonly #pieces: Buffer[] = [];

  /** @param version weight version of tokens for which the reply has none */
  constructor(call: ServerCall, format: ReplyFormat, version: number) {
    this.#call = call;
    this.#format = format;
    this.#version = version;
  }

  begin(status: number, header: (name: string) => string): void {
    const { generation, sampling } = this.#call;
    this.#status = status;
    if (status !== OK) this.#retryAfter = header("retry-after");
    else if (header("content-type").startsWith("text/event-stream")) {
      this.#stream = new native.ReplyStream(this.#format, generation, this.#version, sampling.topLogprobs);
    }
  }

  piece(bytes: Buffer): void {
    if (this.#stream) {
      if (scan(() => this.#stream?.push(bytes))) this.#received();
    } else if (this.#status === OK || this.#bytes < ERROR_BYTES) {
      this.#pieces.push(bytes);
      this.#bytes += bytes.byteLength;
    }
  }

  /** Ends the reply when its body is complete. @throws EngineError if the reply cannot be recorded */
  async finish(): Promise<EngineReply> {
    if (this.#stream) return endStream(this.#stream);
    const joined = concatInSteps(this.#pieces);
    const body = this.#bytes < ASYNC_SCAN_BYTES ? runAtOnce(joined) : await runInTurns(joined);
    if (this.#status !== OK) return endRefused(this.#status, body.toString("utf8"), this.#retryAfter);
    const reply = await this.#append(body);
    if (reply.tokens > 0) this.#receivedAll();
    return reply;
  }

  #received(): void {
    const { received, onTokens } = this.#call;
    (received ?? onTokens)?.();
  }

  /** Ignores {@link StopReached}: the reply is complete, so there is no request to end. */
  #receivedAll(): void {
    try {
      this.#received();
    } catch (error) {
      if (!(error instanceof StopReached)) throw error;
    }
  }

  async #append(body: Buffer): Promise<EngineReply> {
    const { generation, sampling } = this.#call;
    const isSmall = body.byteLength < ASYNC_SCAN_BYTES;
    try {
      if (this.#format === "sglang") {
        return isSmall
          ? generation.appendSglangReply(body, this.#version)
          : await generation.appendSglangReplyAsync(body, this.#version);
      }
      return isSmall
        ? generation.appendVllmReply(body, this.#version, sampling.topLogprobs)
        : await generation.appendVllmReplyAsync(body, this.#version, sampling.topLogprobs);
    } catch (error) {
      throw findErrorInBody(error, body) ?? replyError(error);
    }
  }
}

/** Returns the error in a malformed reply, because some servers and routers send errors with status 200. */
function findErrorInBody(error: unknown, body: Buffer): unknown {
  if (errorCode(error) !== "ERR_REPLY_MALFORMED" || body.byteLength > ERROR_BYTES) return undefined;
  const failure = failureInBody(body.toString("utf8"));
  return failure && failureError(failure, 0);
}

/** @returns the reply of a request that a pause removed while its grammar was compiled, which SGLang refuses with a 400 */
function endRefused(status: number, body: string, retryAfter: string): EngineReply {
  const message = removalInBody(body);
  if (message === undefined) throw generationError(status, body, retryAfter);
  return { tokens: 0, finish: { type: "abort", message } };
}

function endStream(stream: NativeReplyStream): EngineReply {
  const reply = scan(() => stream.end());
  if (reply.error) throw failureError(reply.error, reply.tokens);
  return reply;
}

function scan<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw replyError(error);
  }
}
