import type { Random } from "../../helpers/random.js";
import type { Fault } from "../../helpers/sglang/protocol.js";

/** Faults of any request. Weights are per cent of the requests. */
const ANY: readonly (readonly [number, (random: Random) => Fault])[] = [
  [2, () => ({ kind: "status", status: 500 })],
  [2, () => ({ kind: "status", status: 503 })],
  [0.5, () => ({ kind: "hang" })],
  [1, () => ({ kind: "close-before-headers" })],
  [1, () => ({ kind: "close-before-headers", reset: true })],
  [2, (random) => ({ kind: "abort", after: random.integer(0, 6) })],
  [1, () => ({ kind: "abort-in-queue" })],
  [0.5, (random) => ({ kind: "abort-saying", message: "Out of memory", after: random.integer(0, 6) })],
  [1, (random) => ({ kind: "abort-with-status", statusCode: random.pick([500, 503]) })],
  [0.5, () => ({ kind: "length-mismatch" })],
  [0.5, (random) => ({ kind: "bad-logprob", text: random.pick(["NaN", "-Infinity", "1e999"]) })],
  [3, (random) => ({ kind: "slow", milliseconds: random.integer(20, 300) })],
];

const NOT_STREAMED: typeof ANY = [
  [1, () => ({ kind: "close-after-headers" })],
  [1, () => ({ kind: "truncated-json" })],
];

const STREAMED: typeof ANY = [
  [1, (random) => ({ kind: "close-in-stream", frames: random.integer(0, 6) })],
  [1, (random) => ({ kind: "end-in-stream", frames: random.integer(0, 6) })],
  [0.5, (random) => ({ kind: "error-in-stream", frames: random.integer(0, 6), message: "scheduler died" })],
  [0.5, (random) => ({ kind: "hang-in-stream", frames: random.integer(0, 6) })],
];

/** Draws the fault of one request. Most requests have none. */
export function drawFault(random: Random, streamed: boolean): Fault | undefined {
  const faults = [...ANY, ...(streamed ? STREAMED : NOT_STREAMED)];
  let left = random.next() * 100;
  for (const [weight, make] of faults) {
    left -= weight;
    if (left < 0) return make(random);
  }
  return undefined;
}
