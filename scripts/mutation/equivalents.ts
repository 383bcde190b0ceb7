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
    file: "native/memory/shared_pool.cc",
    source: "while (!free_.empty() && free_.front().since <= time) drop(free_.begin(), dropped);",
    name: "<= to <",
    reason: "Only a slot that became free in the very nanosecond of `time` would stay until the next call.",
  },
  {
    file: "src/batch-file/row-layout.ts",
    source: "runs: async (row, from, to) => cut(starts[row] ?? 0, length(row), from, to),",
    name: "?? to its left side",
    reason: "A row without a start has no tokens, wherever it begins.",
  },
  {
    file: "src/config/upstreams.ts",
    source: "const fromEnv = variable ? env[variable] : undefined;",
    name: "condition to true",
    reason: "No environment has a variable without a name.",
  },
  {
    file: "src/conversation/image-file.ts",
    source: "const sliceData = (bytes: Bytes, at: number, length: number): Bytes => bytes.slice(at + 4, length - 2);",
    name: "- to +",
    reason: "The next marker would follow the data. It cannot end an entry of Exif data, nor be a digit of XMP data.",
  },
  {
    file: "src/conversation/image-file.ts",
    source: "const orientation = (exif && readOrientation(exif)) ?? (xmp && readXmpOrientation(xmp)) ?? 1;",
    name: "?? to its left side",
    reason: "No number is not turned either. The 1 is for the type.",
  },
  {
    file: "src/job/controller.ts",
    source: 'const { batchOrder: order = "completion" } = limits;',
    name: "text to empty",
    reason: "Every order but `task` is by completion.",
  },
  {
    file: "src/job/job-store.ts",
    source: "if (most <= 0) return [];",
    name: "<= to <",
    reason: "Of the tasks that are read for 0, none is taken. For less than 0, SQLite would read all.",
  },
  {
    file: "src/protocols/engine-sampling.ts",
    source: 'code: "custom",',
    name: "text to empty",
    reason: "Issues with a message of their own are told by that message alone. No code is compared with this one.",
  },
  {
    file: "src/protocols/raw-json.ts",
    source:
      'return json.replaceAll(PLACEHOLDERS, (_, index) => [...(values[Number(index)]?.pieces() ?? [])].join(""));',
    name: "?? to its left side",
    reason: "Placeholders are numbered by the values that they stand for, so there is always a value.",
  },
  {
    file: "src/session/batch/image-limits.ts",
    source: "const cut = images.find(({ offset, length }) => offset < maxLength && offset + length > maxLength);",
    name: "< to <=",
    reason: "A row that ends before an image that begins at the limit ends at the limit, as all rows do.",
  },
  {
    file: "src/storage/log/key-index.ts",
    source: "for (const [key, place] of found.sort(([a], [b]) => (a < b ? -1 : 1))) {",
    name: "< to <=",
    reason: "No two keys are the same.",
  },
  {
    file: "src/storage/log/log-position.ts",
    source: "if (packed < MANTISSA) return packed;",
    name: "< to <=",
    reason: "The first size with an exponent is its own packed form too.",
  },
  {
    file: "src/support/json/elements.ts",
    source: "if (byte <= SPACE) continue;",
    name: "condition to false",
    reason: "White space is skipped sooner. No comparison below it is about white space.",
  },
  {
    file: "src/support/json/elements.ts",
    source: "if (byte <= SPACE) continue;",
    name: "<= to <",
    reason: "The same, for the space alone.",
  },
  {
    file: "src/view/sources/search-episodes.ts",
    source: "if (index % 64 === 0) {",
    name: "condition to true",
    reason: "Other work gets its turn more often. What is found is the same.",
  },
  {
    file: "src/view/sources/search-episodes.ts",
    source: "await eventLoop.yield();",
    name: "await dropped",
    reason: "Other work waits longer for its turn. What is found is the same.",
  },
  {
    file: "src/scheduler/slurm/step/step-process.ts",
    source: "await makeEnd(running.ended, [",
    name: "await dropped",
    reason: "It ends when srun has ended, which the line after it waits for too.",
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
