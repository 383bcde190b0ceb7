import { SingleBar } from "cli-progress";
import type { RolloutTally } from "./rollout-tally.js";
import type { SampledTokens } from "./rollout-tokens.js";

const BAR_MS = 250;
const LINE_MS = 5000;

/** How a job comes along, on standard error: a bar on a terminal, else a line every few seconds and one at the end. */
export class RolloutProgress {
  readonly #total: number;
  readonly #tally: RolloutTally;
  readonly #tokens: SampledTokens;
  readonly #bar: SingleBar | undefined;
  readonly #timer: NodeJS.Timeout;
  #stopped = false;

  /** @param total episodes */
  constructor(total: number, tally: RolloutTally, tokens: SampledTokens) {
    this.#total = total;
    this.#tally = tally;
    this.#tokens = tokens;
    const terminal = process.stderr.isTTY;
    this.#bar = terminal
      ? new SingleBar({
          format: "episodes {bar} {value}/{total}  {numbers}",
          hideCursor: true,
          gracefulExit: false,
          stream: process.stderr,
        })
      : undefined;
    this.#bar?.start(total, 0, { numbers: "" });
    this.#timer = setInterval(() => void this.#refresh(), terminal ? BAR_MS : LINE_MS);
  }

  /** The last word. Idempotent. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#refresh();
    this.#bar?.stop();
  }

  async #refresh(): Promise<void> {
    // A proxy that is too busy to say is asked again.
    await this.#tokens.refresh().catch(() => {});
    const done = this.#tally.accepted + this.#tally.rejected;
    if (this.#bar) this.#bar.update(done, { numbers: this.#numbers() });
    else process.stderr.write(`episodes ${done}/${this.#total}  ${this.#numbers()}\n`);
  }

  #numbers(): string {
    const { rewardMean, rejected } = this.#tally;
    const mean = rewardMean === undefined ? "-" : rewardMean.toFixed(3);
    return `${this.#tokens.perSecond.toFixed(0)} tokens/s  reward mean ${mean}  rejected ${rejected}`;
  }
}
