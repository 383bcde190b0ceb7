/** A mutant that changes nothing that a user, a caller or a trainer can see, so that no test can notice it. */
export interface Equivalent {
  readonly file: string;
  /** The line of the source, without indentation. */
  readonly source: string;
  readonly name: string;
  readonly reason: string;
}

/** Maximum number of equivalents of a room: more would be a list of excuses. */
export const MAX_EQUIVALENTS = 2;

export const equivalents: readonly Equivalent[] = [
  {
    file: "native/core/json/decimal.h",
    source: "bool negative = false;",
    name: "false to true",
    reason: "scanDecimal sets it before anybody reads it.",
  },
  {
    file: "native/core/json/cursor.cc",
    source: "bool single = true;",
    name: "true to false",
    reason: "A key without escapes is copied instead of being viewed in the text. It is the same key.",
  },
  {
    file: "src/transcript/session-answer.ts",
    source: "if (at < 0) return failedAnswer.parse(JSON.parse(line.toString()));",
    name: "< to <=",
    reason: "A line that begins with the separator is no JSON, however it is read: both ways throw.",
  },
  {
    file: "src/transcript/writer.ts",
    source: "if (pause > 0) await sleep(pause, this.#closing.signal).catch(() => undefined);",
    name: "await dropped",
    reason: "Only the number of writes differs. The bytes of both files are the same.",
  },
];
