import { beforeEach, describe, expect, it } from "vitest";
import { Gateway, startWorker } from "../gateway/workers.js";
import { type ListeningProxy, listeningProxy } from "../helpers/listening-proxy.js";
import { readSample } from "../helpers/metrics-text.js";
import { openConnection, requestHead } from "../helpers/raw-connection.js";
import type { ScriptedEngine } from "../helpers/scripted-engine.js";
import { until } from "../helpers/until.js";

/** Requests that Node would answer by itself, without a body and without a count. */

let server: ListeningProxy<ScriptedEngine>;
beforeEach(async () => {
  server = await listeningProxy();
});

async function send(text: string): Promise<string> {
  const { received, ended } = await openConnection(new URL(server.url).port, text);
  await until(ended);
  return received();
}

const readRefusals = async (code: string) =>
  readSample(
    (await server.proxy.request({ url: "/metrics" })).raw.toString(),
    `rolltape_refused_total{code="${code}"}`,
  );

describe("a request without a Host header", () => {
  it("is refused with 400 malformed_request, and counted", async () => {
    const answer = await send("GET /livez HTTP/1.1\r\nconnection: close\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"malformed_request"');
    expect(await readRefusals("malformed_request")).toBe(1);
  });

  it("is answered if it is of HTTP/1.0, which has no such header", async () => {
    expect(await send("GET /livez HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
  });
});

it("closes the connection of a CONNECT request, and goes on", async () => {
  expect(await send(requestHead("CONNECT", "api.example.com:443"))).toBe("");
  const { socket } = await openConnection(new URL(server.url).port, requestHead("CONNECT", "api.example.com:443"));
  socket.resetAndDestroy();
  expect(await send(requestHead("GET", "/livez", "connection: close"))).toMatch(/^HTTP\/1\.1 200 /);
});

describe("a request to upgrade the connection", () => {
  const UPGRADE = requestHead("GET", "/livez", "connection: upgrade", "upgrade: websocket");

  it.each([
    ["a server", async () => server.url],
    ["a gateway", async () => (await Gateway.start({ urls: [(await startWorker("one")).url] })).url],
  ])("is answered by %s like any other, and closes the connection", async (_, start) => {
    const { received, ended } = await openConnection(new URL(await start()).port, UPGRADE);
    await until(ended);
    expect(received()).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is);
  });
});

describe("a request with an unknown expectation", () => {
  it("is answered as if it had none", async () => {
    const head = requestHead("GET", "/livez", "expect: something", "connection: close");
    expect(await send(head)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("is refused with the error of the route, and its connection is closed if its body was not sent", async () => {
    const head = requestHead("POST", "/v1/chat/completions", "expect: something", `content-length: ${1 << 30}`);
    expect(await send(head)).toContain('"code":"missing_api_key"');
    expect(await readRefusals("missing_api_key")).toBe(1);
  });
});
