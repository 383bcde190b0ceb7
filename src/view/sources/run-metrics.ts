import { stat } from "node:fs/promises";
import type { MetricsLine } from "../../transcript/format.js";
import { metricsFileOf, readMetrics } from "../../transcript/metrics-file.js";

/** A larger file is not one of a job: a line has about a kilobyte. */
const MAX_BYTES = 256 << 20;

/** The metrics that a job writes beside its batches. The file may be missing, and grows. */
export class RunMetrics {
  readonly #paths: readonly string[];
  #read = "";

  private constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** @param path of a transcript, `<out>.jsonl` */
  static ofTranscript(path: string): RunMetrics {
    return new RunMetrics(path.endsWith(".jsonl") ? [metricsFileOf(path.slice(0, -".jsonl".length))] : []);
  }

  /** @param path of a batch: `<out>`, or `<out>` with the number of the batch before its ending */
  static ofBatch(path: string): RunMetrics {
    return new RunMetrics([path, path.replace(/-\d{5,}(\.[^./]+)$/, "$1")].map(metricsFileOf));
  }

  /** Returns the lines, the last of each step, by step; undefined if the file has not changed since the last call. */
  async readChanged(): Promise<readonly MetricsLine[] | undefined> {
    for (const path of this.#paths) {
      const facts = await stat(path).catch(() => undefined);
      if (!facts?.isFile() || facts.size > MAX_BYTES) continue;
      const version = `${path} ${facts.ino} ${facts.size} ${facts.mtimeMs}`;
      if (version === this.#read) return undefined;
      const lines = await readMetrics(path).catch(() => undefined);
      if (lines === undefined) continue;
      this.#read = version;
      return [...new Map(lines.map((line) => [line.step, line])).values()].toSorted((a, b) => a.step - b.step);
    }
    return undefined;
  }
}
