import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { ProxyError } from "../../src/client/errors.js";
import { SessionClient } from "../../src/client/session-client.js";
import { DEFAULT_SAMPLING } from "../../src/facts/recorded-sampling.js";
import type { ServerSettings } from "../../src/server/settings.js";
import { listeningProxy } from "../helpers/listening-proxy.js";

async function openSession(
  options: { taskId?: string; groupId?: string } = {},
  settings: Partial<ServerSettings> = {},
) {
  const { proxy, url, engine } = await listeningProxy({ settings });
  const { admin } = engine;
  await admin.grantCapacity();
  const session = await SessionClient.start(admin, options);
  const client = new OpenAI({
    baseURL: url,
    apiKey: session.sessionApiKey,
    fetch: engine.connections.fetch,
    maxRetries: 0,
  });
  const ask = (text: string, before: OpenAI.ChatCompletionMessageParam[] = []) =>
    client.chat.completions.create({ model: "tiny", messages: [...before, { role: "user", content: text }] });
  return { proxy, url, admin, session, ask };
}

describe("SessionClient over HTTP", () => {
  it("rewards the last call or a named call, and exports discounted rewards", async () => {
    const { session, ask } = await openSession();
    const first = await ask("one");
    const answer = { role: "assistant" as const, content: first.choices[0]?.message.content ?? "" };
    const second = await ask("two", [{ role: "user", content: "one" }, answer]);
    await session.setReward(first.id, 0.5);
    expect(await session.setLastReward(2)).toBe(second.id);
    expect(await session.end()).toBe(2);

    const interactions = await session.exportInteractions(0.25, "individual");
    expect([...interactions.keys()]).toEqual([first.id, second.id]);
    expect([...interactions.values()].map(({ reward, ownReward }) => [reward, ownReward])).toEqual([
      [1, 0.5],
      [2, 2],
    ]);
    expect(interactions.get(second.id)?.parentId).toBe(first.id);
    expect(interactions.get(first.id)?.parentId).toBeUndefined();
  });

  it("rewards, ends and exports a session of a run by its X-Session-ID", async () => {
    const { admin, url } = await openSession();
    await admin.grantCapacity();
    const run = await admin.startRun({ taskId: "math" });
    const session = await SessionClient.ofRun(admin, run, "rollout-7");
    const client = new OpenAI({
      baseURL: url,
      apiKey: run.runApiKey,
      defaultHeaders: { "X-Session-ID": session.xSessionId },
      maxRetries: 0,
    });
    const messages = [{ role: "user" as const, content: "one" }];
    const { id } = await client.chat.completions.create({ model: "tiny", messages });
    const again = await SessionClient.ofRun(admin, run, "rollout-7");
    expect(again.sessionId).toBe(session.sessionId);
    expect(await again.setLastReward(0.5)).toBe(id);
    expect(await session.end()).toBe(1);
    const [interaction] = (await session.exportInteractions()).values();
    expect(interaction).toMatchObject({ id, reward: 0.5 });
  });

  it("decodes tensors to typed arrays: the prompt, then the sampled tokens", async () => {
    const { proxy, session, ask } = await openSession();
    proxy.engine.replies.push({ ids: [300, 301, 302, 303] });
    await ask("one");
    await session.setLastReward(0.5);
    await session.end();
    const [interaction] = (await session.exportInteractions()).values();
    const { input_ids, loss_mask, logprobs, versions, attention_mask, rewards } = interaction?.toTensorDict() ?? {};
    const length = input_ids?.data.length ?? 0;
    expect(length).toBeGreaterThan(4);
    for (const tensor of [input_ids, loss_mask, logprobs, versions, attention_mask]) {
      expect(tensor?.shape).toEqual([1, length]);
    }
    expect(input_ids).toMatchObject({ dtype: "I32" });
    expect([...(input_ids?.data ?? [])].slice(-4)).toEqual([300, 301, 302, 303]);
    expect([...(loss_mask?.data ?? [])]).toEqual([...Array(length - 4).fill(0), 1, 1, 1, 1]);
    expect(logprobs?.data).toBeInstanceOf(Float32Array);
    expect([...(logprobs?.data ?? [])].slice(-4)).toEqual([-0.125, -0.25, -0.375, -0.5]);
    expect([...(versions?.data ?? [])]).toEqual([...Array(length - 4).fill(-1), 0, 0, 0, 0]);
    expect(attention_mask).toEqual({ dtype: "BOOL", shape: [1, length], data: new Uint8Array(length).fill(1) });
    expect(rewards).toEqual({ dtype: "F32", shape: [1], data: Float32Array.of(0.5) });
  });

  it("adds the session's reward to the own rewards of its calls", async () => {
    const { session, ask } = await openSession();
    const first = await ask("one");
    const answer = { role: "assistant" as const, content: first.choices[0]?.message.content ?? "" };
    const second = await ask("two", [{ role: "user", content: "one" }, answer]);
    await session.setReward(first.id, 0.1);
    await session.setSessionReward(0.3);
    await session.end();
    const interactions = await session.exportInteractions(0.5);
    expect(interactions.sessionReward).toBe(0.3);
    expect([...interactions].map(([id, { reward, ownReward }]) => [id, reward, ownReward])).toEqual([
      [first.id, 0.1 + 0.3 * 0.5, 0.1],
      [second.id, 0.3, undefined],
    ]);
  });

  it("returns sampling parameters, and names the rows whose earlier rewards a concat export ignores", async () => {
    const { proxy, session, ask } = await openSession({}, { chatTemplateType: "concat" });
    const messages = [{ role: "user", content: "one" }];
    const sampled = { model: "policy-7", temperature: 0.7, top_p: 0.9, seed: 11, max_tokens: 8 };
    const reply = await proxy.chat({ id: session.sessionId, key: session.sessionApiKey }, messages, sampled);
    const first = reply.json<OpenAI.ChatCompletion>();
    const answer = { role: "assistant" as const, content: first.choices[0]?.message.content ?? "" };
    const second = await ask("two", [{ role: "user", content: "one" }, answer]);
    await session.setReward(first.id, 1);
    const other = await ask("another conversation");
    await session.end();

    const all = await session.exportInteractions();
    expect(all).toBeInstanceOf(Map);
    expect(all).toMatchObject({ sessionReward: undefined, rewardsMissing: false, incompleteCalls: 0, leftOut: [] });
    expect(all.unrewardedRoots).toEqual([other.id]);
    expect(all.uncountedRewards).toBeUndefined();
    expect(all.get(first.id)).toMatchObject({
      requestedModel: "policy-7",
      droppedTools: [],
      attempt: 0,
      cause: undefined,
    });
    expect(all.get(first.id)?.latency).toBeGreaterThanOrEqual(0);
    expect(all.get(first.id)?.sampling).toEqual({
      ...DEFAULT_SAMPLING,
      temperature: 0.7,
      samplingTemperature: 0.7,
      topP: 0.9,
      seed: 11,
      maxTokens: 8,
    });
    expect(all.get(second.id)?.sampling?.seed).toBeUndefined();

    const leaf = await session.exportInteractions(1, "concat");
    expect(leaf.uncountedRewards).toEqual([second.id]);
    expect(leaf.get(second.id)?.reward).toBe(0);
    const returned = await session.exportInteractions(1, "concat", { concatReward: "return" });
    expect(returned.uncountedRewards).toEqual([]);
    expect(returned.get(second.id)?.reward).toBe(1);
  });

  it("returns messages, completion, engine tokens and parent of each interaction", async () => {
    const { session, ask } = await openSession();
    const first = await ask("one");
    const answer = { role: "assistant" as const, content: first.choices[0]?.message.content ?? "" };
    const before = [{ role: "user" as const, content: "one" }, answer];
    const second = await ask("two", before);
    await session.end();
    const interactions = await session.exportInteractions();
    const leaf = interactions.get(second.id);
    expect(leaf?.parent?.id).toBe(first.id);
    expect(leaf?.messages).toEqual([...before, { role: "user", content: "two" }]);
    expect(leaf?.outputMessages).toEqual([{ role: "assistant", content: second.choices[0]?.message.content }]);
    const { prompt_tokens, completion_tokens, total_tokens } = second.usage ?? {};
    expect(leaf?.completion).toEqual({ ...second, usage: { prompt_tokens, completion_tokens, total_tokens } });
    expect([...(leaf?.modelResponse.outputTokens ?? [])]).toEqual([300, 301, 302]);
  });

  it("returns only the leaf's output in style concat, where its parent is not exported", async () => {
    const { proxy, session, ask } = await openSession({}, { chatTemplateType: "concat" });
    const first = await ask("one");
    proxy.engine.replies.push({ ids: [303] });
    const answer = { role: "assistant" as const, content: first.choices[0]?.message.content ?? "" };
    const second = await ask("two", [{ role: "user", content: "one" }, answer]);
    await session.end();
    const leaf = (await session.exportInteractions(1, "concat")).get(second.id);
    expect(leaf?.parentId).toBe(first.id);
    expect(leaf?.parent).toBeUndefined();
    expect([...(leaf?.modelResponse.outputTokens ?? [])]).toEqual([303]);
    expect(leaf?.completion?.usage.prompt_tokens).toBe(second.usage?.prompt_tokens);
  });

  it("omits messages if includeMessages is false, and rebuilds completions of chat completions only", async () => {
    const { proxy, session, ask } = await openSession();
    await ask("one");
    await proxy.post(
      "/v1/messages",
      { model: "tiny", max_tokens: 8, messages: [{ role: "user", content: "two" }] },
      session.sessionApiKey,
    );
    await session.end();
    const bare = [...(await session.exportInteractions(1, "individual", { includeMessages: false })).values()];
    expect(bare.map(({ messages, outputMessages, completion }) => [messages, outputMessages, completion])).toEqual(
      Array(2).fill([undefined, undefined, undefined]),
    );
    const [chat, message] = (await session.exportInteractions()).values();
    expect(chat?.completion?.object).toBe("chat.completion");
    expect(message).toMatchObject({ api: "messages", completion: undefined });
    expect(message?.outputMessages).toHaveLength(1);
  });

  it("ends its session when its scope is left, even if the session was deleted before", async () => {
    const { proxy, admin, session, ask } = await openSession({ taskId: "math", groupId: "g1" });
    {
      await using scoped = session;
      await ask("one");
      expect(proxy.context.registry.get(scoped.sessionId)).toMatchObject({ state: "active", groupId: "g1" });
    }
    expect(session.sessionId).toBe("math-0");
    expect(proxy.context.registry.get(session.sessionId).state).toBe("ended");

    await admin.grantCapacity();
    {
      await using gone = await SessionClient.start(admin);
      expect(await gone.delete()).toBe(true);
      expect(await gone.delete()).toBe(false);
    }
    expect([...proxy.context.registry.all()]).toHaveLength(1);
  });

  it("throws the proxy's errors with code, status, field and details", async () => {
    const { admin, session, ask } = await openSession();
    const error = async (call: Promise<unknown>) => {
      const thrown: unknown = await call.catch((reason: unknown) => reason);
      expect(thrown).toBeInstanceOf(ProxyError);
      return thrown;
    };
    expect(await error(session.setLastReward(1))).toMatchObject({ code: "no_interactions", status: 400 });
    await ask("one");
    expect(await error(session.setReward("chatcmpl-none", 1))).toMatchObject({
      code: "interaction_not_found",
      param: "interaction_id",
    });
    expect(await error(session.setLastReward(Number.NaN))).toMatchObject({ code: "invalid_value", param: "reward" });
    expect(await error(session.exportInteractions())).toMatchObject({ code: "session_active", status: 409 });
    expect(await error(admin.startSession())).toMatchObject({ code: "no_capacity", status: 429 });
    await session.end();
    expect(await error(admin.exportBatch([session.sessionId, "none"]))).toMatchObject({
      code: "session_not_found",
      details: { sessions: [{ session_id: "none", code: "session_not_found" }] },
    });
  });
});
