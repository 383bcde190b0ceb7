import type { Mutant } from "./mutants.js";

export interface Result {
  readonly mutant: Mutant;
  /** A mutant that no test reaches survives too. */
  readonly outcome: "noticed" | "survived" | "not reached";
  /** What noticed it. */
  readonly by?: string | undefined;
}

/**
 * Returns the survivors as a Markdown table, and below it the score.
 *
 * @param title of the score
 */
export function table(results: readonly Result[], title: string): string {
  const survivors = results.filter(({ outcome }) => outcome !== "noticed");
  const rows = survivors.map(
    ({ mutant: { file, line, name }, outcome }) =>
      `| ${file}:${line} | \`${name.replaceAll("|", "\\|")}\` | ${outcome} |`,
  );
  const noticed = results.length - survivors.length;
  const percent = results.length === 0 ? 0 : Math.round((100 * noticed) / results.length);
  const score = `${title}: ${noticed} of ${results.length} mutants noticed, ${percent} %`;
  return ["| place | mutation | outcome |", "|---|---|---|", ...rows, "", score, ""].join("\n");
}
