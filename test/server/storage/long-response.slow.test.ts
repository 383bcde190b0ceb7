import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { STEP_BYTES } from "../../../src/server/memory/split-base64.js";
import type { SessionJournal } from "../../../src/session/stored/journal.js";
import { eventLoop } from "../../../src/support/async/event-loop.js";
import { runAtOnce } from "../../../src/support/async/steps.js";
import { AlternativesEngine } from "../../helpers/alternatives-engine.js";
import { Proxy, type StartedSession } from "../../helpers/proxy.js";

/** Stored responses with many log probabilities: they are written in iterations of the event loop, and read again after a restart. */

const WIDTH = 20;
const TOKENS = 3000;

let directory: string;
let proxy: Proxy<AlternativesEngine>;
const start = async () => {
  proxy = await Proxy.start({ engine: new AlternativesEngine(TOKENS, WIDTH), storage: { directory } });
};
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "rolltape-long-response-"));
  await start();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await proxy.close();
  rmSync(directory, { recursive: true });
});

function journalOf({ context }: Proxy<AlternativesEngine>, { id }: StartedSession): SessionJournal {
  const { journal } = context.registry.get(id).data;
  if (!journal) throw new Error("sessions are not stored");
  return journal;
}

const respond = ({ key }: StartedSession) =>
  proxy.post(
    "/v1/responses",
    { input: "hello", include: ["message.output_text.logprobs"], top_logprobs: WIDTH, store: true },
    key,
  );

describe("a stored response with many log probabilities", () => {
  it("is written in pieces, which follow each other in separate iterations of the event loop", async () => {
    const session = await proxy.session();
    const stringify = JSON.stringify;
    const lengths: number[] = [];
    vi.spyOn(JSON, "stringify").mockImplementation((...args: Parameters<typeof stringify>) => {
      const text = stringify(...args);
      lengths.push(text?.length ?? 0);
      return text;
    });
    let iterations = 0;
    const tick = () => {
      iterations++;
      ticker = setImmediate(tick);
    };
    let ticker = setImmediate(tick);
    const flushed = vi.spyOn(proxy.context.registry, "flushed");
    const journal = journalOf(proxy, session);
    const save = journal.saveResponse.bind(journal);
    let before = 0;
    vi.spyOn(journal, "saveResponse").mockImplementationOnce((...args) => {
      before = iterations;
      return save(...args);
    });
    let after = 0;
    flushed.mockImplementation(async () => {
      after ||= before === 0 ? 0 : iterations;
    });
    expect((await respond(session)).status).toBe(200);
    clearImmediate(ticker);
    const base64Bytes = (8 * TOKENS * (1 + WIDTH) * 4) / 3;
    expect(Math.max(...lengths)).toBeLessThan(base64Bytes / 10);
    expect(after - before).toBeGreaterThanOrEqual(Math.floor(base64Bytes / (64 * 1024)));
  });

  it("is the same after a restart", async () => {
    const session = await proxy.session();
    const sent = await respond(session);
    await proxy.close();
    await start();
    const url = `/v1/responses/${sent.json<{ id: string }>().id}`;
    const read = await proxy.request({ url }, session.key);
    expect(read.json()).toEqual(sent.json());
  });

  it("is read in steps after a restart, once for requests that come together", async () => {
    const session = await proxy.session();
    const sent = await respond(session);
    await proxy.close();
    await start();
    const read = vi.spyOn(journalOf(proxy, session), "readResponse");
    const parse = JSON.parse;
    const lengths: number[] = [];
    vi.spyOn(JSON, "parse").mockImplementation((...args: Parameters<typeof parse>) => {
      // Only the stored record: this helper parses the answer, too.
      if (args[0].startsWith('{"answer":')) lengths.push(args[0].length);
      return parse(...args) as unknown;
    });
    const next = vi.spyOn(eventLoop, "yield");
    const url = `/v1/responses/${sent.json<{ id: string }>().id}`;
    const answers = await Promise.all([proxy.request({ url }, session.key), proxy.request({ url }, session.key)]);
    const base64Bytes = (8 * TOKENS * (1 + WIDTH) * 4) / 3;
    expect(lengths).toHaveLength(1);
    expect(lengths[0]).toBeLessThan(base64Bytes / 10);
    expect(read).toHaveBeenCalledOnce();
    expect(next.mock.calls.length).toBeGreaterThanOrEqual(Math.floor(base64Bytes / STEP_BYTES));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it("is not written if its session expires meanwhile", async () => {
    const session = await proxy.session();
    const registry = proxy.context.registry;
    const journal = journalOf(proxy, session);
    const save = journal.saveResponse.bind(journal);
    let saving: Promise<void> | undefined;
    vi.spyOn(journal, "saveResponse").mockImplementation((...args) => {
      saving = save(...args);
      registry.get(session.id).free("expired");
      return saving;
    });
    await respond(session);
    await saving;
    expect(runAtOnce(journal.readResponse(0))).toBeUndefined();
  });
});
