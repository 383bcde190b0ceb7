import type { AbortSource } from "../../../support/async/abort-source.js";
import type { GenerateCall, IgnorableParam, LabelVersions } from "../../engine.js";
import type { EngineServer, ServerReply, ServerRequest } from "../engine-server.js";
import type { PauseHold } from "../pause/pause-hold.js";
import type { ServerPlace } from "../pool/server-place.js";
import { ReplyVersions } from "../versions/reply-versions.js";
import { type CutCause, CutWatch } from "./cut.js";
import { markForced } from "./mark-forced.js";
import type { OutputSoFar } from "./output-so-far.js";
import { StopReached } from "./stop-watch.js";

/** A request that has a place on a server. Dispose of it when it has ended. */
export class PlacedRequest implements ServerRequest, Disposable {
  readonly call: GenerateCall;
  readonly versions: ReplyVersions;
  /** Length of the generation when the request was sent. */
  readonly begun: number;
  readonly #output: OutputSoFar;
  readonly #place: ServerPlace;
  readonly #watch: CutWatch;
  #followsBudget: boolean;

  constructor(
    output: OutputSoFar,
    place: ServerPlace,
    { hold, labels }: { readonly hold: PauseHold; readonly labels: LabelVersions },
  ) {
    const { call } = output;
    this.call = call;
    this.begun = call.generation.length;
    this.#output = output;
    this.#place = place;
    this.#watch = new CutWatch(hold, call);
    this.versions = new ReplyVersions(call, { hold, labels, server: place.server.versions });
    this.#followsBudget = call.sampling.thinkingBudget !== undefined;
  }

  get server(): EngineServer {
    return this.#place.server;
  }

  get signal(): AbortSource {
    return this.#place.signal;
  }

  /** Tokens that are sent: prompt, and generation so far. */
  get inputTokens(): number {
    return this.call.prompt.length + this.begun;
  }

  /** In a streamed reply, a stop string that the server did not find ends the request early. */
  received(): void {
    this.#place.noteProgress();
    const cut = this.#output.stops?.read() ?? false;
    this.call.onTokens?.();
    if (cut) throw new StopReached();
  }

  ignored(param: IgnorableParam): void {
    if (param === "thinkingBudget") this.#followsBudget = false;
    this.call.onIgnored?.(param);
  }

  /** Sends the request to its server. */
  send(): Promise<ServerReply> {
    const reply = this.server.send(this);
    if (!this.#output.stops) return reply;
    return reply.catch((error: unknown) => {
      if (!(error instanceof StopReached)) throw error;
      return { tokens: this.#newTokens };
    });
  }

  /** Marks the tokens that the server forced because the thinking budget was used up. */
  markForced(): void {
    if (this.#followsBudget) markForced(this.call, this.server);
  }

  /** Sets the finish reason if a stop string was found here: the server's own applies to tokens that were removed. */
  applyStop(reply: ServerReply): ServerReply {
    const matched = this.#output.stops?.matched;
    if (matched === undefined || reply.finish?.type === "stop") return reply;
    return { ...reply, finish: { type: "stop", matched } };
  }

  /**
   * Returns the reply of a generation that a pause ended without one: its server stays paused, or died while it loaded weights. The
   * tokens that came before are valid.
   */
  cutReply(): ServerReply {
    return { tokens: this.#newTokens, finish: { type: "abort" } };
  }

  /** See {@link CutWatch.findCause}. */
  findCutCause({ finish = { type: "abort" } }: ServerReply): Promise<CutCause> {
    return this.#watch.findCause(finish, this.server);
  }

  get #newTokens(): number {
    return this.call.generation.length - this.begun;
  }

  [Symbol.dispose](): void {
    this.versions[Symbol.dispose]();
  }
}
