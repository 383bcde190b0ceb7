import type { BenchScript } from "./bench-scripts.js";

/** Of `npm run bench:all`, on two cores. A benchmark that would end later is ended. */
export const LIMIT_SECONDS = 15 * 60;

export interface PlannedBench {
  readonly name: string;
  readonly args: readonly string[];
  /** The benchmark is ended after this time. */
  readonly limitSeconds: number;
}

/**
 * Benchmarks of `npm run bench:all` in their order, with the seconds after which each is ended. These leave room for a machine that is not
 * quite quiet, so together they are more than {@link LIMIT_SECONDS}: the first ones are those that the page says most about.
 */
const PLAN: readonly (readonly [name: string, limitSeconds: number, ...args: readonly string[]])[] = [
  ["bench", 60],
  ["proxy", 240],
  ["export", 260],
  ["rollout", 320],
  ["durable", 180],
  ["stream", 60],
  ["workers", 60],
  ["fairness", 60],
  ["open", 80],
  ["cold", 60],
  ["answers", 80],
  ["abuse", 180],
  ["view-start", 60],
  ["view-server", 60],
  ["view-many", 90],
  ["page", 60],
  ["scale", 60],
  ["template", 60],
  ["tokenize", 60],
  ["full", 100, "--minutes", "0.5", "--memory", "512"],
];

/** Returns the planned benchmarks. @throws Error that names those that package.json and the plan do not share */
export function makePlan(scripts: readonly BenchScript[]): PlannedBench[] {
  const planned = new Set(PLAN.map(([name]) => name));
  const known = new Set(scripts.map(({ name }) => name));
  const missing = [...known].filter((name) => !planned.has(name));
  const unknown = [...planned].filter((name) => !known.has(name));
  if (missing.length > 0) throw new Error(`bench/all/plan.ts lacks ${missing.join(", ")}.`);
  if (unknown.length > 0) throw new Error(`package.json has no script for ${unknown.join(", ")}.`);
  return PLAN.map(([name, limitSeconds, ...args]) => ({ name, limitSeconds, args }));
}
