import { makeInert } from "../../../support/inert-text.js";
import { isMetricName } from "./step-metrics.js";

/** Numbers of a trainer by name, and sentences about what could not be used. */
export interface TrainerMetrics {
  readonly scalars: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

/**
 * Reads what a trainer has reported as `metrics` in a step. The last value of a name counts.
 *
 * A metric that cannot be used is a problem, but no error: the step may have taken hours.
 */
export function readTrainerMetrics(reported: readonly unknown[]): TrainerMetrics {
  const scalars = new Map<string, number>();
  const problems: string[] = [];
  for (const metrics of reported) {
    if (typeof metrics !== "object" || metrics === null || Array.isArray(metrics)) {
      problems.push(`\`metrics\` must be an object of names and finite numbers; received ${show(metrics)}.`);
      continue;
    }
    for (const [name, value] of Object.entries(metrics)) {
      const place = makeInert(`\`metrics\`["${shorten(name)}"]`);
      if (isMetricName(name)) problems.push(`${place} is a name of Rolltape's own metrics; choose another.`);
      else if (name === "") problems.push(`${place} needs a name of at least one character.`);
      else if (typeof value === "number" && Number.isFinite(value)) scalars.set(name, value);
      else problems.push(`${place} must be a finite number; received ${show(value)}.`);
    }
  }
  return { scalars: Object.fromEntries(scalars), problems };
}

/**
 * Parses a line of a trainer. NaN and Infinity, which Python writes into JSON, become text, so that the rest of the line counts.
 *
 * @throws SyntaxError
 */
export function parseTrainerLine(line: string): unknown {
  const quoted = line.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b/g, (part) =>
    part.startsWith('"') ? part : `"${part}"`,
  );
  return JSON.parse(quoted);
}

const SHOWN_CHARACTERS = 100;
const shorten = (text: string): string =>
  text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
const show = (value: unknown): string => makeInert(shorten(JSON.stringify(value) ?? "nothing"));
