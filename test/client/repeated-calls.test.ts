import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AdminClient, type ArrivingBatch } from "../../src/client/admin-client.js";
import { ProxyError } from "../../src/client/errors.js";
import { SessionClient } from "../../src/client/session-client.js";
import type { Transport } from "../../src/client/transport.js";
import { parseConfig } from "../../src/config/index.js";
import { CONTROL_TIMEOUT_MS } from "../../src/gateway/start.js";
import { connectProxy } from "../../src/rollout/connect.js";
import { sleep } from "../../src/support/async/sleep.js";
import { ADMIN_KEY } from "../helpers/proxy.js";

interface Flaky {
  readonly admin: AdminClient;
  /** Method and path of the requests that arrived. */
  readonly requests: string[];
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers?: readonly string[];
  readonly byteLength?: number;
}

/** An answer with a body of fewer bytes than it announces breaks in the middle. */
type Answer = "break" | "silence" | Reply;

/** Starts a server that answers one request per connection: with the next of these answers, then with the last one. */
async function flakyServer(...answers: Answer[]): Promise<Flaky> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (bytes) => {
      requests.push(bytes.toString().split(" HTTP", 1)[0] ?? "");
      const answer = answers[Math.min(requests.length, answers.length) - 1] ?? "break";
      if (answer === "silence") return;
      if (answer === "break") return void socket.destroy();
      const { status, body, headers = [], byteLength = body.length } = answer;
      const lines = [`HTTP/1.1 ${status} X`, `content-length: ${byteLength}`, "connection: close", ...headers, "", ""];
      const head = lines.join("\r\n");
      socket.end(head + answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy = connectProxy({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    adminKey: ADMIN_KEY,
  });
  onTestFinished(async () => {
    await proxy.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { admin: proxy.admin, requests };
}

const ok = (body: object): Answer => ({ status: 200, body: JSON.stringify(body) });
const refused = (status: number, code: string): Reply => ({
  status,
  body: JSON.stringify({ error: { message: "no", type: "t", param: null, code } }),
});

describe("a call whose connection breaks", () => {
  it("is repeated if it is idempotent", async () => {
    const { admin, requests } = await flakyServer("break", "break", ok({ version: 3 }));
    await admin.setVersion(3);
    expect(requests).toEqual(Array(3).fill("POST /rl/set_version"));
  });

  it("is repeated if it ends or rewards a session", async () => {
    const { admin, requests } = await flakyServer(
      "break",
      ok({ interaction_count: 2 }),
      "break",
      ok({ interaction_id: "a" }),
    );
    const session = new SessionClient(admin, { sessionId: "s", sessionApiKey: "k" });
    expect(await session.end()).toBe(2);
    expect(await session.setLastReward(1)).toBe("a");
    const paths = ["/rl/end_session", "/rl/set_reward"];
    expect(requests).toEqual(paths.flatMap((path) => Array(2).fill(`POST ${path}`)));
  });

  it("is not repeated if it would take another slot, session or batch", async () => {
    const { admin, requests } = await flakyServer("break");
    await expect(admin.grantCapacity()).rejects.toMatchObject({ code: "connection_failed" });
    await expect(admin.startSession()).rejects.toMatchObject({ code: "connection_failed", status: undefined });
    await expect(admin.exportSharedBatch(["task-0"])).rejects.toMatchObject({ code: "connection_failed" });
    expect(requests).toEqual(["POST /grant_capacity", "POST /rl/start_session", "POST /export_batch"]);
  });

  it("fails with connection_failed and the cause after three repetitions", async () => {
    const { admin, requests } = await flakyServer("break");
    await expect(admin.exportBatch(["task-0"])).rejects.toMatchObject({
      code: "connection_failed",
      cause: expect.any(Error) as Error,
    });
    expect(requests).toHaveLength(4);
  });
});

describe("an acknowledgement", () => {
  it("is repeated if a worker behind the gateway does not answer", async () => {
    const { admin, requests } = await flakyServer(refused(503, "worker_unavailable"), ok({ id: "batch-1" }));
    expect(await admin.acknowledge("batch-1")).toBe(true);
    expect(requests).toEqual(Array(2).fill("DELETE /export_batch/batch-1"));
  });

  it("gives a gateway time to wait for a worker that left", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const reply = (status: number, body: object) => ({ status, headers: {}, body: Buffer.from(JSON.stringify(body)) });
    const answers = [reply(503, { error: { message: "no", code: "worker_unavailable" } }), reply(200, {})];
    // The first call finds out that the worker left. The second one waits for it at the gateway.
    const waits = [0, 30_000];
    const send: Transport["send"] = async (_path, { signal }) => {
      await sleep(waits.shift() ?? 0, signal);
      return answers.shift() ?? reply(500, {});
    };
    const acknowledged = new AdminClient({ send }, ADMIN_KEY).acknowledge("batch-1");
    await vi.advanceTimersByTimeAsync(31_000);
    expect(await acknowledged).toBe(true);
  });

  it("is not repeated if its lease has ended", async () => {
    const { admin, requests } = await flakyServer(refused(410, "export_lease_ended"));
    await expect(admin.acknowledge("batch-1")).rejects.toMatchObject({ code: "export_lease_ended" });
    expect(requests).toHaveLength(1);
  });
});

describe("a call with an answer", () => {
  it("is not repeated, even after status 503", async () => {
    const { admin, requests } = await flakyServer(refused(503, "server_draining"));
    await expect(admin.setVersion(1)).rejects.toMatchObject({ code: "server_draining", status: 503 });
    expect(requests).toHaveLength(1);
  });

  it("fails with invalid_reply if the answer cannot come from a proxy", async () => {
    const { admin } = await flakyServer({ status: 502, body: "<html>" }, ok({ capacity: "many" }), {
      status: 200,
      body: "{",
    });
    await expect(admin.grantCapacity()).rejects.toMatchObject({ code: "invalid_reply", status: 502 });
    await expect(admin.grantCapacity()).rejects.toMatchObject({ code: "invalid_reply" });
    await expect(admin.grantCapacity()).rejects.toMatchObject({ code: "invalid_reply" });
  });
});

describe("a call to a gateway that waits for a worker", () => {
  it("gets the gateway's answer before it gives up, with the defaults of both", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { worker_return_seconds } = parseConfig({}).gateway;
    const { status, body } = refused(503, "worker_unavailable");
    const send: Transport["send"] = (_path, { signal }) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        const answer = () => resolve({ status, headers: {}, body: Buffer.from(body) });
        setTimeout(answer, worker_return_seconds * 1000 + CONTROL_TIMEOUT_MS);
      });
    const call = new AdminClient({ send }, "sk-admin").setVersion(1).catch((error: unknown) => error);
    await vi.runAllTimersAsync();
    expect(await call).toMatchObject({ code: "worker_unavailable", status: 503 });
  });
});

describe("a call without an answer", () => {
  it("fails with request_timed_out at its time limit, and is not repeated", async () => {
    const { admin, requests } = await flakyServer("silence");
    const call = admin.setVersion(1, { timeoutSeconds: 0.1 });
    await expect(call).rejects.toMatchObject({ code: "request_timed_out" });
    expect(requests).toHaveLength(1);
  });

  it("rejects with the caller's abort reason", async () => {
    const { admin } = await flakyServer("silence");
    const controller = new AbortController();
    const call = admin.exportBatch(["task-0"], {}, { signal: controller.signal });
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });
});

describe("a held batch that is received piece by piece", () => {
  const headers = ["x-rolltape-export-id: batch-1"];
  const whole: Answer = { status: 200, body: "whole", headers };
  const cut: Answer = { ...whole, byteLength: 100 };
  const read = async ({ byteLength, body }: ArrivingBatch) => `${byteLength}: ${await text(body)}`;

  it("is requested again if its connection breaks in the middle", async () => {
    const { admin, requests } = await flakyServer(cut, cut, whole);
    const held = await admin.receiveHeldBatch(["task-0"], {}, read);
    expect(held).toEqual({ id: "batch-1", received: "5: whole" });
    expect(requests).toEqual(Array(3).fill("POST /export_batch"));
  });

  it("fails with connection_failed if every connection breaks in the middle", async () => {
    const { admin } = await flakyServer(cut);
    const failed = admin.receiveHeldBatch(["task-0"], {}, read);
    await expect(failed).rejects.toMatchObject({ code: "connection_failed" });
  });

  it("is not requested again if its receiver refuses it", async () => {
    const { admin, requests } = await flakyServer(whole);
    const failed = admin.receiveHeldBatch(["task-0"], {}, () => {
      throw new ProxyError("invalid_reply", "no batch");
    });
    await expect(failed).rejects.toMatchObject({ code: "invalid_reply", message: "no batch" });
    expect(requests).toHaveLength(1);
  });

  it("is not handed over without an id, or if the proxy refuses", async () => {
    const { admin } = await flakyServer({ status: 200, body: "whole" }, refused(409, "batch_not_exportable"));
    let received = 0;
    const receive = async () => received++;
    await expect(admin.receiveHeldBatch(["a"], {}, receive)).rejects.toMatchObject({ code: "invalid_reply" });
    await expect(admin.receiveHeldBatch(["a"], {}, receive)).rejects.toMatchObject({ code: "batch_not_exportable" });
    expect(received).toBe(0);
  });

  it("is handed over as a whole by a transport that cannot do it piece by piece", async () => {
    const reply = { status: 200, headers: { "x-rolltape-export-id": "batch-1" }, body: Buffer.from("whole") };
    const admin = new AdminClient({ send: () => Promise.resolve(reply) }, ADMIN_KEY);
    const held = await admin.receiveHeldBatch(["task-0"], {}, read);
    expect(held).toEqual({ id: "batch-1", received: "undefined: whole" });
  });
});
