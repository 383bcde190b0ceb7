import { stat } from "node:fs/promises";
import { removeBatchNumber } from "../../transcript/batch-number.js";
import type { MetricsLine } from "../../transcript/format.js";
import { metricsFileOf, readMetrics } from "../../transcript/metrics-file.js";

/** Larger files are ignored. A line has about a kilobyte. */
const MAX_BYTES = 256 << 20;

/** The metrics that a job writes beside its batches. The file may be missing, and grows. */
export class RunMetrics {
  readonly #paths: readonly string[];
  /** Path, inode, size and time of the file that was read last. */
  #version = "";

  private constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** @param path of a transcript, `<out>.jsonl` */
  static ofTranscript(path: string): RunMetrics {
    return new RunMetrics(path.endsWith(".jsonl") ? [metricsFileOf(path.slice(0, -".jsonl".length))] : []);
  }

  /** @param path of a batch: `<out>`, or `<out>` with the number of the batch before its ending */
  static ofBatch(path: string): RunMetrics {
    return new RunMetrics([path, removeBatchNumber(path)].map(metricsFileOf));
  }

  /** Returns the last line of each step, in the order of the steps; undefined if the file has not changed since the last call. */
  async readChanged(): Promise<readonly MetricsLine[] | undefined> {
    for (const path of this.#paths) {
      const facts = await stat(path).catch(() => undefined);
      if (!facts?.isFile() || facts.size > MAX_BYTES) continue;
      const version = `${path} ${facts.ino} ${facts.size} ${facts.mtimeMs}`;
      if (version === this.#version) return undefined;
      const lines = await readMetrics(path).catch(() => undefined);
      if (lines === undefined) continue;
      this.#version = version;
      return [...new Map(lines.map((line) => [line.step, line])).values()].toSorted((a, b) => a.step - b.step);
    }
    return undefined;
  }
}
