import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { z } from "zod";
import { sleep } from "../async/sleep.js";
import { openRegularFile } from "../regular-file.js";

/**
 * The ready line: one line of JSON that a server prints on its standard output when it accepts calls. The process that
 * started it waits for the line instead of polling a port.
 */
const readyLine = z.object({ url: z.url() });

const POLL_MS = 100;
/** Limit of the bytes that are read. A process that prints no ready line may have written gigabytes. */
const LONGEST_LINE_BYTES = 1 << 16;

/**
 * Prints the ready line of this process.
 *
 * @param write writes to standard output. Default: as it is now
 */
export function printReadyLine(
  fields: Readonly<Record<string, unknown>> & { readonly url: string },
  write: (text: string) => void = (text) => process.stdout.write(text),
): void {
  write(`${JSON.stringify({ event: "ready", ...fields, pid: process.pid })}\n`);
}

/** Waits for the first line of an output, and discards the rest. Returns undefined if it ends without a line. */
export async function readFirstLine(output: Readable): Promise<string | undefined> {
  const lines = createInterface(output);
  const line = await new Promise<string | undefined>((resolve) => {
    lines.once("line", resolve).once("close", () => resolve(undefined));
  });
  output.resume();
  return line;
}

/** Polls a file until its first line is a ready line, and returns its `url`. A shared folder may show the line late. */
export async function waitForReadyLine(file: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    signal.throwIfAborted();
    const text = await readBeginning(file).catch(() => "");
    const url = text.includes("\n") ? parseUrl(text.slice(0, text.indexOf("\n"))) : undefined;
    if (url !== undefined) return url;
    await sleep(POLL_MS, signal);
  }
}

async function readBeginning(path: string): Promise<string> {
  const file = await openRegularFile(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST_LINE_BYTES), 0, LONGEST_LINE_BYTES, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

function parseUrl(line: string): string | undefined {
  try {
    return readyLine.parse(JSON.parse(line)).url;
  } catch {
    return undefined;
  }
}
