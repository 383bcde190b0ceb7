import { TEMPLATE_TYPE } from "../config/index.js";
import type { RecordedInteraction } from "../session/recorded-interaction.js";

/** Number of calls after which their share says something. */
const MIN_CALLS = 50;
/** Share of rerendered calls that is worth a warning. */
const MIN_SHARE = 0.1;

/** Counts calls whose prompt was rendered to other tokens than their parent's, and warns once if they are many. */
export class RerenderedCalls {
  readonly #warn: (message: string) => void;
  #children = 0;
  #rerendered = 0;
  #warned = false;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  count({ parent, tokenExact, fallback }: Pick<RecordedInteraction, "parent" | "tokenExact" | "fallback">): void {
    if (parent < 0) return;
    this.#children++;
    if (!tokenExact && fallback === "rerendered") this.#rerendered++;
    if (this.#warned || this.#children < MIN_CALLS || this.#rerendered < MIN_SHARE * this.#children) return;
    this.#warned = true;
    const share = Math.round((100 * this.#rerendered) / this.#children);
    this.#warn(
      `${this.#rerendered} of ${this.#children} calls that continue another one (${share} %) have prompts with other tokens than were ` +
        "sampled before, because the chat template or the tokenizer rendered the history differently. Each begins a row of its own. " +
        `With ${TEMPLATE_TYPE}=concat, prompts continue the sampled tokens.`,
    );
  }
}
