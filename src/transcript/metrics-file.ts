import { z } from "zod";
import { readRegularFile } from "../support/regular-file.js";
import { readJson } from "../support/schema/read-json.js";
import type { MetricsLine } from "./format.js";

/** Returns the metrics file of a job with this `--out`. */
export const metricsFileOf = (out: string): string => `${out}.metrics.jsonl`;

const lineSchema = z.object({ step: z.int(), version: z.int(), time: z.number() }).catchall(z.number());

/** Returns the lines of a metrics file; none if there is no file. */
export async function readMetrics(path: string): Promise<MetricsLine[]> {
  const text = await readRegularFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return parseMetrics(text);
}

/** Returns the lines of the text of a metrics file. Skips a line that is incomplete, because its step is not over. */
export const parseMetrics = (text: string): MetricsLine[] =>
  text.split("\n").flatMap((line) => readJson(lineSchema, line) ?? []);
