import { beforeEach, describe, expect, it } from "vitest";
import { Gateway, startWorker } from "../gateway/workers.js";
import { type ListeningProxy, listeningProxy } from "../helpers/listening-proxy.js";
import { readSample } from "../helpers/metrics-text.js";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { RawClient } from "../helpers/raw-client.js";
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

describe("a CONNECT request", () => {
  const CONNECT = requestHead("CONNECT", "api.example.com:443");

  it("is refused with 405 method_not_allowed, and counted", async () => {
    const answer = await send(CONNECT);
    expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(answer).toMatch(/\r\nallow: GET, HEAD, POST, DELETE\r\n/);
    const { error } = JSON.parse(answer.split("\r\n\r\n")[1] ?? "") as { error: object };
    expect(error).toMatchObject({ code: "method_not_allowed", type: "invalid_request_error", param: null });
    expect(await readRefusals("method_not_allowed")).toBe(1);
  });

  it("is refused after the requests before it were answered", async () => {
    const { socket, received, ended } = await openConnection(new URL(server.url).port, requestHead("GET", "/livez"));
    await until(() => received().includes("200 OK"));
    socket.write(CONNECT);
    await until(ended);
    expect(received()).toMatch(/ 200 OK.* 405 Method Not Allowed/s);
  });

  it("closes the connection at once if it does not wait for the answers before it", async () => {
    server.proxy.engine.hold();
    const client = new RawClient(new URL(server.url), await server.proxy.session());
    client.send({ path: "/v1/chat/completions", body: { model: "tiny", messages: [{ role: "user", content: "a" }] } });
    await until(() => server.proxy.engine.calls.length === 1);
    client.socket.write(CONNECT);
    await until(() => server.proxy.engine.aborted.length === 1);
    expect(client.received).toBe("");
  });

  it("leaves the server running if its client resets the connection", async () => {
    const { socket } = await openConnection(new URL(server.url).port, CONNECT);
    socket.resetAndDestroy();
    await until(() => server.proxy.app.connections.size === 0);
    expect(await send(requestHead("GET", "/livez", "connection: close"))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("is refused by a gateway as well", async () => {
    const gateway = await Gateway.start({ urls: [(await startWorker("one")).url] });
    const { received, ended } = await openConnection(new URL(gateway.url).port, CONNECT);
    await until(ended);
    expect(received()).toMatch(/^HTTP\/1\.1 405 .*"code":"method_not_allowed"/s);
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

  it("is answered after the requests before it on its connection", async () => {
    const key = `x-api-key: ${ADMIN_KEY}`;
    const answers = await send(
      requestHead("GET", "/rl/sessions?limit=1", key) +
        requestHead("GET", "/v1/nothing", "expect: something", "connection: close"),
    );
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 404"]);
  });
});
