import type { FileAccess } from "../../support/file-access.js";
import { removeBatchNumber } from "../../transcript/batch-number.js";
import type { MetricsLine } from "../../transcript/format.js";
import { metricsFileOf, parseMetrics } from "../../transcript/metrics-file.js";
import { readBytes } from "../../transcript/read-line.js";

/** Larger files are ignored. A line has about a kilobyte. */
const MAX_BYTES = 256 << 20;

/** The metrics that a job writes beside its batches. The file may be missing, and grows. */
export class RunMetrics {
  readonly #paths: readonly string[];
  readonly #files: FileAccess;
  /** Path, inode, size and time of the file that was read last. */
  #version = "";

  private constructor(paths: readonly string[], files: FileAccess) {
    this.#paths = paths;
    this.#files = files;
  }

  /** @param path of a transcript, `<out>.jsonl` */
  static ofTranscript(path: string, files: FileAccess): RunMetrics {
    return new RunMetrics(path.endsWith(".jsonl") ? [metricsFileOf(path.slice(0, -".jsonl".length))] : [], files);
  }

  /** @param path of a batch: `<out>`, or `<out>` with the number of the batch before its ending */
  static ofBatch(path: string, files: FileAccess): RunMetrics {
    return new RunMetrics([path, removeBatchNumber(path)].map(metricsFileOf), files);
  }

  /** Returns the last line of each step, in the order of the steps; undefined if the file has not changed since the last call. */
  async readChanged(): Promise<readonly MetricsLine[] | undefined> {
    for (const path of this.#paths) {
      const file = await this.#files.open(path).catch(() => undefined);
      if (!file) continue;
      try {
        const { size, ino, mtimeMs } = await file.stat();
        if (size > MAX_BYTES) continue;
        const version = `${path} ${ino} ${size} ${mtimeMs}`;
        if (version === this.#version) return undefined;
        const lines = parseMetrics((await readBytes(file, 0, size)).toString());
        this.#version = version;
        return [...new Map(lines.map((line) => [line.step, line])).values()].toSorted((a, b) => a.step - b.step);
      } catch {
        // Like a missing file.
      } finally {
        await file.close();
      }
    }
    return undefined;
  }
}
