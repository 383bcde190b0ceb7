import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";

const MAX_BYTES = 4096;
const MAX_LINES = 5;

/** How long a log is; 0 where it is not there yet. */
export function lengthOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Where to read why a process ended, and the last lines that it wrote there.
 *
 * @param from where its own part of the log begins: before are those of earlier runs
 */
export function lastWords(file: string, from: number): string {
  const lines = tail(file, from).trimEnd().split("\n").slice(-MAX_LINES);
  const said = lines.join("\n").trim();
  return said === "" ? `It wrote nothing to its log, ${file}.` : `Its log, ${file}, ends with:\n${lines.join("\n")}`;
}

function tail(file: string, from: number): string {
  if (lengthOf(file) === 0) return "";
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    const start = Math.max(from, size - MAX_BYTES);
    const bytes = Buffer.alloc(Math.max(0, size - start));
    return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, bytes.length, start));
  } finally {
    closeSync(descriptor);
  }
}
