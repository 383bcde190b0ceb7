import { native } from "../../../native/addon.js";
import { concatInSteps } from "../../../support/async/concat-in-steps.js";
import { runInTurns } from "../../../support/async/run-steps.js";
import { runAtOnce } from "../../../support/async/steps.js";
import { StopReached } from "../call/stop-watch.js";
import { errorCode, errorInBody, generationError, replyError, streamError } from "./errors.js";
/** From this many bytes on, a whole reply is joined in steps and scanned on a worker thread. */
const ASYNC_SCAN_BYTES = 256 * 1024;
const OK = 200;
/** Bytes kept of the body of an error: its message is at the beginning. */
const ERROR_BYTES = 64 * 1024;
/** Adds one reply to a call's generation: a stream piece by piece, any other body when it is complete. */
export class GenerationSink {
    #call;
    #format;
    #version;
    #status = 0;
    #retryAfter = "";
    #bytes = 0;
    #stream;
    #pieces = [];
    /** @param version weight version of tokens for which the reply has none */
    constructor(call, format, version) {
        this.#call = call;
        this.#format = format;
        this.#version = version;
    }
    begin(status, header) {
        const { generation, sampling } = this.#call;
        this.#status = status;
        if (status !== OK)
            this.#retryAfter = header("retry-after");
        else if (header("content-type").startsWith("text/event-stream")) {
            this.#stream = new native.ReplyStream(this.#format, generation, this.#version, sampling.topLogprobs);
        }
    }
    piece(bytes) {
        if (this.#stream) {
            if (scan(() => this.#stream?.push(bytes)))
                this.#received();
        }
        else if (this.#status === OK || this.#bytes < ERROR_BYTES) {
            this.#pieces.push(bytes);
            this.#bytes += bytes.byteLength;
        }
    }
    /** Ends the reply when its body is complete. @throws EngineError if the reply cannot be recorded */
    async finish() {
        if (this.#stream)
            return endStream(this.#stream);
        const joined = concatInSteps(this.#pieces);
        const body = this.#bytes < ASYNC_SCAN_BYTES ? runAtOnce(joined) : await runInTurns(joined);
        if (this.#status !== OK)
            throw generationError(this.#status, body.toString("utf8"), this.#retryAfter);
        const reply = await this.#append(body);
        if (reply.tokens > 0)
            this.#receivedAll();
        return reply;
    }
    #received() {
        const { received, onTokens } = this.#call;
        (received ?? onTokens)?.();
    }
    /** Ignores {@link StopReached}: the reply is complete, so there is no request to end. */
    #receivedAll() {
        try {
            this.#received();
        }
        catch (error) {
            if (!(error instanceof StopReached))
                throw error;
        }
    }
    async #append(body) {
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
        }
        catch (error) {
            throw findErrorInBody(error, body) ?? replyError(error);
        }
    }
}
/** Returns the error in a malformed reply, because some servers and routers send errors with status 200. */
function findErrorInBody(error, body) {
    if (errorCode(error) !== "ERR_REPLY_MALFORMED" || body.byteLength > ERROR_BYTES)
        return undefined;
    const message = errorInBody(body.toString("utf8"));
    return message === undefined ? undefined : streamError(message);
}
function endStream(stream) {
    const reply = scan(() => stream.end());
    if (reply.error !== undefined)
        throw streamError(reply.error);
    return reply;
}
function scan(read) {
    try {
        return read();
    }
    catch (error) {
        throw replyError(error);
    }
}
//# sourceMappingURL=reply-sink.js.map