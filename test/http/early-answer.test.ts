import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createApp } from "../../src/http/create-app.js";
import { earlyAnswer } from "../../src/http/early-answer.js";
import { MAX_LINGER_MS } from "../../src/http/linger.js";
import { LENIENT_CONNECTIONS } from "../helpers/lenient-connections.js";
import { requestHead } from "../helpers/raw-connection.js";

/** The connection of a request that is answered before its body was read. */

// Time passes only if a test says so, so what closes a connection before is not a timer.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const KIB = 1024;

/** Sends the head of a request, and resolves when its answer has come. */
async function refuse(bodyBytes: number | undefined) {
  const app = createApp({ maxBodyBytes: 1 << 30, connections: LENIENT_CONNECTIONS });
  onTestFinished(() => app.close());
  await app.register(earlyAnswer);
  app.addHook("onRequest", (_request, reply, next) => {
    void reply.code(401).send("refused");
    next();
  });
  app.post("/", async () => "read");
  await app.listen({ host: "127.0.0.1", port: 0 });
  const accepted = once(app.server, "connection") as Promise<[Socket]>;
  // Keeps its side open when the server closes its own.
  const socket = connect({ port: (app.server.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  let received = "";
  socket.on("data", (bytes) => (received += bytes.toString()));
  const size = bodyBytes === undefined ? "transfer-encoding: chunked" : `content-length: ${bodyBytes}`;
  socket.write(requestHead("POST", "/", "content-type: text/plain", size));
  const [served] = await accepted;
  const closed = once(served, "close");
  while (!received.endsWith("refused")) await nextTurn();
  return { socket, received, served, closed };
}

describe("after the answer to a large body that was not read, the connection", () => {
  it("is closed once the client closes its side", async () => {
    const { socket, received, served, closed } = await refuse(200 * KIB);
    expect(received).toMatch(/^HTTP\/1\.1 401 .*connection: close/is);
    socket.end();
    await closed;
    expect(served.destroyed).toBe(true);
  });

  it("is closed if the client sends more than a mebibyte", async () => {
    const { socket, served, closed } = await refuse(100 * 1024 * KIB);
    for (let sent = 0; sent < 2048 && !socket.destroyed; sent += 64) {
      socket.write(Buffer.alloc(64 * KIB));
      await nextTurn();
    }
    await closed;
    expect(served.destroyed).toBe(true);
  });

  it("is closed after a while if the client keeps it open", async () => {
    const { closed, served } = await refuse(200 * KIB);
    vi.advanceTimersByTime(MAX_LINGER_MS - 1);
    expect(served.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    await closed;
    expect(served.destroyed).toBe(true);
  });
});

describe("after the answer to a small body that was not read, the connection", () => {
  it("stays open once the body has come, with no timer and no listener of it", async () => {
    const { socket, received, served } = await refuse(10 * KIB);
    expect(received).toMatch(/^HTTP\/1\.1 401 .*connection: keep-alive/is);
    const listeners = served.listenerCount("close");
    socket.write(Buffer.alloc(10 * KIB));
    while (served.listenerCount("close") === listeners) await nextTurn();
    expect(served.listenerCount("close")).toBe(listeners - 1);
    vi.advanceTimersByTime(10 * MAX_LINGER_MS);
    expect(served.destroyed).toBe(false);
  });

  it("is closed if the body does not come", async () => {
    const { served, closed } = await refuse(10 * KIB);
    vi.advanceTimersByTime(MAX_LINGER_MS);
    await closed;
    expect(served.destroyed).toBe(true);
  });
});
