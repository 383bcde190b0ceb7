import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { z } from "zod";

/** The compiled command line. */
export const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** The line that `rolltape serve` prints when it accepts calls. */
const readyEvent = z.strictObject({
  event: z.literal("ready"),
  url: z.url(),
  engine: z.string(),
  model: z.string(),
  model_path: z.string(),
  admin_key_file: z.string().optional(),
  tool_call_parser: z.string(),
  reasoning_parser: z.string(),
  chat_template_type: z.enum(["hf", "concat"]),
  images: z.enum(["refuse", "placeholder", "tokens"]),
  chat_template_type_chosen_by: z.string().optional(),
  worker_tag: z.string().optional(),
  workers: z.array(z.strictObject({ name: z.string(), tag: z.string(), url: z.url(), pid: z.int() })).optional(),
  probe_url: z.url().optional(),
  not_ready: z.array(z.strictObject({ key: z.string(), message: z.string() })).optional(),
  warnings: z.array(z.strictObject({ key: z.string(), message: z.string() })).optional(),
  pid: z.int(),
});

export interface Ended {
  /** Exit status; null after a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Rolltape {
  readonly process: ChildProcessWithoutNullStreams;
  /** Returns the ready line. If the process ends without one, rejects with its standard error. */
  ready(): Promise<z.infer<typeof readyEvent>>;
  /** Returns the first line of standard output, as JSON. Rejects like {@link ready}. */
  line<T>(): Promise<T>;
  /** Waits until standard error contains this text. Rejects if the process ends without it. */
  logged(text: string): Promise<void>;
  /** Waits until standard error matches this pattern, and returns the match. Rejects like {@link logged}. */
  loggedMatch(pattern: RegExp): Promise<readonly string[]>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<Ended>;
}

/** Creates a folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-cli-"));
  // A worker whose parent was killed may still close its storage.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** Starts the compiled command line in an environment without keys. The process is ended when the test ends. */
export function rolltape(args: readonly string[], env: Readonly<Record<string, string>> = {}): Rolltape {
  const { ROLLTAPE_ADMIN_API_KEY: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...inherited, ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, stdout, stderr }));
  const until = async (condition: () => boolean) => {
    while (!condition()) {
      const waiting = new AbortController();
      const outputs = [child.stdout, child.stderr].map((stream) => once(stream, "data", { signal: waiting.signal }));
      const output = Promise.race(outputs).then(() => undefined);
      const last = await Promise.race([output, ended]);
      for (const each of outputs) each.catch(() => undefined);
      waiting.abort();
      if (last && !condition()) throw new Error(`rolltape ended with status ${last.code}: ${last.stderr}`);
    }
  };
  const line = async <T>() => {
    await until(() => stdout.includes("\n"));
    return JSON.parse(stdout.slice(0, stdout.indexOf("\n"))) as T;
  };
  return {
    process: child,
    ended,
    line,
    ready: async () => readyEvent.parse(await line()),
    logged: (text) => until(() => stderr.includes(text)),
    loggedMatch: async (pattern) => {
      await until(() => pattern.test(stderr));
      return pattern.exec(stderr) ?? [];
    },
  };
}

/** Runs the compiled command line until it ends. */
export function runRolltape(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended> {
  return rolltape(args, env).ended;
}
