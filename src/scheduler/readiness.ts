import { open } from "node:fs/promises";
import { z } from "zod";
import { sleep } from "../support/async/sleep.js";

const LOOK_MS = 100;
/** A ready line is shorter; a process without one may have written gigabytes. */
const LONGEST_LINE_BYTES = 1 << 16;
const ASK_TIMEOUT_MS = 3_000;

const readyLine = z.object({ url: z.url() });

/** Waits for the first line of a process's output, which a shared folder may show late. Answers its `url`. */
export async function readyLineOf(file: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    signal.throwIfAborted();
    const text = await beginningOf(file).catch(() => "");
    const url = text.includes("\n") ? urlIn(text.slice(0, text.indexOf("\n"))) : undefined;
    if (url !== undefined) return url;
    await sleep(LOOK_MS, signal);
  }
}

async function beginningOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST_LINE_BYTES), 0, LONGEST_LINE_BYTES, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Waits until a URL answers well. Answers its origin. */
export async function answering(url: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    signal.throwIfAborted();
    try {
      const answer = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(ASK_TIMEOUT_MS)]) });
      await answer.body?.cancel();
      if (answer.ok) return new URL(url).origin;
    } catch {
      // Not there yet.
    }
    await sleep(LOOK_MS, signal);
  }
}

function urlIn(line: string): string | undefined {
  try {
    return readyLine.parse(JSON.parse(line)).url;
  } catch {
    return undefined;
  }
}
