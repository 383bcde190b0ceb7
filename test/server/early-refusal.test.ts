import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { until } from "../helpers/until.js";

/** A request that is refused before its body was read: the client receives the answer, and the rest of the body is not read. */

const MEBIBYTE = 1 << 20;
const CHUNK = Buffer.alloc(64 * 1024, "x");

interface Client {
  readonly socket: Socket;
  received(): string;
  /** Returns true once the server has ended its side. */
  ended(): boolean;
}

async function send(url: string, lines: readonly string[]): Promise<Client> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port) });
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (bytes) => {
    text += bytes.toString("latin1");
  });
  let ended = false;
  socket.once("end", () => (ended = true));
  await once(socket, "connect");
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  return { socket, received: () => text, ended: () => ended };
}

const post = (path: string, length: number, ...headers: string[]) => [
  `POST ${path} HTTP/1.1`,
  "host: x",
  "content-type: application/json",
  `content-length: ${length}`,
  ...headers,
];

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
  ["to an unknown route", post("/v2/chat", 8 * MEBIBYTE, `x-api-key: ${ADMIN_KEY}`), 404, "not_found"],
  ["that is too large", post("/grant_capacity", 80 * MEBIBYTE, `x-api-key: ${ADMIN_KEY}`), 413, "body_too_large"],
  ["of a GET", ["GET /health HTTP/1.1", "host: x", `content-length: ${8 * MEBIBYTE}`], 200, "ok"],
])("a body %s", (_, lines, status, code) => {
  it("is answered before it was sent", async () => {
    const { url } = await listeningProxy();
    const { received, ended } = await send(url, lines);
    await until(() => received().includes(code));
    expect(received()).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\r\nconnection: close\r\n`, "is"));
    await until(ended);
  });

  it("is read for one more mebibyte at most, and the client has the answer", async () => {
    const { url, proxy } = await listeningProxy();
    const accepted = once(proxy.app.server, "connection") as Promise<[Socket]>;
    const { socket, received } = await send(url, lines);
    const [served] = await accepted;
    await pour(socket, 64 * MEBIBYTE);
    await until(() => served.destroyed);
    expect(received()).toContain(code);
    expect(served.bytesRead).toBeLessThan(3 * MEBIBYTE);
  });
});

it("keeps the connection of a small refused body, which was read", async () => {
  const { url } = await listeningProxy();
  const { socket, received } = await send(url, [...post("/v1/chat/completions", 2), ""]);
  await until(() => received().includes("missing_api_key"));
  expect(received()).toMatch(/connection: keep-alive/i);
  socket.write(`${post("/livez", 0)[0]?.replace("POST", "GET")}\r\nhost: x\r\n\r\n`);
  await until(() => received().includes("200 OK"));
});
