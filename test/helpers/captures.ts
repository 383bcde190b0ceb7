import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Capture } from "../real/capture/exchange.js";

const FIXTURES = new URL("../fixtures/engines/", import.meta.url).pathname;

const FOLDERS = { vllm: "vllm-0.32", sglang: "sglang-0.5.23" } as const;

export type CapturedEngine = keyof typeof FOLDERS;

export interface NamedCapture extends Capture {
  readonly name: string;
}

/** Returns the answers of a real server that one script of test/real/capture has taken. */
export function readCaptures(engine: CapturedEngine, script: string): NamedCapture[] {
  const folder = join(FIXTURES, FOLDERS[engine], script);
  return readdirSync(folder)
    .toSorted()
    .map((file) => ({
      name: file.replace(/\.json$/, ""),
      ...(JSON.parse(readFileSync(join(folder, file), "utf8")) as Capture),
    }));
}

export function readCapture(engine: CapturedEngine, script: string, name: string): NamedCapture {
  const found = readCaptures(engine, script).find((capture) => capture.name === name);
  if (!found) throw new Error(`there is no capture ${name} of ${engine}, ${script}`);
  return found;
}

export function isStream({ headers }: Capture): boolean {
  return headers["content-type"]?.startsWith("text/event-stream") ?? false;
}

/** Returns the data of the server-sent events of a capture. The last is not JSON, but "[DONE]". */
export function eventData({ body }: Capture): string[] {
  return body
    .split("\n\n")
    .slice(0, -1)
    .map((event) => event.replace(/^data: /, ""));
}
