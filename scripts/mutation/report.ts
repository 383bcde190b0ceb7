import type { Mutant } from "./mutants.js";

export interface Result {
  readonly mutant: Mutant;
  /** A mutant that no test reaches survives too. An equivalent one counts neither way. */
  readonly outcome: "noticed" | "survived" | "not reached" | "equivalent";
  /** What noticed it. */
  readonly by?: string | undefined;
}

/** Returns the share of mutants that were noticed, in percent. */
export function percentNoticed(results: readonly Result[]): number {
  const counted = results.filter(({ outcome }) => outcome !== "equivalent");
  const noticed = counted.filter(({ outcome }) => outcome === "noticed");
  return counted.length === 0 ? 100 : Math.round((100 * noticed.length) / counted.length);
}

/**
 * Returns the mutants that were not noticed as a Markdown table, and below it the score.
 *
 * @param title of the score
 */
export function table(results: readonly Result[], title: string): string {
  const rows = results
    .filter(({ outcome }) => outcome !== "noticed")
    .map(
      ({ mutant: { file, line, name }, outcome }) =>
        `| ${file}:${line} | \`${name.replaceAll("|", "\\|")}\` | ${outcome} |`,
    );
  const noticed = results.filter(({ outcome }) => outcome === "noticed").length;
  const counted = results.filter(({ outcome }) => outcome !== "equivalent").length;
  const score = `${title}: ${noticed} of ${counted} mutants noticed, ${percentNoticed(results)} %`;
  return ["| place | mutation | outcome |", "|---|---|---|", ...rows, "", score, ""].join("\n");
}
