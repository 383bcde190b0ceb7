import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Engine } from "../../../src/engine/engine.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import type { Fault } from "../../helpers/sglang/protocol.js";
import { type SglangServer, startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { makeCall, makePrompt } from "../generate-call.js";

let server: SglangServer;
let engine: Engine;

beforeEach(async () => {
  server = await startSglangServer();
  engine = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 8 });
});
afterEach(async () => {
  await engine.close();
  await server.close();
});

/** Returns the error of a call with this fault, and the number of its requests. */
async function failure(fault: Fault): Promise<{ code: string; message: string; requests: number }> {
  server.fault(fault);
  const error: unknown = await engine.generate(makeCall(makePrompt(400))).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: "EngineError" });
  const { code, message } = Object(error);
  return { code, message, requests: server.to("/generate").length };
}

describe("a fault of the engine", () => {
  const replyFaults: [string, Fault, string][] = [
    ["HTTP 500", { kind: "status", status: 500 }, "HTTP 500: Internal Server Error"],
    ["HTTP 503", { kind: "status", status: 503, body: { error: { message: "overloaded" } } }, "HTTP 503: overloaded"],
    ["HTTP 404 without JSON", { kind: "status", status: 404, body: "<html>" }, "HTTP 404"],
    ["a redirect", { kind: "status", status: 307 }, "HTTP 307"],
    ["truncated JSON", { kind: "truncated-json" }, "malformed"],
    ["a reply that is no object", { kind: "reply", body: "[1,2]" }, "malformed"],
    ["an empty reply", { kind: "reply", body: "" }, "malformed"],
    ["ids and logprobs of different lengths", { kind: "length-mismatch" }, "do not agree"],
    ["NaN", { kind: "bad-logprob", text: "NaN" }, ""],
    ["null for a logprob", { kind: "bad-logprob", text: "null", index: 3 }, "not a finite number"],
    ["a logprob that overflows", { kind: "bad-logprob", text: "1e999", index: 7 }, "not a finite number"],
    ["an abort mapped to HTTP 500", { kind: "abort-with-status", statusCode: 500 }, "HTTP 500: Scheduler says no"],
    ["an abort mapped to HTTP 503", { kind: "abort-with-status", statusCode: 503 }, "HTTP 503: Scheduler says no"],
  ];

  it.each(replyFaults)("fails the call as engine_error without a second request: %s", async (_, fault, message) => {
    const failed = await failure(fault);
    expect(failed).toMatchObject({ code: "engine_error", requests: 1 });
    expect(failed.message).toContain(message);
  });

  const rejected: [string, Fault, string][] = [
    ["HTTP 400", { kind: "status", status: 400, body: { error: { message: "no" } } }, "HTTP 400: no"],
    ["HTTP 422", { kind: "status", status: 422, body: { detail: "no" } }, "HTTP 422: no"],
    ["an abort mapped to HTTP 400", { kind: "abort-with-status", statusCode: 400 }, "HTTP 400: Scheduler says no"],
  ];
  it.each(rejected)("fails the call as engine_rejected_request: %s", async (_, fault, message) => {
    const failed = await failure(fault);
    expect(failed).toMatchObject({ code: "engine_rejected_request", requests: 1 });
    expect(failed.message).toContain(message);
  });

  it("fails a stream as engine_rejected_request if it begins with an abort with status 400", async () => {
    server.fault({ kind: "abort-with-status", statusCode: 400 });
    const streamed = engine.generate(makeCall([1], {}, { onTokens: () => undefined }));
    await expect(streamed).rejects.toMatchObject({ code: "engine_rejected_request" });
  });

  const lost: [string, Fault][] = [
    ["before the reply", { kind: "close-before-headers" }],
    ["by a reset", { kind: "close-before-headers", reset: true }],
    ["in the reply", { kind: "close-after-headers" }],
  ];
  it.each(lost)(
    "fails the call as engine_unavailable without a second request: connection lost %s",
    async (_, fault) => {
      expect(await failure(fault)).toMatchObject({ code: "engine_unavailable", requests: 1 });
    },
  );

  it("shows the client no prompt, no path and at most 300 characters", async () => {
    const message = `bad input [${makePrompt(2000).join(", ")}] at /usr/lib/python3/sglang/scheduler.py ${"x".repeat(900)}\nTraceback`;
    const failed = await failure({ kind: "status", status: 400, body: { object: "error", message } });
    expect(failed.message.length).toBeLessThanOrEqual(300);
    expect(failed.message).toContain("bad input […] at …");
    expect(failed.message).not.toMatch(/Traceback|python|\d, \d/);
  });

  it("does not affect later calls", async () => {
    await failure({ kind: "truncated-json" });
    await failure({ kind: "close-before-headers" });
    await expect(engine.generate(makeCall([1]))).resolves.toMatchObject({ resumes: 0 });
  });
});

describe("a reply that contradicts its request", () => {
  const twoTokens = { output_ids: [7, 8], meta_info: { completion_tokens: 2, finish_reason: { type: "length" } } };
  const logprobs = [
    [-0.5, 7, null],
    [-0.5, 8, null],
  ];
  const replyWith = (meta: object) => ({
    ...twoTokens,
    meta_info: { ...twoTokens.meta_info, output_token_logprobs: logprobs, ...meta },
  });

  it.each([
    ["ids that differ from those of the logprobs", { output_token_logprobs: [logprobs[1], logprobs[0]] }],
    ["another number of completion tokens", { completion_tokens: 3 }],
    ["no logprobs", { output_token_logprobs: undefined }],
    ["a truncated prompt", { prompt_tokens: 399 }],
    ["no finish reason", { finish_reason: null }],
    ["an unknown finish reason", { finish_reason: { type: "tired" } }],
  ])("fails the call: %s", async (_, meta) => {
    expect(await failure({ kind: "reply", body: replyWith(meta) })).toMatchObject({ code: "engine_error" });
  });

  it("fails the call if a finished generation has no tokens", async () => {
    const meta_info = { completion_tokens: 0, output_token_logprobs: [], finish_reason: { type: "stop", matched: 2 } };
    expect(await failure({ kind: "reply", body: { output_ids: [], meta_info } })).toMatchObject({
      code: "engine_error",
    });
  });
});

describe("a server that cannot be reached", () => {
  it("fails calls, health and context length as engine_unavailable", async () => {
    await server.close();
    const gone = { code: "engine_unavailable" };
    await expect(engine.generate(makeCall([1]))).rejects.toMatchObject(gone);
    await expect(engine.health()).rejects.toMatchObject(gone);
    await expect(engine.contextLength()).rejects.toMatchObject(gone);
  });

  it("is down before its first answer, and is named by its URL without secrets", async () => {
    await server.close();
    const url = new URL(server.url);
    const { origin } = url;
    Object.assign(url, { username: "user", password: "secret" });
    const unread = createSglangEngine({ urls: [url.href], timeoutSeconds: 0, maxInflight: 1 });
    try {
      const message = `The engine at ${origin} cannot be reached (ECONNREFUSED).`;
      await expect(unread.contextLength()).rejects.toMatchObject({ message });
      expect(unread.servers?.list()).toMatchObject([
        { state: "down", healthy: false, counts: { failed: 1 }, lastFailure: { message } },
      ]);
      await expect(unread.generate(makeCall([1]))).rejects.toMatchObject({ message });
    } finally {
      await unread.close();
    }
  });
});

describe("a stale connection", () => {
  /** Starts a server that answers the first request of a connection and closes it when a second one arrives. */
  async function startForgetful(answerSecond: string) {
    const answers = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: LENGTH\r\n\r\nBODY";
    const body = JSON.stringify({
      output_ids: [7],
      meta_info: { completion_tokens: 1, finish_reason: { type: "length" }, output_token_logprobs: [[-0.5, 7, null]] },
    });
    const perConnection: number[] = [];
    const tcp = createServer((socket) => {
      const index = perConnection.push(0) - 1;
      socket.on("error", () => undefined);
      socket.on("data", (data) => {
        if (!data.includes("POST /generate")) return;
        perConnection[index] = (perConnection[index] ?? 0) + 1;
        if (perConnection[index] === 1) {
          socket.write(answers.replace("LENGTH", String(body.length)).replace("BODY", body));
        } else socket.end(answerSecond);
      });
    });
    tcp.listen(0, "127.0.0.1");
    await once(tcp, "listening");
    const client = createSglangEngine({
      urls: [`http://127.0.0.1:${Object(tcp.address()).port}`],
      timeoutSeconds: 0,
      maxInflight: 1,
    });
    const stop = async () => {
      await client.close();
      tcp.close();
    };
    return { client, perConnection, stop };
  }

  it("is replaced once by a fresh one if no byte of the reply arrived", async () => {
    const { client, perConnection, stop } = await startForgetful("");
    await client.generate(makeCall([1]));
    const call = makeCall([1]);
    await client.generate(call);
    expect(Array.from(call.generation.ids())).toEqual([7]);
    expect(perConnection).toEqual([2, 1]);
    await stop();
  });

  it("fails the call if it was closed while the server may have worked", async () => {
    const { client, perConnection, stop } = await startForgetful("");
    await client.generate(makeCall([1]));
    const began = performance.now();
    const clock = vi
      .spyOn(performance, "now")
      .mockReturnValueOnce(began)
      .mockReturnValue(began + 6_000);
    await expect(client.generate(makeCall([1]))).rejects.toMatchObject({ code: "engine_unavailable" });
    clock.mockRestore();
    expect(perConnection).toEqual([2]);
    await stop();
  });

  it("fails the call if a byte of the reply had arrived", async () => {
    const { client, perConnection, stop } = await startForgetful("HTTP/1.1 200 OK\r\ncontent-le");
    await client.generate(makeCall([1]));
    await expect(client.generate(makeCall([1]))).rejects.toMatchObject({ name: "EngineError" });
    expect(perConnection).toEqual([2]);
    await stop();
  });

  it("does not cause a third request", async () => {
    const single = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 1 });
    await single.generate(makeCall([1]));
    server.fault({ kind: "close-before-headers" }, 2);
    await expect(single.generate(makeCall([1]))).rejects.toMatchObject({ code: "engine_unavailable" });
    expect(server.to("/generate").map(({ connection }) => connection)).toEqual([0, 0, 1]);
    await single.close();
  });
});

describe("a time limit", () => {
  it("ends a call as engine_timeout and aborts it at the engine", async () => {
    const hurried = createSglangEngine({ urls: [server.url], timeoutSeconds: 0.05, maxInflight: 8 });
    server.fault({ kind: "hang" });
    await expect(hurried.generate(makeCall([1]))).rejects.toMatchObject({ code: "engine_timeout" });
    await expectAborted();
    await hurried.close();
  });

  it("of 0 does not limit a call", async () => {
    server.fault({ kind: "slow", milliseconds: 300 });
    await expect(engine.generate(makeCall([1]))).resolves.toMatchObject({ finish: { reason: "stop" } });
  });

  it("does not delay a call whose client disconnects", async () => {
    server.fault({ kind: "hang" });
    const controller = new AbortController();
    const running = engine.generate(makeCall([1]), controller.signal);
    await expect.poll(() => server.to("/generate").length).toBe(1);
    controller.abort(new Error("left"));
    await expect(running).rejects.toThrow("left");
    await expectAborted();
  });

  it("does not delay closing the engine", async () => {
    server.fault({ kind: "hang" });
    const running = engine.generate(makeCall([1]));
    const outcome = Promise.allSettled([running]);
    await expect.poll(() => server.to("/generate").length).toBe(1);
    await engine.close();
    expect(await outcome).toMatchObject([{ status: "rejected", reason: { code: "engine_unavailable" } }]);
  });

  /** Waits until the server has received an abort for exactly the request that it received. */
  async function expectAborted(): Promise<void> {
    await expect.poll(() => server.to("/abort_request").length).toBe(1);
    expect(server.to("/abort_request")[0]?.json).toEqual({ rid: server.to("/generate")[0]?.json["rid"] });
  }
});
