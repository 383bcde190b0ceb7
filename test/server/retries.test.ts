import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../../src/session/session.js";
import { loseAnswer as loseAnswerOf } from "../helpers/lost-answer.js";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";
import { RawClient } from "../helpers/raw-client.js";
import { until } from "../helpers/until.js";

let proxy: Proxy;
let url: URL;
let started: StartedSession;
let session: Session;
beforeAll(async () => {
  proxy = await Proxy.start();
  url = new URL(await proxy.app.listen({ host: "127.0.0.1", port: 0 }));
});
afterAll(() => proxy.close());
beforeEach(async () => {
  started = await proxy.session();
  session = proxy.context.registry.get(started.id);
});

const messages = [{ role: "user", content: "a" }];
const retryCount = (count: number) => ({ "x-stainless-retry-count": String(count) });
const keyed = (key: string, count = 0) => ({ ...retryCount(count), "idempotency-key": key });

/** Every answer has a different text, so that its continuation can be told from others. */
let answers = 0;
function nextAnswer() {
  const ids = [300 + answers++];
  return { ids, text: proxy.context.model.decode(Int32Array.from(ids), { skipSpecialTokens: true }) };
}

interface Answered {
  readonly index: number;
  readonly id: string;
  readonly text: string;
}

async function call(headers = {}): Promise<Answered> {
  const { ids, text } = nextAnswer();
  proxy.engine.replies.push({ ids });
  const { id } = (await proxy.chat(started, messages, {}, headers)).json<{ id: string }>();
  const index = session.find(id)?.index;
  if (index === undefined) throw new Error("the call was not recorded");
  return { index, id, text };
}

async function failingCall(headers = {}, extra = {}): Promise<Reply> {
  proxy.engine.replies.push(new Error("broke"));
  return proxy.chat(started, messages, extra, headers);
}

/** Starts a call that the engine holds until `release` is called. */
async function heldCall(headers = {}) {
  const { ids, text } = nextAnswer();
  const before = proxy.engine.calls.length;
  proxy.engine.replies.push({ ids });
  const release = proxy.engine.hold();
  const reply = proxy.chat(started, messages, {}, headers);
  await until(() => proxy.engine.calls.length === before + 1);
  proxy.engine.pass();
  return { reply, text, release };
}

async function loseAnswer(): Promise<number> {
  const body = { model: "tiny", messages };
  proxy.engine.replies.push({ ids: nextAnswer().ids });
  const id = await loseAnswerOf(proxy, url, started, { path: "/v1/chat/completions", body });
  return session.find(id)?.index ?? -1;
}

/** Continues the conversation from this answer. */
async function continueFrom({ text }: Pick<Answered, "text">, parent: number): Promise<void> {
  const before = session.interactionCount;
  await proxy.chat(started, [...messages, { role: "assistant", content: text }, { role: "user", content: "b" }]);
  expect(session.interaction(before).parent).toBe(parent);
}

const leftOut = () => session.leftOut.list();
const retried = (...indices: number[]) => indices.map((index) => ({ index, reason: "retried" }));

describe("an attempt that the client's SDK retries", () => {
  it("is kept while the retry has no child", async () => {
    const first = await call(keyed("one"));
    await call(keyed("one", 1));
    expect(session.leftOut.reasonOf(first.index)).toBeUndefined();
    expect(session.interactionCount).toBe(2);
  });

  it("is left out once the retry has a child", async () => {
    const first = await call(keyed("one"));
    const retry = await call(keyed("one", 1));
    await continueFrom(retry, retry.index);
    expect(session.leftOut.reasonOf(first.index)).toBe("retried");
    expect(leftOut()).toEqual(retried(first.index));
    expect(session.interactionCount).toBe(3);
  });

  it("is kept if it has a child", async () => {
    const first = await call(keyed("one"));
    const retry = await call(keyed("one", 1));
    await continueFrom(retry, retry.index);
    await continueFrom(first, first.index);
    expect(leftOut()).toEqual([]);
  });

  it("is kept if it has a reward, even a later one", async () => {
    const first = await call(keyed("one"));
    const retry = await call(keyed("one", 1));
    await continueFrom(retry, retry.index);
    await proxy.reward(started, 0, first.id);
    expect(leftOut()).toEqual([]);
  });

  it("is kept if its response is retrieved", async () => {
    const input = { model: "tiny", input: "a" };
    const send = (headers = {}) =>
      proxy.request({ method: "POST", url: "/v1/responses", payload: input, headers }, started.key);
    const { id } = (await send(keyed("one"))).json<{ id: string }>();
    const retry = (await send(keyed("one", 1))).json<{ id: string }>();
    const more = { ...input, previous_response_id: retry.id };
    await proxy.post("/v1/responses", more, started.key);
    expect(leftOut()).toEqual(retried(0));
    await proxy.request({ url: `/v1/responses/${id}` }, started.key);
    expect(leftOut()).toEqual([]);
  });

  it("is left out with all attempts of its chain once the last retry has a child", async () => {
    const first = await call(keyed("one"));
    const second = await call(keyed("one", 1));
    const third = await call(keyed("one", 2));
    expect(leftOut()).toEqual([]);
    await continueFrom(third, third.index);
    expect(leftOut()).toEqual(retried(first.index, second.index));
  });

  it("is the undelivered one, not a newer delivered one", async () => {
    await call();
    const lost = await loseAnswer();
    await call();
    const retry = await call(retryCount(1));
    const second = await call(retryCount(1));
    await continueFrom(retry, retry.index);
    await continueFrom(second, second.index);
    expect(leftOut()).toEqual([{ index: lost, reason: "undelivered" }]);
    expect(session.delivery.attempts.repeatedBy(lost)).toBe(retry.index);
  });

  it("is an earlier retry, not a first attempt that arrives after it and fails", async () => {
    const second = await call(keyed("one", 1));
    await failingCall(keyed("one"));
    const third = await call(keyed("one", 2));
    await continueFrom(third, third.index);
    expect(leftOut()).toEqual(retried(second.index));
  });

  it("is the failed one if the retry between them never arrived", async () => {
    const sample = await call();
    await failingCall();
    const third = await call(retryCount(2));
    await continueFrom(third, third.index);
    expect(session.leftOut.reasonOf(sample.index)).toBeUndefined();
  });

  it("is reported as undelivered if it is also retried", async () => {
    const lost = await loseAnswer();
    const retry = await call(retryCount(1));
    await continueFrom(retry, retry.index);
    expect(session.leftOut.reasonOf(lost)).toBe("undelivered");
  });

  it("is the failed one, so that recorded samples are kept", async () => {
    const sample = await call();
    await failingCall();
    const retry = await call(retryCount(1));
    await continueFrom(retry, retry.index);
    expect(session.leftOut.reasonOf(sample.index)).toBeUndefined();
  });

  it("has the API, model, tools and sampling of the retry, not only its messages", async () => {
    const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }];
    const others = [{ tools }, { temperature: 0.5 }, { max_tokens: 7 }, { model: "other" }, { stop: ["x"] }];
    for (const extra of others) await proxy.chat(started, messages, extra);
    const message = { model: "tiny", messages, max_tokens: 9 };
    await proxy.post("/v1/messages", message, started.key);
    // A retry whose first attempt never arrived: all earlier answers are to other requests.
    const retry = await call(retryCount(1));
    await continueFrom(retry, retry.index);
    expect(leftOut()).toEqual([]);
  });

  it("is the aborted one if its client disconnected before it was recorded", async () => {
    const sample = await call();
    const release = proxy.engine.hold();
    const before = proxy.engine.calls.length;
    const client = new RawClient(url, started);
    client.send({ path: "/v1/chat/completions", body: { model: "tiny", messages } });
    await until(() => proxy.engine.calls.length === before + 1);
    client.leave();
    await until(() => session.calls.size === 0);
    release();
    const retry = await call(retryCount(1));
    await continueFrom(retry, retry.index);
    expect([session.interactionCount, session.leftOut.reasonOf(sample.index)]).toEqual([3, undefined]);
  });

  it("is paired with the next retry if a retry fails", async () => {
    const first = await call(keyed("one"));
    await failingCall(keyed("one", 1));
    const retry = await call(keyed("one", 2));
    await continueFrom(retry, retry.index);
    expect(leftOut()).toEqual(retried(first.index));
  });

  it("is the one in flight if none is recorded, and it continues", async () => {
    const first = await heldCall();
    const retry = await call(retryCount(1));
    first.release();
    expect((await first.reply).status).toBe(200);
    await continueFrom(retry, retry.index);
    expect(leftOut()).toEqual(retried(1));
  });
});

describe("samples of the same messages", () => {
  it("are all kept if one is a retry whose first attempt never arrived, and none has a child", async () => {
    const headers = [{}, {}, retryCount(1), {}, {}];
    const held = [];
    for (const each of headers) held.push(await heldCall(each));
    for (const { release } of held) release();
    await Promise.all(held.map(({ reply }) => reply));
    expect(session.interactionCount).toBe(5);
    expect(leftOut()).toEqual([]);
  });

  it("are kept if a retry with a child could repeat any of them, because each of them was answered", async () => {
    await Promise.all([call(), call(), call()]);
    const retry = await call(retryCount(1));
    await continueFrom(retry, retry.index);
    expect(leftOut()).toEqual([]);
  });

  it("are kept if a further one fails and is retried with the other `stream`", async () => {
    await call();
    await failingCall({}, { stream: true });
    const retry = await call(retryCount(1));
    await continueFrom(retry, retry.index);
    expect(leftOut()).toEqual([]);
    expect(session.delivery.attempts.hasFailed).toBe(false);
  });

  it("in flight are not aborted by a retry", async () => {
    const sibling = await heldCall();
    const retry = await heldCall(retryCount(1));
    retry.release();
    sibling.release();
    const replies = await Promise.all([sibling.reply, retry.reply]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  });

  it("are kept if they are repeated without the retry header", async () => {
    await call();
    const again = await call();
    await continueFrom(again, again.index);
    expect(leftOut()).toEqual([]);
  });
});

describe("attempts with an idempotency-key", () => {
  it("are paired with those of the same key only", async () => {
    const first = await call(keyed("one"));
    const newer = await call(keyed("two"));
    await call();
    await failingCall(keyed("three"));
    const retry = await call(keyed("one", 1));
    await continueFrom(retry, retry.index);
    expect(leftOut()).toEqual(retried(first.index));
    const second = await call(keyed("two", 1));
    await continueFrom(second, second.index);
    expect(leftOut()).toEqual(retried(first.index, newer.index));
  });

  it("are paired with none if no attempt has the key", async () => {
    await call();
    await call(keyed("other"));
    const retry = await call(keyed("lost", 1));
    await continueFrom(retry, retry.index);
    expect(leftOut()).toEqual([]);
  });

  it("are aborted by the retry if in flight, but their siblings are not", async () => {
    const sibling = await heldCall(keyed("sibling"));
    const first = await heldCall(keyed("one"));
    const retry = await call(keyed("one", 1));
    expect((await first.reply).refusal).toBe("409 call_superseded");
    sibling.release();
    expect((await sibling.reply).status).toBe(200);
    await continueFrom(retry, retry.index);
    expect([session.interactionCount, leftOut()]).toEqual([3, []]);
  });

  it("are not aborted by an earlier retry that arrives after them", async () => {
    const second = await heldCall(keyed("one", 2));
    await call(keyed("one", 1));
    second.release();
    expect((await second.reply).status).toBe(200);
  });

  it("form one chain across retries that fail and retries that are superseded", async () => {
    const first = await call(keyed("one"));
    await failingCall(keyed("one", 1));
    const second = await heldCall(keyed("one", 2));
    const third = await call(keyed("one", 3));
    expect((await second.reply).refusal).toBe("409 call_superseded");
    await continueFrom(third, third.index);
    expect(leftOut()).toEqual(retried(first.index));
  });
});
