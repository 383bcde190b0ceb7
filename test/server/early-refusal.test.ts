import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { openConnection, requestHead } from "../helpers/raw-connection.js";
import { until } from "../helpers/until.js";

/** A request that is refused before its body was read: the client receives the answer, and the rest of the body is not read. */

const MEBIBYTE = 1 << 20;
const CHUNK = Buffer.alloc(64 * 1024, "x");

const JSON_TYPE = "content-type: application/json";
const ADMIN = `x-api-key: ${ADMIN_KEY}`;

const post = (path: string, length: number, ...headers: string[]): string =>
  requestHead("POST", path, JSON_TYPE, `content-length: ${length}`, ...headers);

/** Writes a body as fast as the server takes it, until the connection is closed. */
async function pour(socket: Socket, length: number): Promise<void> {
  let written = 0;
  while (written < length && socket.writable && !socket.destroyed) {
    written += CHUNK.length;
    if (socket.write(CHUNK)) continue;
    // Not `once`, which would reject when the server resets the connection.
    await new Promise<void>((resolve) => {
      socket.once("drain", resolve);
      socket.once("close", () => resolve());
    });
  }
}

describe.each([
  ["without a key", post("/v1/chat/completions", 8 * MEBIBYTE), 401, "missing_api_key"],
  ["with an unknown key", post("/v1/messages", 8 * MEBIBYTE, "x-api-key: sk-wrong"), 401, "invalid_api_key"],
  ["of a control call without a key", post("/export_batch", 8 * MEBIBYTE), 401, "missing_api_key"],
  ["to an unknown route", post("/v2/chat", 8 * MEBIBYTE, ADMIN), 404, "not_found"],
  ["that is too large", post("/grant_capacity", 80 * MEBIBYTE, ADMIN), 413, "body_too_large"],
  ["of a GET", requestHead("GET", "/health", `content-length: ${8 * MEBIBYTE}`), 200, "ok"],
])("a body %s", (_, head, status, code) => {
  it("is answered before it was sent", async () => {
    const { url } = await listeningProxy();
    const { received, ended } = await openConnection(new URL(url).port, head);
    await until(() => received().includes(code));
    expect(received()).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\r\nconnection: close\r\n`, "is"));
    await until(ended);
  });

  it("is read for one more mebibyte at most, and the client has the answer", async () => {
    const { url, proxy } = await listeningProxy();
    const accepted = once(proxy.app.server, "connection") as Promise<[Socket]>;
    const { socket, received } = await openConnection(new URL(url).port, head);
    const [served] = await accepted;
    await pour(socket, 64 * MEBIBYTE);
    await until(() => served.destroyed);
    expect(received()).toContain(code);
    expect(served.bytesRead).toBeLessThan(3 * MEBIBYTE);
  });
});

describe("a client that waits for 100 Continue", () => {
  const EXPECT = "expect: 100-continue";

  it.each([
    ["without a key", post("/v1/chat/completions", 2, EXPECT), "missing_api_key"],
    ["with a body that is too large", post("/grant_capacity", 80 * MEBIBYTE, ADMIN, EXPECT), "body_too_large"],
    ["to an unknown route", post("/v2/chat", 2, ADMIN, EXPECT), "not_found"],
  ])("is not asked for its body %s, and the connection is closed", async (_, head, code) => {
    const { url } = await listeningProxy();
    const { received, ended } = await openConnection(new URL(url).port, head);
    await until(ended);
    expect(received()).toMatch(new RegExp(`^HTTP/1.1 4.*\r\nconnection: close\r\n.*${code}`, "is"));
  });

  it("is asked for its body if it will be read, and keeps its connection", async () => {
    const { url } = await listeningProxy();
    const { socket, received } = await openConnection(new URL(url).port, post("/grant_capacity", 2, ADMIN, EXPECT));
    await until(() => received() === "HTTP/1.1 100 Continue\r\n\r\n");
    socket.write("{}");
    await until(() => received().includes('"capacity":'));
    expect(received()).toMatch(/200 OK.*connection: keep-alive/is);
  });
});

it("keeps the connection of a small refused body, which was read", async () => {
  const { url } = await listeningProxy();
  const { socket, received } = await openConnection(new URL(url).port, `${post("/v1/chat/completions", 2)}{}`);
  await until(() => received().includes("missing_api_key"));
  expect(received()).toMatch(/connection: keep-alive/i);
  socket.write(requestHead("GET", "/livez"));
  await until(() => received().includes("200 OK"));
});

it("closes the connection of a small refused body that does not come, without a second answer", async () => {
  const { url } = await listeningProxy();
  const { received, ended } = await openConnection(new URL(url).port, post("/v1/chat/completions", 2000));
  await until(ended);
  expect(received().match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(received()).toContain("missing_api_key");
});

it("leaves nothing on a connection whose small body arrives after the refusal", async () => {
  const { url, proxy } = await listeningProxy();
  const accepted = once(proxy.app.server, "connection") as Promise<[Socket]>;
  const { socket, received } = await openConnection(new URL(url).port);
  const [served] = await accepted;
  const refusals = () => received().split("missing_api_key").length - 1;
  const listeners: number[] = [];
  for (let count = 1; count <= 12; count++) {
    socket.write(post("/v1/chat/completions", 2));
    await until(() => refusals() === count);
    listeners.push(served.listenerCount("close"));
    socket.write("{}");
  }
  expect(listeners.at(-1)).toBe(listeners[0]);
});
