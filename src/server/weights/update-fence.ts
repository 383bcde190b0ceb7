import type { StepBody } from "../../admin-api/weights/weight-steps.js";
import { ApiError } from "../../http/errors.js";
import type { KnownWeights } from "./known-weights.js";

/** Number of updates that are remembered after their end. */
const MAX_PAST = 64;

/** Steps that change nothing of an update in progress. */
const OPEN_STEPS: ReadonlySet<StepBody["step"]> = new Set(["list", "compare", "prepare"]);

/**
 * Lets only one of several gateways update the weights of this worker.
 *
 * The first `hold` takes the worker for its update. Another update can take it only if it names this one in `replaces`. The steps of an
 * update that was replaced or released are refused. A worker that was restarted without storage does not know the update, so it admits
 * the steps of any.
 */
export class UpdateFence {
  readonly #known: KnownWeights;
  readonly #past = new Set<string>();

  constructor(known: KnownWeights) {
    this.#known = known;
  }

  /** @throws ApiError `weights_busy` if another update is in progress here, or this one is over */
  admit({ step, update_id: id, replaces }: Pick<StepBody, "step" | "update_id" | "replaces">): void {
    if (OPEN_STEPS.has(step)) return;
    const { update } = this.#known;
    const current = update?.id ?? "";
    if (update && current !== id && !(step === "hold" && replaces.includes(current))) {
      throw new ApiError(
        "weights_busy",
        `Another weight update, to version ${update.version}${nameOf(current)}, is in progress. Wait for its end or give it up first.`,
      );
    }
    if (id !== "" && this.#past.has(id) && step !== "release") {
      throw new ApiError("weights_busy", `Another gateway has replaced or given up the weight update${nameOf(id)}.`);
    }
  }

  /** Refuses the steps of an update from now on, unless it is `next`. */
  leave(id = "", next?: string): void {
    if (id === "" || id === next) return;
    this.#past.add(id);
    const [oldest] = this.#past;
    if (this.#past.size > MAX_PAST && oldest !== undefined) this.#past.delete(oldest);
  }
}

const nameOf = (id: string): string => (id === "" ? "" : ` (${id})`);
