import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BatchOptionsInput } from "../../src/session/batch/batch-options.js";
import { batchOptions, manySessions } from "../helpers/export-model/arbitraries.js";
import { type ModelledSession, modelSession } from "../helpers/export-model/modelled-session.js";
import { modelOutcome, type Outcome, readBatchFile } from "../helpers/export-model/outcome.js";
import { recordCalls } from "../helpers/export-model/record.js";
import { Proxy, type Reply } from "../helpers/proxy.js";
import { sharedDirectory } from "../helpers/shared-directory.js";

let proxy: Proxy;
beforeEach(async () => {
  proxy = await Proxy.start({ settings: { sharedMemory: { directory: sharedDirectory() } } });
});
afterEach(() => proxy.close());

/** Returns the session with the id that the server assigned. */
function recorded({ taskId = "task", groupId, turns, sessionReward }: ModelledSession): ModelledSession {
  const { registry } = proxy.context;
  registry.grant(1);
  const { session } = registry.start({ taskId, groupId });
  recordCalls(session, turns, { sessionReward, hasChannels: false });
  return { sessionId: session.id, taskId, groupId, turns, sessionReward };
}

function ask(sessions: readonly ModelledSession[], options: BatchOptionsInput, transport: string): Promise<Reply> {
  const fields = Object.entries(options).map(([name, value]) => [name.replace(/[A-Z]/gu, "_$&").toLowerCase(), value]);
  const session_ids = sessions.map((session) => session.sessionId);
  return proxy.post("/export_batch", { session_ids, transport, ...Object.fromEntries(fields) });
}

/** Returns the library's spelling of an option's HTTP name. */
function librarySpelling(param: string): string {
  if (/[A-Z]/.test(param)) throw new Error(`${param} is not a name of the HTTP API`);
  return param.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Reads the batch from the response, or from the shared-memory file that it names, and acknowledges the file. */
async function readOutcome(reply: Reply): Promise<Outcome> {
  if (reply.status >= 400) {
    const { code, param, message: _, type: __, ...details } = reply.error;
    return { refusal: { code, ...(param === null ? {} : { param: librarySpelling(String(param)) }), details } };
  }
  if (reply.headers["content-type"] === "application/vnd.safetensors") return { file: readBatchFile(reply.raw) };
  const lent = reply.json<{ id: string; path: string; byte_length: number }>();
  const bytes = readFileSync(lent.path);
  if (bytes.length !== lent.byte_length) throw new Error(`${bytes.length} bytes, ${lent.byte_length} were told`);
  await proxy.request({ method: "DELETE", url: `/export_batch/${lent.id}` });
  return { file: readBatchFile(bytes) };
}

describe("POST /export_batch of random sessions", () => {
  it("returns the same rows as a model of the sessions, or the same errors", async () => {
    const property = fc.asyncProperty(
      manySessions({ undelivered: true }),
      batchOptions,
      fc.constantFrom("body", "shm"),
      async ({ all, exported }, options, transport) => {
        const named = new Map(all.map((session) => [session, recorded(session)]));
        const asked = exported.flatMap((session) => named.get(session) ?? []);
        const outcome = await readOutcome(await ask(asked, options, transport));
        expect(outcome).toEqual(modelOutcome(asked, options));
        // Every session can be exported now, even if it was exported or refused before.
        const everything = [...named.values()];
        expect(await readOutcome(await ask(everything, {}, "body"))).toEqual(modelOutcome(everything, {}));
      },
    );
    await fc.assert(property, { numRuns: 250 });
  }, 120_000);
});

/** Makes two calls. The second does not continue the tokens of the first. */
function inexact(): ModelledSession {
  const step = {
    from: 0,
    question: 1,
    answer: 1,
    at: 0,
    tail: [4],
    reward: undefined,
    finishReason: "stop",
    model: undefined,
    tag: undefined,
    undelivered: false,
  };
  const output = [{ id: 9, logprob: -1, version: 0 }];
  return modelSession("", [
    { ...step, history: "root", prompt: "unrelated", tail: [1, 2, 3], output },
    { ...step, history: "continued", prompt: "changed", output },
  ]);
}

describe("errors of POST /export_batch", () => {
  it.each<[BatchOptionsInput, string | null, RegExp]>([
    [{ maxLength: 3 }, "max_length", /longer than max_length 3.*a larger max_length/s],
    [{ layout: "tree", maxLength: 3 }, "max_length", /max_length must be absent/],
    [{ style: "concat" }, null, /on_mismatch "split"/],
  ])("spell option names as in HTTP bodies: %j", async (options, param, message) => {
    const { error } = await ask([recorded(inexact())], options, "body");
    expect(error).toMatchObject({ param, message: expect.stringMatching(message) as string });
  });
});
