import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { ServerContext } from "./sglang-context.js";
import { cutShort } from "./sglang-cut.js";
import type { Fault, GenerateRequest } from "./sglang-protocol.js";
import { type ReplyState, replyText } from "./sglang-reply.js";

/** Answers one `/generate` request with server-sent events, as SGLang does with `stream: true`. */
export async function answerStream(
  context: ServerContext,
  request: GenerateRequest,
  fault: Fault | undefined,
  response: ServerResponse,
): Promise<void> {
  const frames = new FrameWriter(context, request, fault, response);
  const { streamInterval = 1 } = context.options;
  const limit = fault?.kind === "abort" || fault?.kind === "abort-with-status" ? (fault.after ?? 0) : Infinity;
  const outcome = await context.scheduler.generate(request, (tokens) => {
    if (tokens.length % streamInterval !== 0 || tokens.length > limit || frames.broken) return undefined;
    const { weightVersion } = context.scheduler;
    return frames.write({ tokens: [...tokens], finish: null, neverRan: false, weightVersion });
  });
  if (!frames.broken) await frames.write(cutShort(outcome, fault));
  if (!frames.broken) response.end("data: [DONE]\n\n");
}

class FrameWriter {
  readonly #context: ServerContext;
  readonly #request: GenerateRequest;
  readonly #fault: Fault | undefined;
  readonly #response: ServerResponse;
  #frames = 0;
  #sent = 0;
  /** The stream had its fault: nothing more is written. */
  broken = false;

  constructor(context: ServerContext, request: GenerateRequest, fault: Fault | undefined, response: ServerResponse) {
    this.#context = context;
    this.#request = request;
    this.#fault = fault;
    this.#response = response;
  }

  async write(state: ReplyState): Promise<void> {
    const { options, reply } = this.#context;
    if (this.#frames === 0) this.#response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    if (this.#breaksHere()) return;
    const from = options.incremental ? this.#sent : 0;
    this.#frames++;
    this.#sent = state.tokens.length;
    await this.#send(`data: ${replyText(this.#request, state, reply, this.#fault, from)}\n\n`);
  }

  #breaksHere(): boolean {
    const fault = this.#fault;
    if (!fault || !("frames" in fault) || fault.frames !== this.#frames) return false;
    this.broken = true;
    if (fault.kind === "close-in-stream") this.#response.write(": cut\n\n", () => this.#response.socket?.destroy());
    if (fault.kind === "end-in-stream") this.#response.end();
    if (fault.kind === "error-in-stream") {
      this.#response.end(`data: ${JSON.stringify({ error: { message: fault.message } })}\n\ndata: [DONE]\n\n`);
    }
    return true;
  }

  /** In pieces where the test wants the network to cut frames. */
  async #send(text: string): Promise<void> {
    const { pieceBytes = text.length } = this.#context.options;
    for (let at = 0; at < text.length; at += pieceBytes) {
      const more = this.#response.write(text.slice(at, at + pieceBytes));
      if (pieceBytes < text.length) await new Promise(setImmediate);
      if (!more && !this.#response.destroyed)
        await Promise.race([once(this.#response, "drain"), once(this.#response, "close")]);
    }
  }
}
