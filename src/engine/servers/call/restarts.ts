import { backoffMilliseconds } from "../../../support/async/backoff.js";
import { sleep } from "../../../support/async/sleep.js";
import { EngineError } from "../../engine.js";
import type { CutCause } from "./cut-watch.js";

const BACKOFF = { firstMilliseconds: 25, longestMilliseconds: 5_000 };

/** Limit of restarts in a row whose only reason is the server's own message. With the waits between them: two minutes. */
export const MAX_RESTARTS = 30;

/** A request that ran this long before it was cut starts a new row. */
const LONG_RUN_MS = 10_000;

/** Spaces the restarts of one call and limits them: a server that cuts every request must not be asked in a loop. */
export class Restarts {
  #inRow = 0;
  #unproved = 0;

  /**
   * Waits before the next request of a generation that was cut: 25 ms, twice as long after each further cut in a row, 5 s at
   * most.
   *
   * @param ranMilliseconds how long the request ran before it was cut
   * @throws EngineError after {@link MAX_RESTARTS} in a row without proof of a weight update.
   */
  async wait(cause: CutCause, ranMilliseconds: number, signal: AbortSignal): Promise<void> {
    if (ranMilliseconds >= LONG_RUN_MS) this.#inRow = this.#unproved = 0;
    if (cause !== "message") this.#unproved = 0;
    else if (this.#unproved === MAX_RESTARTS) throw tooMany();
    else this.#unproved++;
    await sleep(backoffMilliseconds(this.#inRow++, BACKOFF), signal);
  }
}

function tooMany(): EngineError {
  const message =
    `The engine cut the generation and was asked again ${MAX_RESTARTS} times in a row, ` +
    "without a pause from here or a new weight version.";
  return new EngineError("engine_error", message);
}
