import type { SampledTokens } from "./sampled-tokens.js";
import type { RolloutScreen } from "./screen.js";
import type { RolloutTally } from "./tally.js";

const BAR_MS = 250;
const LINE_MS = 5000;
const BAR_WIDTH = 40;

/**
 * Shows the progress of a job on standard error: a bar on a terminal, else a line every few seconds and one at the end.
 */
export class RolloutProgress {
  readonly #total: number;
  readonly #tally: RolloutTally;
  readonly #tokens: SampledTokens;
  readonly #screen: RolloutScreen;
  readonly #timer: NodeJS.Timeout;
  #stopped = false;
  /** If true, nothing more is shown. */
  #ended = false;

  /** @param total number of episodes */
  constructor(total: number, tally: RolloutTally, tokens: SampledTokens, screen: RolloutScreen) {
    this.#total = total;
    this.#tally = tally;
    this.#tokens = tokens;
    this.#screen = screen;
    if (screen.isTerminal) this.#show();
    this.#timer = setInterval(() => void this.#refresh(), screen.isTerminal ? BAR_MS : LINE_MS);
  }

  /** Shows the final numbers and ends the display. Idempotent. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#refresh();
    this.#ended = true;
    this.#screen.endStatus();
  }

  async #refresh(): Promise<void> {
    // If the proxy is too busy to answer, the next refresh tries again.
    await this.#tokens.refresh().catch(() => {});
    if (!this.#ended) this.#show();
  }

  #show(): void {
    const done = this.#tally.accepted + this.#tally.rejected;
    const { rewardMean, rejected } = this.#tally;
    const mean = rewardMean === undefined ? "-" : rewardMean.toFixed(3);
    const speed = this.#tokens.perSecond.toFixed(0);
    const numbers = `${done}/${this.#total}  ${speed} tokens/s  reward mean ${mean}  rejected ${rejected}`;
    if (this.#screen.isTerminal) this.#screen.status = `episodes ${bar(done / this.#total)} ${numbers}`;
    else this.#screen.line(`episodes ${numbers}`);
  }
}

function bar(share: number): string {
  const full = Math.min(BAR_WIDTH, Math.floor(share * BAR_WIDTH));
  return "█".repeat(full) + "░".repeat(BAR_WIDTH - full);
}
