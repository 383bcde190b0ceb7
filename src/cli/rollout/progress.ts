import type { ProxyCounts } from "./proxy-counts.js";
import type { RolloutScreen } from "./screen.js";
import type { RolloutTally } from "./tally.js";

const BAR_MS = 250;
const LINE_MS = 5000;
const BAR_WIDTH = 40;

export interface ProgressSources {
  readonly tally: RolloutTally;
  readonly counts: Pick<ProxyCounts, "refresh" | "tokensPerSecond">;
  readonly screen: Pick<RolloutScreen, "isTerminal" | "line" | "endStatus"> & { status: string };
  readonly tasks: number;
  readonly groupSize: number;
  /** Returns the number of tasks that run. */
  readonly running: () => number;
  /** Returns the number of episodes that have ended, also those of tasks that run. It may count others too. */
  readonly ended: () => number;
}

/**
 * Shows the progress of a job on standard error. On a terminal it is a bar; otherwise it is a line every five seconds and
 * one at the end.
 */
export class RolloutProgress {
  readonly #sources: ProgressSources;
  readonly #timer: NodeJS.Timeout;
  /** Difference of {@link ProgressSources.ended} to the episodes of this job: lost attempts, or episodes of an earlier process. */
  #others = 0;
  #stopRequested = false;
  /** True after the final numbers. A refresh that is still under way then shows nothing. */
  #closed = false;

  constructor(sources: ProgressSources) {
    this.#sources = sources;
    const { isTerminal } = sources.screen;
    if (isTerminal) this.#show();
    this.#timer = setInterval(() => void this.#refresh(), isTerminal ? BAR_MS : LINE_MS);
  }

  /** Shows the final numbers and closes the display. Later calls have no effect. */
  async stop(): Promise<void> {
    if (this.#stopRequested) return;
    this.#stopRequested = true;
    clearInterval(this.#timer);
    await this.#refresh();
    this.#closed = true;
    this.#sources.screen.endStatus();
  }

  async #refresh(): Promise<void> {
    // A proxy that is too busy to answer must not stop the job. The next refresh asks again.
    await this.#sources.counts.refresh().catch(() => {});
    if (!this.#closed) this.#show();
  }

  #show(): void {
    const { tally, counts, screen, tasks, groupSize } = this.#sources;
    const { rewardMean, rejected } = tally;
    const [done, total] = [this.#countEnded(), tasks * groupSize];
    const mean = rewardMean === undefined ? "-" : rewardMean.toFixed(3);
    const speed = counts.tokensPerSecond.toFixed(0);
    const numbers = `${done}/${total}  ${speed} tokens/s  reward mean ${mean}  rejected ${rejected}`;
    if (screen.isTerminal) screen.status = `episodes ${bar(done / total)} ${numbers}`;
    else screen.line(`episodes ${numbers}`);
  }

  /** Returns the number of episodes that have ended, with those of groups that still run: at most all but one of each. */
  #countEnded(): number {
    const { tally, groupSize, running, ended } = this.#sources;
    const counted = tally.accepted + tally.rejected;
    const early = ended() - counted - this.#others;
    const bounded = Math.max(0, Math.min(early, running() * (groupSize - 1)));
    this.#others += early - bounded;
    return counted + bounded;
  }
}

function bar(share: number): string {
  const full = Math.min(BAR_WIDTH, Math.floor(share * BAR_WIDTH));
  return "█".repeat(full) + "░".repeat(BAR_WIDTH - full);
}
