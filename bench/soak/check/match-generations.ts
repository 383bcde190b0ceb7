import type { Generation, GenerationLog } from "../engine/generation-log.js";
import type { Row } from "./read-rows.js";

/**
 * Finds the generations that a row recorded: the first began with the row's prompt, and each later one continued a
 * generation that was cut. Together they have exactly the row's output ids.
 *
 * @returns undefined if the engine never sampled these ids after this prompt
 */
export function matchGenerations(log: GenerationLog, row: Row): Generation[] | undefined {
  const prompt = row.prompt.map(({ id }) => id);
  const output = row.output.map(({ id }) => id);
  const search = (from: number): Generation[] | undefined => {
    for (const generation of log.of([...prompt, ...output.slice(0, from)])) {
      const { tokens } = generation;
      const end = from + tokens.length;
      if (tokens.length === 0 || end > output.length || tokens.some(({ id }, i) => id !== output[from + i])) continue;
      const rest = end === output.length ? [] : search(end);
      if (rest) return [generation, ...rest];
    }
    return undefined;
  };
  return search(0);
}
