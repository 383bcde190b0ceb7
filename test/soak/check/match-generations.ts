import type { Generation, GenerationLog } from "../engine/generation-log.js";
import type { Row } from "./read-rows.js";

/**
 * Finds the generations that a row recorded: the first began with the row's prompt, and each later one continued a
 * generation that was cut, or whose stream broke off. Together they have exactly the row's output ids.
 *
 * Attempts at one call with short answers may sample the same ids. Then those with the row's log probabilities and versions are
 * chosen. Of these, those that the engine sent completely are chosen, and of these the ones that no other row has.
 *
 * @param used generations of other rows
 * @returns undefined if the engine never sampled these ids after this prompt
 */
export function matchGenerations(
  log: GenerationLog,
  row: Row,
  used: ReadonlySet<Generation> = new Set(),
): Generation[] | undefined {
  const faultsOf = (generations: readonly Generation[]): readonly number[] => [
    countDifferences(row, generations),
    isWhole(row, generations) ? 0 : 1,
    generations.filter((generation) => used.has(generation)).length,
  ];
  const ranked = [...listMatches(log, row)].map((match) => ({ match, faults: faultsOf(match) }));
  return ranked.toSorted((a, b) => compare(a.faults, b.faults))[0]?.match;
}

/** Returns true if the engine sent all of the output. A generation that was cut at its last allowed token is complete, too. */
export function isWhole({ output, maxTokens }: Row, generations: readonly Generation[]): boolean {
  const last = generations.at(-1)?.sent;
  const earlier = generations.slice(0, -1);
  return (
    (last === "whole" || (last === "cut" && output.length === maxTokens)) && earlier.every(({ sent }) => sent === "cut")
  );
}

/** Lists the sequences of generations that have the output ids of a row. */
function* listMatches(log: GenerationLog, row: Row, from = 0): Generator<Generation[]> {
  const output = row.output.map(({ id }) => id);
  const begun = log.of([...row.prompt.map(({ id }) => id), ...output.slice(0, from)]);
  for (const generation of begun.flatMap((each) => [each, ...listPieces(each)])) {
    const { tokens } = generation;
    const end = from + tokens.length;
    if (tokens.length === 0 || end > output.length || tokens.some(({ id }, i) => id !== output[from + i])) continue;
    if (end === output.length) yield [generation];
    else for (const rest of listMatches(log, row, end)) yield [generation, ...rest];
  }
}

/** Lists the beginnings that a proxy may have received of a stream that broke off, as generations that were cut. */
function listPieces(generation: Generation): Generation[] {
  const { tokens, streamed = 0 } = generation;
  const most = Math.min(streamed, tokens.length);
  return Array.from({ length: most }, (_, index) => ({
    ...generation,
    tokens: tokens.slice(0, index + 1),
    sent: "cut",
  }));
}

/** Returns the number of output tokens with other log probabilities or versions. */
function countDifferences({ output }: Row, generations: readonly Generation[]): number {
  const sampled = generations.flatMap(({ tokens }) => tokens);
  return output.filter(({ logprob, version }, i) => {
    const token = sampled[i];
    return logprob !== token?.logprob || String(version) !== token.version;
  }).length;
}

/** Compares the first numbers that differ. */
function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
