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
 * Benchmarks of `npm run bench:all` in their order, with the seconds after which they are ended: about twice what they take on two quiet
 * cores. The first ones are those that the pages are about.
 */
const PLAN: readonly (readonly [name: string, limitSeconds: number, ...args: readonly string[]])[] = [
  ["bench", 60],
  ["proxy", 260],
  ["export", 240],
  ["rollout", 420],
  ["durable", 240],
  ["stream", 30],
  ["workers", 90],
  ["fairness", 60],
  ["open", 120],
  ["answers", 120],
  ["abuse", 300],
  ["view-start", 90],
  ["view-server", 60],
  ["page", 60],
  ["scale", 90],
  ["template", 30],
  ["tokenize", 60],
  ["full", 180, "--minutes", "1", "--memory", "512"],
  ["soak", 120, "--calls", "2000", "--sessions", "120"],
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
