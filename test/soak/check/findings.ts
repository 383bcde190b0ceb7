/** What a checker can find wrong. The values are the rows of its report. */
export const FINDINGS = {
  tokens: "rows with wrong tokens",
  logprobs: "wrong log probabilities",
  versions: "wrong versions",
  missing: "answered calls missing in the export",
  unmarked: "unanswered rows not marked, though the server could know",
  markedAnswered: "answered rows marked as undelivered",
  unexplained: "rows without a call, of a refused call, or of an incomplete reply",
  texts: "answers whose text is not that of their tokens",
  parents: "wrong parents",
  defaultRows: "differences between the default export and the full one",
  lost: "connections lost that no agent closed",
} as const;

export type Finding = keyof typeof FINDINGS;

/** How many examples of each kind are kept. */
const EXAMPLES = 3;

/** Counts what is wrong, and keeps the first examples of each kind. */
export class Findings<Kind extends string = Finding> {
  readonly #titles: Readonly<Record<Kind, string>>;
  readonly #counts = new Map<Kind, number>();
  readonly #examples = new Map<Kind, string[]>();

  /** @param titles what each kind of finding is called in a report */
  constructor(titles: Readonly<Record<Kind, string>>) {
    this.#titles = titles;
  }

  add(finding: Kind, example: string): void {
    this.#counts.set(finding, this.count(finding) + 1);
    const examples = this.#examples.get(finding) ?? [];
    if (examples.length < EXAMPLES) this.#examples.set(finding, [...examples, example]);
  }

  count(finding: Kind): number {
    return this.#counts.get(finding) ?? 0;
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The kinds that were found, for tests. */
  get kinds(): Kind[] {
    return [...this.#counts.keys()];
  }

  examples(): string[] {
    return [...this.#examples].flatMap(([finding, examples]) =>
      examples.map((each) => `${this.#titles[finding]}: ${each}`),
    );
  }
}
