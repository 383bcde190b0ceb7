import type { AskedExperts, ExpertModel } from "../../../native/contract.js";
import type { GenerateCall } from "../../engine.js";
import type { ServerReply } from "../engine-server.js";

/** Returns the bytes of the experts of one token, as they are recorded. */
export function expertBytes({ layers, topK, experts }: ExpertModel): number {
  return layers * topK * (experts > 256 ? 2 : 1);
}

/** The routed experts that the requests of an engine ask for, and the servers that send none. */
export class RoutedExperts {
  readonly #model: ExpertModel;
  /** The flag with which a server sends them. */
  readonly #flag: string;
  readonly #onWarning: ((message: string) => void) | undefined;
  readonly #warned = new Set<string>();

  constructor(model: ExpertModel, flag: string, onWarning?: (message: string) => void) {
    this.#model = model;
    this.#flag = flag;
    this.#onWarning = onWarning;
  }

  /** Returns what the next request of a call asks for: the rows that neither the conversation nor the call's earlier requests have. */
  ask({ prompt, generation }: GenerateCall): AskedExperts {
    const promptLength = prompt.length + generation.length;
    return { ...this.#model, promptLength, start: prompt.firstUnrecorded("routed_experts", generation) };
  }

  /** Warns once of a server whose replies have none: their tokens are recorded without experts. */
  note(url: string, { tokens, hasExperts = false }: ServerReply, asked: AskedExperts | undefined): void {
    const isDue = asked !== undefined && asked.promptLength + tokens - 1 > asked.start;
    if (tokens === 0 || !isDue || hasExperts || this.#warned.has(url)) return;
    this.#warned.add(url);
    this.#onWarning?.(
      `${url} sends no routed experts, so its tokens are recorded without them: start it with \`${this.#flag}\`, or set ` +
        "`engine.routed_experts=false`.",
    );
  }
}
