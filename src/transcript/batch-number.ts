import { format, parse } from "node:path";

const DIGITS = 5;

/** Returns the file of a batch of a job with several batches: its number stands before the ending, as in `batch-00012.safetensors`. */
export function addBatchNumber(file: string, number: number): string {
  const { dir, name, ext } = parse(file);
  return format({ dir, name: `${name}-${String(number).padStart(DIGITS, "0")}`, ext });
}

/** Returns the path that {@link addBatchNumber} was given; the same path if it has no number. */
export function removeBatchNumber(file: string): string {
  return file.replace(/-\d{5,}(\.[^./]+)$/, "$1");
}
