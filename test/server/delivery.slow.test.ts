import { once } from "node:events";
import type { Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../../src/session/session.js";
import { clientsLeft, loseAnswer as loseAnswerOf } from "../helpers/lost-answer.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { type RawCall, RawClient } from "../helpers/raw-client.js";
import { until } from "../helpers/until.js";

let proxy: Proxy;
let url: URL;
let started: StartedSession;
let session: Session;
beforeAll(async () => {
  proxy = await Proxy.start();
  proxy.engine.context = 1 << 20;
  url = new URL(await proxy.app.listen({ host: "127.0.0.1", port: 0 }));
});
afterAll(() => proxy.close());
beforeEach(async () => {
  started = await proxy.session();
  session = proxy.context.registry.get(started.id);
});

const user = (content: string) => ({ role: "user", content });
const messages = [user("hello")];
const chat = (extra: object = {}): RawCall => ({
  path: "/v1/chat/completions",
  body: { model: "tiny", messages, ...extra },
});

const protocols = [
  { name: "chat completion", call: chat({ stream: true }), end: "[DONE]" },
  {
    name: "response",
    call: { path: "/v1/responses", body: { model: "tiny", input: "hello", stream: true } },
    end: "event: response.completed",
  },
  {
    name: "message",
    call: { path: "/v1/messages", body: { model: "tiny", messages, max_tokens: 1 << 19, stream: true } },
    end: "event: message_stop",
  },
  {
    name: "answer of Gemini's API",
    call: {
      path: "/v1beta/models/tiny:streamGenerateContent?alt=sse",
      body: { contents: [{ parts: [{ text: "hello" }] }] },
    },
    end: '"finishReason"',
  },
];

/** A reply with more bytes than the buffers between server and client hold. Every frame is written while there is room. */
function longReply(beforeFrame: (frame: number) => Promise<void> | void = () => {}) {
  const ids = Array.from({ length: 100_000 }, (_, i) => 300 + (i % 200));
  const yielding = async (frame: number) => {
    await beforeFrame(frame);
    if (frame % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  };
  return { ids, perFrame: 1, beforeFrame: yielding };
}

const recorded = (count = 1) => until(() => session.interactionCount === count);

/** Resolves when the server has noticed that all clients disconnected. */
const serverAlone = () => clientsLeft(proxy);

/** Makes a call that is recorded, but whose client receives nothing of the answer. */
const loseAnswer = (call = chat()) => loseAnswerOf(proxy, url, started, call);

describe.each(protocols)("a streamed $name", ({ call, end }) => {
  it("is delivered if the client reads it to the end", async () => {
    const client = new RawClient(url, started);
    client.read();
    client.send(call);
    await until(() => client.received.includes(end));
    client.leave();
    await serverAlone();
    expect(session.leftOut.list()).toEqual([]);
  });

  it("is not recorded if the client leaves before the generation is complete", async () => {
    const before = proxy.engine.calls.length;
    const release = proxy.engine.hold();
    const client = new RawClient(url, started);
    client.send(call);
    await until(() => proxy.engine.calls.length === before + 1);
    client.leave();
    await until(() => session.calls.size === 0);
    release();
    expect(session.interactionCount).toBe(0);
  });

  it("is undelivered if the client leaves before any content was sent", async () => {
    await loseAnswer(call);
    expect(session.leftOut.reasonOf(0)).toBe("undelivered");
    expect(session.leftOut.list()).toEqual([{ index: 0, reason: "undelivered" }]);
  });

  it("is undelivered if the client leaves with content unsent", async () => {
    proxy.engine.replies.push(longReply());
    const client = new RawClient(url, started);
    client.send(call);
    await recorded();
    expect(session.leftOut.reasonOf(0)).toBeUndefined();
    client.leave();
    await serverAlone();
    expect(session.leftOut.reasonOf(0)).toBe("undelivered");
  });

  it("is delivered if the connection ends after the last content and before the closing events", async () => {
    proxy.engine.replies.push(longReply());
    const accepted = once(proxy.app.server, "connection") as Promise<[Socket]>;
    const client = new RawClient(url, started);
    const [connection] = await accepted;
    client.send(call);
    await recorded();
    // The server has written the content, and waits until the operating system has it before it writes the closing events.
    connection.end();
    client.read();
    await until(() => client.socket.readableEnded);
    client.leave();
    await serverAlone();
    const text = proxy.context.model.decode(Int32Array.of(497, 498, 499), { skipSpecialTokens: true });
    const has = (part: string) => client.received.includes(part);
    expect([has(JSON.stringify(text).slice(1, -1)), has(end)]).toEqual([true, false]);
    expect(session.leftOut.reasonOf(0)).toBeUndefined();
  });

  it("is delivered if the client reads slowly", async () => {
    proxy.engine.replies.push(longReply());
    const client = new RawClient(url, started);
    client.send(call);
    await recorded();
    client.read();
    await until(() => client.received.includes(end));
    client.leave();
    await serverAlone();
    expect(session.leftOut.reasonOf(0)).toBeUndefined();
  });
});

describe("a streamed answer", () => {
  it("is undelivered if the client leaves in the middle of its content", async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    proxy.engine.replies.push(longReply((frame) => (frame === 3 ? gate : undefined)));
    const client = new RawClient(url, started);
    client.read();
    client.send(chat({ stream: true }));
    await until(() => client.received.split('"content":').length > 2);
    client.socket.pause();
    release();
    await recorded();
    client.leave();
    await serverAlone();
    expect(session.leftOut.reasonOf(0)).toBe("undelivered");
  });

  it("is delivered without content once its end was sent", async () => {
    proxy.engine.replies.push({ ids: [] });
    const client = new RawClient(url, started);
    client.read();
    client.send(chat({ stream: true }));
    await until(() => client.received.includes("[DONE]"));
    client.leave();
    await serverAlone();
    expect(session.interactionCount).toBe(1);
    expect(session.leftOut.reasonOf(0)).toBeUndefined();
  });

  it("is undelivered without content if its end was not sent", async () => {
    proxy.engine.replies.push({ ids: [] });
    await loseAnswer(chat({ stream: true }));
    expect(session.leftOut.reasonOf(0)).toBe("undelivered");
  });
});

describe("an answer that is not streamed", () => {
  const long = chat({ logprobs: true });

  it("is delivered if the client reads it, on a connection with several calls", async () => {
    const client = new RawClient(url, started);
    client.read();
    for (let count = 1; count <= 3; count++) {
      client.send(chat());
      await until(() => client.received.split('"finish_reason"').length === count + 1);
    }
    client.leave();
    await serverAlone();
    expect(session.interactionCount).toBe(3);
    expect(session.leftOut.list()).toEqual([]);
  });

  it("is undelivered if it waits behind other bytes and the client disconnects", async () => {
    await loseAnswer();
    expect(session.leftOut.reasonOf(0)).toBe("undelivered");
  });

  it("is undelivered if the client leaves with bytes unsent", async () => {
    proxy.engine.replies.push(longReply());
    const client = new RawClient(url, started);
    client.send(long);
    await recorded();
    client.leave();
    await serverAlone();
    expect(session.leftOut.reasonOf(0)).toBe("undelivered");
  });

  it("is undelivered if the client resets a half-closed connection", async () => {
    proxy.engine.replies.push(longReply());
    const accepted = once(proxy.app.server, "connection") as Promise<[Socket]>;
    const client = new RawClient(url, started);
    const [connection] = await accepted;
    client.send(long);
    await recorded();
    client.halfClose();
    await until(() => connection.readableEnded);
    client.leave();
    await serverAlone();
    expect(session.leftOut.reasonOf(0)).toBe("undelivered");
  });

  it("is delivered over a half-closed connection that the client still reads", async () => {
    proxy.engine.replies.push(longReply());
    const client = new RawClient(url, started);
    client.send(long);
    await recorded();
    client.halfClose();
    client.read();
    await until(() => client.received.includes('"completion_tokens"'));
    await serverAlone();
    expect(session.leftOut.reasonOf(0)).toBeUndefined();
  });

  it("stays delivered if its connection closes after it was sent", async () => {
    const client = new RawClient(url, started);
    client.read();
    client.send(chat());
    await until(() => client.received.includes('"finish_reason"'));
    proxy.engine.replies.push(longReply());
    client.socket.pause();
    client.send(chat({ logprobs: true, messages: [user("other")] }));
    await recorded(2);
    client.leave();
    await serverAlone();
    expect(session.leftOut.list()).toEqual([{ index: 1, reason: "undelivered" }]);
  });
});

describe("an undelivered interaction counts as delivered", () => {
  const response = { path: "/v1/responses", body: { model: "tiny", input: "hello" } };

  it("once it has a reward that names it", async () => {
    const id = await loseAnswer();
    expect((await proxy.reward(started, 1, id)).status).toBe(200);
    expect(session.leftOut.reasonOf(0)).toBeUndefined();
  });

  it("once it has a reward as the last one", async () => {
    await loseAnswer();
    await proxy.reward(started, 0);
    expect(session.leftOut.reasonOf(0)).toBeUndefined();
  });

  it("once it has a child", async () => {
    await loseAnswer();
    const [answer] = session.interaction(0).output;
    await proxy.chat(started, [...messages, { role: "assistant", content: answer?.content }, user("more")]);
    expect(session.interaction(1).parent).toBe(0);
    expect(session.leftOut.list()).toEqual([]);
  });

  it("once its response is retrieved", async () => {
    const id = await loseAnswer(response);
    expect(session.leftOut.reasonOf(0)).toBe("undelivered");
    expect((await proxy.request({ url: `/v1/responses/${id}` }, started.key)).status).toBe(200);
    expect(session.leftOut.reasonOf(0)).toBeUndefined();
  });

  it("once a request names it as previous_response_id, even if that request fails", async () => {
    const id = await loseAnswer(response);
    proxy.engine.replies.push(new Error("broke"));
    const body = { model: "tiny", input: "more", previous_response_id: id };
    expect((await proxy.post("/v1/responses", body, started.key)).status).toBe(500);
    expect(session.leftOut.reasonOf(0)).toBeUndefined();
  });

  it("but not because of events of another interaction", async () => {
    const id = await loseAnswer();
    await proxy.chat(started, [user("other")]);
    await proxy.reward(started, 1);
    expect(session.find(id)?.index).toBe(0);
    expect(session.leftOut.list()).toEqual([{ index: 0, reason: "undelivered" }]);
  });
});

describe("the session's record", () => {
  it("counts undelivered interactions, and lists none as undelivered once the tokens are freed", async () => {
    await loseAnswer();
    const { interaction_count } = (await proxy.request({ url: `/rl/sessions/${started.id}` })).json<{
      interaction_count: number;
    }>();
    expect(interaction_count).toBe(1);
    session.free("expired");
    expect(session.leftOut.reasonOf(0)).toBeUndefined();
    expect(session.leftOut.list()).toEqual([]);
  });
});
