import { native } from "../../../native/addon.js";
import type { AskedValues, EngineReply, NativeReplyStream, ReplyFormat } from "../../../native/contract.js";
import { concatInSteps } from "../../../support/async/concat-in-steps.js";
import { runInIterations } from "../../../support/async/run-steps.js";
import { runAtOnce } from "../../../support/async/steps.js";
import { StopReached } from "../call/stop-watch.js";
import type { ServerReply, ServerRequest } from "../engine-server.js";
import type { EncodedRequest } from "./connections.js";
import { errorCode, failureError, failureInBody, generationError, removalInBody, replyError } from "./errors.js";
import type { ReplySink } from "./post.js";
import { ReplySize } from "./reply-size.js";

/** From this many bytes on, a whole reply is joined in steps and scanned on a worker thread. */
export const ASYNC_SCAN_BYTES = 256 * 1024;

const OK = 200;

/** Bytes read of the body of an error. */
export const ERROR_BYTES = 64 * 1024;

/** Adds one reply to a call's generation: a stream piece by piece, any other body when it is complete. */
export class GenerationSink implements ReplySink {
  readonly #request: ServerRequest;
  readonly #format: ReplyFormat;
  readonly #asked: AskedValues;
  readonly #size: ReplySize;
  #status = 0;
  #retryAfter = "";
  #bytes = 0;
  #stream: NativeReplyStream | undefined;
  readonly #pieces: Buffer[] = [];

  constructor(request: ServerRequest, encoded: Pick<EncodedRequest, "format" | "asked" | "maxMaskIds">) {
    this.#request = request;
    this.#format = encoded.format;
    this.#asked = encoded.asked;
    this.#size = new ReplySize(request.call, encoded);
  }

  begin(status: number, header: (name: string) => string): void {
    const { generation, sampling } = this.#request.call;
    this.#status = status;
    if (status !== OK) this.#retryAfter = header("retry-after");
    else if (header("content-type").startsWith("text/event-stream")) {
      this.#stream = new native.ReplyStream(
        this.#format,
        generation,
        this.#request.versions.first,
        sampling.topLogprobs,
        this.#asked,
      );
    }
  }

  piece(bytes: Buffer): void {
    if (this.#status === OK) this.#size.add(bytes.byteLength);
    if (this.#stream) {
      if (this.#push(this.#stream, bytes) === 0) return;
      this.#size.noteTokens();
      this.#request.received();
    } else {
      this.#pieces.push(bytes);
      this.#bytes += bytes.byteLength;
      if (this.#status !== OK && this.#bytes > ERROR_BYTES) this.#cutError();
    }
  }

  /** Ends the reply when its body is complete. @throws EngineError if the reply cannot be recorded */
  async finish(): Promise<ServerReply> {
    if (this.#stream) {
      return this.#end(endStream(this.#stream));
    }
    const joined = concatInSteps(this.#pieces);
    const body = this.#bytes < ASYNC_SCAN_BYTES ? runAtOnce(joined) : await runInIterations(joined);
    if (this.#status !== OK) return endRefused(this.#status, body.toString("utf8"), this.#retryAfter);
    const reply = this.#end(await this.#append(body));
    if (reply.tokens > 0) this.#receivedAll();
    return reply;
  }

  /** Ends the request. The beginning of an error's body is enough, because it has the message. */
  #cutError(): never {
    throw generationError(this.#status, Buffer.concat(this.#pieces).toString("utf8"), this.#retryAfter);
  }

  #end(reply: EngineReply): EngineReply {
    this.#request.versions.end(reply.versions, reply.finish?.type === "abort");
    return reply;
  }

  /** Ends the reply if it cannot be read to its end: the tokens that came before are valid. */
  cut(): void {
    if (this.#stream) this.#request.versions.end(this.#stream.versions());
  }

  #push(stream: NativeReplyStream, bytes: Buffer): number {
    const version = this.#request.versions.beginPart();
    const before = this.#request.call.generation.length;
    try {
      return scan(() => stream.push(bytes, version));
    } finally {
      this.#request.versions.endPart(this.#request.call.generation.length - before);
    }
  }

  /** Ignores {@link StopReached}: the reply is complete, so there is no request to end. */
  #receivedAll(): void {
    try {
      this.#request.received();
    } catch (error) {
      if (!(error instanceof StopReached)) throw error;
    }
  }

  async #append(body: Buffer): Promise<EngineReply> {
    const { generation, sampling } = this.#request.call;
    const { first } = this.#request.versions;
    const isSmall = body.byteLength < ASYNC_SCAN_BYTES;
    try {
      if (this.#format === "sglang") {
        return isSmall
          ? generation.appendSglangReply(body, first, this.#asked)
          : await generation.appendSglangReplyAsync(body, first, this.#asked);
      }
      return isSmall
        ? generation.appendVllmReply(body, first, sampling.topLogprobs, this.#asked)
        : await generation.appendVllmReplyAsync(body, first, sampling.topLogprobs, this.#asked);
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
function endRefused(status: number, body: string, retryAfter: string): ServerReply {
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
