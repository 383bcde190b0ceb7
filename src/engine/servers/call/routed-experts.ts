import type { AskedExperts, ExpertModel } from "../../../native/contract.js";
import type { GenerateCall } from "../../engine.js";
import type { ServerReply } from "../engine-server.js";
import type { EngineServerOptions } from "../engine-server-options.js";

/** Returns the bytes of the experts of one token, as they are recorded. */
export function expertBytes({ layers, topK, experts }: ExpertModel): number {
  return layers * topK * (experts > 256 ? 2 : 1);
}

/** The routed experts that the requests to one server ask for. */
export class RoutedExperts {
  readonly #url: string;
  readonly #model: ExpertModel;
  readonly #onWarning: ((message: string) => void) | undefined;
  #warned = false;

  private constructor(url: string, model: ExpertModel, onWarning: ((message: string) => void) | undefined) {
    this.#url = url;
    this.#model = model;
    this.#onWarning = onWarning;
  }

  /** Returns undefined if the engine asks for none. */
  static of(url: string, { routedExperts, onWarning }: EngineServerOptions): RoutedExperts | undefined {
    return routedExperts && new RoutedExperts(url, routedExperts, onWarning);
  }

  /** Returns what the next request of a call asks for: the rows that neither the conversation nor the call's earlier requests have. */
  ask({ prompt, generation }: GenerateCall): AskedExperts {
    const promptLength = prompt.length + generation.length;
    return { ...this.#model, promptLength, start: prompt.firstUnrecorded("routed_experts", generation) };
  }

  /** Warns once if the server's replies have none: their tokens are recorded without experts. */
  note(asked: AskedExperts | undefined, { tokens, hasExperts = false }: ServerReply): void {
    const isDue = asked !== undefined && tokens > 0 && asked.promptLength + tokens - 1 > asked.start;
    if (!isDue || hasExperts || this.#warned) return;
    this.#warned = true;
    this.#onWarning?.(
      `${this.#url} sends no routed experts, so its tokens are recorded without them: start it with ` +
        "`--enable-return-routed-experts`, or set `engine.routed_experts=false`.",
    );
  }
}
