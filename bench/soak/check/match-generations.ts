import type { Generation, GenerationLog } from "../engine/generation-log.js";
import type { Row } from "./read-rows.js";

/**
 * Finds the generations that a row recorded: the first began with the row's prompt, and each later one continued a
 * generation that was cut. Together they have exactly the row's output ids.
 *
 * Attempts at one call with short answers may sample the same ids. Then those with the row's log probabilities and versions are
 * chosen, and of these the ones that no other row has.
 *
 * @param used generations of other rows
 * @returns undefined if the engine never sampled these ids after this prompt
 */
export function matchGenerations(
  log: GenerationLog,
  row: Row,
  used: ReadonlySet<Generation> = new Set(),
): Generation[] | undefined {
  const prompt = row.prompt.map(({ id }) => id);
  const output = row.output.map(({ id }) => id);
  const isExact = ({ tokens }: Generation, from: number) =>
    tokens.every(({ logprob, version }, i) => {
      const recorded = row.output[from + i];
      return logprob === recorded?.logprob && version === String(recorded.version);
    });
  const rank = (generation: Generation, from: number) =>
    (isExact(generation, from) ? 0 : 2) + (used.has(generation) ? 1 : 0);
  const search = (from: number): Generation[] | undefined => {
    const candidates = log.of([...prompt, ...output.slice(0, from)]);
    for (const generation of candidates.toSorted((a, b) => rank(a, from) - rank(b, from))) {
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
