/** A pause is at most this long, however long episodes take. */
const LONGEST_PAUSE_MS = 250;
/** Weight of the newest episode in the mean. */
const NEWEST = 1 / 16;

/**
 * How long a call may wait for others to share it: a small part of what an episode takes, so that it costs little time. A
 * worker of many short episodes sends a fraction of the calls.
 */
export class EpisodePace {
  #meanMilliseconds = 0;

  /** Notes how long an episode took. */
  note(milliseconds: number): void {
    const weight = this.#meanMilliseconds === 0 ? 1 : NEWEST;
    this.#meanMilliseconds += (milliseconds - this.#meanMilliseconds) * weight;
  }

  /** Returns a part of the mean duration, in milliseconds. */
  pause(part: number): number {
    return Math.min(LONGEST_PAUSE_MS, this.#meanMilliseconds * part);
  }
}
