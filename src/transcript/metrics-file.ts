import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { MetricsLine } from "./format.js";

/** Name of the file with the metrics of a job with this `--out`. */
export const metricsFileOf = (out: string): string => `${out}.metrics.jsonl`;

const lineSchema = z.object({ step: z.int(), version: z.int(), time: z.number() }).catchall(z.number());

/** Returns the lines of a metrics file; none if there is no file. A line that is torn belongs to a step that is not over. */
export async function readMetrics(path: string): Promise<MetricsLine[]> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return text.split("\n").flatMap((line) => parseLine(line) ?? []);
}

function parseLine(text: string): MetricsLine | undefined {
  try {
    return lineSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
