import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { NativePrompt } from "../../src/native/contract.js";
import { Compactions } from "../../src/session/turn/compactions.js";
import type { WireExport } from "../helpers/export-json.js";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";
import { readData } from "../helpers/sse.js";
import { until } from "../helpers/until.js";

/** Calls that ask for several answers to one prompt: `n` of chat completions and `candidateCount` of Gemini. */

let proxy: Proxy;
let session: StartedSession;
beforeEach(async () => {
  proxy = await Proxy.start();
  session = await proxy.session();
});
afterEach(() => proxy.close());

const messages = [{ role: "user", content: "a" }];
const GENERATE = "/v1beta/models/tiny:generateContent";
const contents = [{ role: "user", parts: [{ text: "a" }] }];

interface Choice {
  readonly index: number;
  readonly interaction_id: string;
  readonly message: { readonly role: string; readonly content: string };
  readonly finish_reason: string;
}

interface Completion {
  readonly id: string;
  readonly choices: readonly Choice[];
  readonly usage: Readonly<Record<string, unknown>>;
}

interface Candidate {
  readonly index: number;
  readonly interactionId: string;
  readonly content: { readonly parts: readonly { readonly text: string }[] };
}

const textOf = (ids: readonly number[]) =>
  proxy.context.model.decode(Int32Array.from(ids), { skipSpecialTokens: true });

const OUTPUTS = [[300], [301, 302], [303, 304, 305]];

function sayAll(outputs: readonly (readonly number[])[] = OUTPUTS): void {
  for (const ids of outputs) proxy.engine.replies.push({ ids });
}

const recorded = () => {
  const { context } = proxy;
  const own = context.registry.get(session.id);
  return Array.from({ length: own.interactionCount }, (_, index) => own.interaction(index));
};

async function askFor(n: number, extra: object = {}, headers = {}): Promise<Reply> {
  return proxy.chat(session, messages, { n, ...extra }, headers);
}

describe("a chat completion with n", () => {
  it("has n choices, each with the interaction that recorded it; the id is the first's", async () => {
    sayAll();
    const reply = await askFor(3);
    const { id, choices, usage } = reply.json<Completion>();
    expect(reply.headers["x-rolltape-interactions"]).toBe(choices.map((each) => each.interaction_id).join(", "));
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(choices.map(({ message }) => message.content)).toEqual(OUTPUTS.map(textOf));
    expect(choices.map((choice) => choice.interaction_id)).toEqual(recorded().map((each) => each.id));
    expect(choices[0]?.interaction_id).toBe(id);
    expect(new Set(choices.map((choice) => choice.interaction_id)).size).toBe(3);
    const [call] = proxy.engine.calls;
    expect(usage).toMatchObject({ prompt_tokens: call?.prompt.length, completion_tokens: 6 });
  });

  it("names the interaction of its only choice, too", async () => {
    const { id, choices } = (await askFor(1)).json<Completion>();
    expect(choices).toHaveLength(1);
    expect(choices[0]?.interaction_id).toBe(id);
  });

  it("asks the engine for each choice under the id of its interaction", async () => {
    const { choices } = (await askFor(2)).json<Completion>();
    expect(proxy.engine.calls.map(({ id }) => id)).toEqual(choices.map((choice) => choice.interaction_id));
  });

  it("asks the engine n times with one prompt, one affinity, and one more seed each", async () => {
    sayAll();
    await askFor(3, { seed: 7 });
    const { calls } = proxy.engine;
    expect(new Set(calls.map(({ prompt }) => [...prompt.tokens()].join())).size).toBe(1);
    expect(new Set(calls.map(({ affinityKey }) => affinityKey)).size).toBe(1);
    expect(calls.map(({ sampling }) => sampling.seed)).toEqual([7, 8, 9]);
    expect(recorded().map(({ sampling }) => sampling?.seed)).toEqual([7, 8, 9]);
  });

  it("calls the engine for each choice in a separate iteration of the event loop, with the same prompt", async () => {
    sayAll();
    let iteration = 0;
    const tick = () => {
      iteration++;
      next = setImmediate(tick);
    };
    let next = setImmediate(tick);
    const calls: { readonly at: number; readonly prompt: NativePrompt }[] = [];
    const original = proxy.engine.generate.bind(proxy.engine);
    vi.spyOn(proxy.engine, "generate").mockImplementation((call) => {
      calls.push({ at: iteration, prompt: call.prompt });
      return original(call);
    });
    expect((await askFor(3)).status).toBe(200);
    clearImmediate(next);
    expect(new Set(calls.map(({ at }) => at)).size).toBe(3);
    expect(new Set(calls.map(({ prompt }) => prompt)).size).toBe(1);
  });

  it("searches once for the conversation that it was compacted from", async () => {
    const search = vi.spyOn(Compactions.prototype, "find");
    onTestFinished(() => search.mockRestore());
    sayAll();
    await askFor(3);
    expect(recorded()).toHaveLength(3);
    expect(search).toHaveBeenCalledOnce();
  });

  it("keeps the largest seed within the safe integers", async () => {
    sayAll();
    await askFor(2, { seed: Number.MAX_SAFE_INTEGER });
    const seeds = proxy.engine.calls.map(({ sampling }) => sampling.seed);
    expect(seeds).toEqual([Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1]);
  });

  it("gives each choice a reward of its own, and a row of its own that says which choice it is", async () => {
    sayAll();
    const { choices } = (await askFor(3)).json<Completion>();
    for (const [i, choice] of choices.entries()) {
      expect((await proxy.reward(session, i / 4, choice.interaction_id)).status).toBe(200);
    }
    await proxy.end(session);
    const { interactions } = (await proxy.export(session)).json<WireExport>();
    const rows = Object.values(interactions) as unknown as Record<string, unknown>[];
    expect(rows.map(({ reward, choice, choices: of, parent_id }) => [reward, choice, of, parent_id])).toEqual([
      [0, 0, 3, null],
      [0.25, 1, 3, null],
      [0.5, 2, 3, null],
    ]);
  });

  it("is continued from whichever choice the next request repeats", async () => {
    sayAll();
    const { choices } = (await askFor(3)).json<Completion>();
    const chosen = choices[1];
    await proxy.chat(session, [...messages, chosen?.message ?? {}, { role: "user", content: "go on" }]);
    expect(recorded().at(-1)?.parent).toBe(1);
  });

  it.each([0, -1, 1.5, 65, "2"])("is refused for n = %j", async (n) => {
    const reply = await proxy.chat(session, messages, { n });
    expect([reply.status, reply.error.param]).toEqual([400, "n"]);
    expect(proxy.engine.calls).toHaveLength(0);
  });
});

describe("the failure of one choice", () => {
  it("fails the whole call, aborts the others and records nothing", async () => {
    const release = proxy.engine.hold();
    proxy.engine.replies.push({ ids: [300] }, new Error("broke"), { ids: [301] });
    const call = askFor(3);
    await expect.poll(() => proxy.engine.calls.length).toBe(3);
    release();
    const reply = await call;
    expect(reply.status).toBeGreaterThanOrEqual(500);
    expect(reply.headers).not.toHaveProperty("x-rolltape-interactions");
    expect(recorded()).toEqual([]);
    expect(proxy.context.registry.get(session.id).calls.size).toBe(0);
  });

  it("ends a stream with an error event, and records nothing", async () => {
    proxy.engine.replies.push(
      { ids: [300, 301] },
      {
        ids: [302, 303],
        perFrame: 1,
        beforeFrame: (frame) => {
          if (frame > 0) throw new Error("broke");
        },
      },
    );
    const events = readData((await askFor(2, { stream: true })).raw.toString());
    expect(events.at(-1)).toHaveProperty("error");
    expect(recorded()).toEqual([]);
  });
});

interface Chunk {
  readonly id: string;
  readonly choices: readonly {
    readonly index: number;
    readonly interaction_id?: string;
    readonly delta: { readonly content?: string };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: { readonly completion_tokens: number } | null;
}

describe("a streamed chat completion with n", () => {
  it("has chunks with the index of their choice, and names each interaction in the choice's first chunk", async () => {
    for (const ids of OUTPUTS) proxy.engine.replies.push({ ids, perFrame: 1 });
    const reply = await askFor(3, { stream: true, stream_options: { include_usage: true } });
    const chunks = readData(reply.raw.toString()).filter((data) => typeof data === "object") as unknown as Chunk[];
    const ids = recorded().map((each) => each.id);
    expect(new Set(chunks.map(({ id }) => id))).toEqual(new Set([ids[0]]));
    const parts = chunks.flatMap(({ choices }) => choices);
    const ofChoice = (index: number) => parts.filter((part) => part.index === index);
    for (const [i, output] of OUTPUTS.entries()) {
      const own = ofChoice(i);
      expect(own[0]?.interaction_id).toBe(ids[i]);
      expect(own.map(({ delta }) => delta.content ?? "").join("")).toBe(textOf(output));
      expect(own.filter(({ finish_reason: reason }) => reason !== null)).toHaveLength(1);
      expect(own.at(-1)?.finish_reason).toBe("stop");
    }
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(6);
  });

  it("is recorded before its last event", async () => {
    sayAll();
    await askFor(3, { stream: true });
    expect(recorded().map(({ choice, choices }) => [choice, choices])).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ]);
  });
});

describe("a Gemini request with candidateCount", () => {
  const ask = (path: string, candidateCount: number) =>
    proxy.post(path, { contents, generationConfig: { candidateCount } }, session.key);

  it("has that many candidates, each with its interaction; the responseId is the first's", async () => {
    sayAll();
    const { candidates, responseId, usageMetadata } = (await ask(GENERATE, 3)).json<{
      candidates: Candidate[];
      responseId: string;
      usageMetadata: { candidatesTokenCount: number };
    }>();
    const ids = recorded().map((each) => each.id);
    expect(candidates.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(candidates.map((candidate) => candidate.interactionId)).toEqual(ids);
    expect(candidates.map(({ content }) => content.parts[0]?.text)).toEqual(OUTPUTS.map(textOf));
    expect(responseId).toBe(ids[0]);
    expect(usageMetadata.candidatesTokenCount).toBe(6);
  });

  it("streams chunks with the index of their candidate, and ends all candidates in the last one", async () => {
    sayAll();
    const reply = await ask("/v1beta/models/tiny:streamGenerateContent?alt=sse", 3);
    const chunks = readData(reply.raw.toString()) as unknown as { candidates: Candidate[] }[];
    const ids = recorded().map((each) => each.id);
    expect(chunks.at(-1)?.candidates.map((candidate) => candidate.interactionId)).toEqual(ids);
    for (const [i, output] of OUTPUTS.entries()) {
      const own = chunks.flatMap(({ candidates }) => candidates.filter(({ index }) => index === i));
      expect(own.flatMap(({ content }) => content.parts.map(({ text }) => text)).join("")).toBe(textOf(output));
    }
  });

  it("is refused beyond the configured number", async () => {
    const reply = await ask(GENERATE, 65);
    expect(reply.status).toBe(400);
    expect(reply.error.message).toContain("generationConfig.candidateCount must be between 1 and 64");
  });
});

describe("the limits of a session", () => {
  const limited = async (sessionLimits: object) => {
    await proxy.close();
    const { context } = proxy;
    proxy = await Proxy.start({
      settings: { sessionLimits: { ...context.settings.sessionLimits, ...sessionLimits } },
    });
    session = await proxy.session();
  };

  it("count each choice as a call in flight", async () => {
    await limited({ concurrentCalls: 3 });
    expect((await askFor(4)).refusal).toBe("400 invalid_value");
    expect(proxy.engine.calls).toHaveLength(0);
    const release = proxy.engine.hold();
    const two = askFor(2);
    await until(() => proxy.engine.calls.length > 0);
    expect((await askFor(2)).refusal).toBe("429 too_many_calls");
    release();
    expect((await two).status).toBe(200);
    proxy.engine.pass();
    sayAll();
    expect((await askFor(3)).status).toBe(200);
    expect((await askFor(3)).status).toBe(200);
  });

  it("count each choice as a recorded call", async () => {
    await limited({ calls: 4 });
    expect((await askFor(3)).status).toBe(200);
    expect((await askFor(2)).refusal).toBe("403 session_limit");
    expect((await askFor(1)).status).toBe(200);
  });
});

describe("a retry of a call with n", () => {
  const retry = { "x-stainless-retry-count": "1" };
  const leftOut = () => proxy.context.registry.get(session.id).leftOut.list();

  it("leaves out all choices of the earlier call once a choice of the retry is continued", async () => {
    const keyed = { "idempotency-key": "one" };
    sayAll([[300], [301]]);
    await askFor(2, {}, keyed);
    sayAll([[302], [303]]);
    const { choices } = (await askFor(2, {}, { ...keyed, ...retry })).json<Completion>();
    expect(leftOut()).toEqual([]);
    await proxy.chat(session, [...messages, choices[1]?.message ?? {}, { role: "user", content: "go on" }]);
    expect(leftOut()).toEqual([
      { index: 0, reason: "retried" },
      { index: 1, reason: "retried" },
    ]);
  });

  it("with another n is no retry", async () => {
    sayAll([[300], [301]]);
    await askFor(2);
    sayAll();
    const { choices } = (await askFor(3, {}, retry)).json<Completion>();
    await proxy.chat(session, [...messages, choices[2]?.message ?? {}, { role: "user", content: "go on" }]);
    expect(leftOut()).toEqual([]);
  });

  it("with the same idempotency-key aborts all choices that are in flight", async () => {
    const key = { "idempotency-key": "k" };
    proxy.engine.hold();
    const first = askFor(3, {}, key);
    await expect.poll(() => proxy.engine.calls.length).toBe(3);
    proxy.engine.pass();
    const second = await askFor(3, {}, { ...key, ...retry });
    expect(second.status).toBe(200);
    expect((await first).error.code).toBe("call_superseded");
    expect(proxy.engine.aborted).toHaveLength(3);
    expect(recorded()).toHaveLength(3);
  });
});
