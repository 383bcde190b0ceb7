import type { StepBody } from "../../control/weights/weight-steps.js";
import { type StepFailures } from "../../control/weights/weight-targets.js";
import type { ServerWeights } from "./open-weights.js";
/**
 * Takes one step of a weight update for a gateway. The gateway decides the order, and which worker tells which server.
 *
 * @returns the failures by URL
 */
export declare function takeStep({ targets, known, updates }: ServerWeights, { step, target, servers, known: knownServers, hold }: StepBody): Promise<StepFailures>;
