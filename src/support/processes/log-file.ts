import { closeSync, constants, fstatSync, readSync, statSync } from "node:fs";
import { openRegularFileSync } from "../regular-file.js";

const MAX_BYTES = 4096;
const MAX_LINES = 5;

/** Returns the size of a log in bytes; 0 if it does not exist yet. */
export function logLength(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Returns a sentence that names the log of a process and shows the last lines that the process wrote there.
 *
 * @param from offset in bytes at which the process's own part of the log begins, after the parts of earlier runs
 */
export function describeLogEnd(file: string, from: number): string {
  const lines = readTail(file, from).trimEnd().split("\n").slice(-MAX_LINES);
  const text = lines.join("\n");
  return text.trim() === "" ? `It wrote nothing to its log, ${file}.` : `Its log, ${file}, ends with:\n${text}`;
}

function readTail(file: string, from: number): string {
  if (logLength(file) === 0) return "";
  const descriptor = openRegularFileSync(file, constants.O_RDONLY);
  try {
    const { size } = fstatSync(descriptor);
    const start = Math.max(from, size - MAX_BYTES);
    const bytes = Buffer.alloc(Math.max(0, size - start));
    return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, bytes.length, start));
  } finally {
    closeSync(descriptor);
  }
}
