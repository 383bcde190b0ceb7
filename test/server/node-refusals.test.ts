import { beforeEach, describe, expect, it } from "vitest";
import { Gateway, startWorker } from "../gateway/workers.js";
import { AlternativesEngine } from "../helpers/alternatives-engine.js";
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

const CALL = { path: "/v1/chat/completions", body: { model: "tiny", messages: [{ role: "user", content: "a" }] } };

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

  it("is refused after the calls before it that still run, which are recorded", async () => {
    const { engine } = server.proxy;
    const release = engine.hold();
    const session = await server.proxy.session();
    const client = new RawClient(new URL(server.url), session);
    client.read();
    client.send(CALL);
    client.send(CALL);
    client.socket.write(CONNECT);
    await until(() => engine.calls.length === 1);
    client.socket.write("bytes of the tunnel");
    release();
    await until(() => client.socket.readableEnded);
    expect(client.received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 405"]);
    expect(server.proxy.context.registry.get(session.id).interactionCount).toBe(2);
  });

  it("aborts the call before it if the client leaves", async () => {
    server.proxy.engine.hold();
    const client = new RawClient(new URL(server.url), await server.proxy.session());
    client.send(CALL);
    client.socket.write(CONNECT);
    await until(() => server.proxy.engine.calls.length === 1);
    client.leave();
    await until(() => server.proxy.app.connections.size === 0 && server.proxy.engine.aborted.length > 0);
    expect(server.proxy.engine.aborted).toHaveLength(1);
  });

  it("is refused after an answer that is larger than the buffers of the connection", async () => {
    const proxy = await listeningProxy({ engine: new AlternativesEngine(20_000, 20) });
    const client = new RawClient(new URL(proxy.url), await proxy.proxy.session());
    client.send({ ...CALL, body: { ...CALL.body, logprobs: true, top_logprobs: 20 } });
    client.socket.write(CONNECT);
    await until(() => client.socket.bytesWritten > 0 && proxy.proxy.app.connections.openAnswers > 0);
    client.read();
    await until(() => client.socket.readableEnded);
    expect(client.received).toMatch(/^HTTP\/1\.1 200 /);
    expect(client.received.length).toBeGreaterThan(20_000 * 20 * 50);
    expect(client.received.slice(-2000)).toMatch(/\r\n0\r\n\r\nHTTP\/1\.1 405 /);
  });

  it("leaves the server running if its client resets the connection", async () => {
    const { socket } = await openConnection(new URL(server.url).port, CONNECT);
    socket.resetAndDestroy();
    await until(() => server.proxy.app.connections.size === 0);
    expect(await send(requestHead("GET", "/livez", "connection: close"))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("is refused by a gateway after the call before it, which its worker records", async () => {
    const worker = await startWorker("one");
    const gateway = await Gateway.start({ urls: [worker.url] });
    const { engine } = worker.proxy;
    const release = engine.hold();
    const session = await worker.proxy.session();
    const client = new RawClient(new URL(gateway.url), session);
    client.read();
    client.send(CALL);
    client.socket.write(CONNECT);
    await until(() => engine.calls.length === 1);
    release();
    await until(() => client.socket.readableEnded);
    expect(client.received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 405"]);
    expect(worker.proxy.context.registry.get(session.id).interactionCount).toBe(1);
  });

  it("is refused by a gateway as well", async () => {
    const gateway = await Gateway.start({ urls: [(await startWorker("one")).url] });
    const { received, ended } = await openConnection(new URL(gateway.url).port, CONNECT);
    await until(ended);
    expect(received()).toMatch(/^HTTP\/1\.1 405 .*"code":"method_not_allowed"/s);
  });
});

describe("a request to upgrade the connection", () => {
  const UPGRADE = requestHead("GET", "/livez", "connection: upgrade", "upgrade: websocket");
  const plain = requestHead("GET", "/livez");

  it.each([
    ["a server", async () => server.url],
    ["a gateway", async () => (await Gateway.start({ urls: [(await startWorker("one")).url] })).url],
  ])("is answered by %s like any other, after those before it, and closes the connection", async (_, start) => {
    const { received, ended } = await openConnection(new URL(await start()).port, plain + UPGRADE + plain);
    await until(ended);
    expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
    expect(received().split("HTTP/1.1 200")[2]).toMatch(/\r\nconnection: close\r\n/i);
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
