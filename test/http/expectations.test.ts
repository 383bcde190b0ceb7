import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/create-app.js";
import { earlyAnswer } from "../../src/http/early-answer.js";
import { errorHandler } from "../../src/http/error-handler.js";
import { jsonBody } from "../../src/http/json-body.js";
import { LENIENT_CONNECTIONS } from "../helpers/lenient-connections.js";
import { openConnection, requestHead } from "../helpers/raw-connection.js";
import { until } from "../helpers/until.js";

/** Requests whose clients expect something of the server before they send their body, and requests without a host. */

async function start() {
  const app = createApp({ maxBodyBytes: 100, connections: LENIENT_CONNECTIONS });
  onTestFinished(() => app.close());
  await app.register(errorHandler);
  await app.register(earlyAnswer);
  app.addHook("onRequest", ({ headers }, reply, next) => {
    if (headers["x-refuse"] === undefined) return next();
    void reply.code(401).send("refused");
  });
  await app.register(jsonBody);
  app.post("/", async ({ body }) => body);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return (text: string) => openConnection(port, text);
}

const head = (expected: string, length: number, ...more: readonly string[]) =>
  requestHead(
    "POST",
    "/",
    "content-type: application/json",
    `content-length: ${length}`,
    `expect: ${expected}`,
    ...more,
  );

describe("a client that waits for `100 Continue`", () => {
  it("is asked for its body once when the body is read", async () => {
    const { socket, received } = await (await start())(head("100-continue", 7));
    await until(() => received().includes("100 Continue\r\n\r\n"));
    socket.write('{"a":1}');
    await until(() => received().endsWith('{"a":1}'));
    expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 100", "HTTP/1.1 200"]);
    expect(received()).toMatch(/connection: keep-alive/i);
  });

  it.each([
    ["too large", head("100-continue", 101), "HTTP/1.1 413"],
    ["refused before it is read", head("100-continue", 7, "x-refuse: 1"), "HTTP/1.1 401"],
  ])("is not asked for a body that is %s, and its connection is closed", async (_, request, status) => {
    const { received, ended } = await (await start())(request);
    await until(ended);
    expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual([status]);
    expect(received()).toMatch(/connection: close/i);
  });
});

it("another expectation is ignored", async () => {
  const { socket, received } = await (await start())(head("something", 7));
  socket.write('{"a":1}');
  await until(() => received().endsWith('{"a":1}'));
  expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
});

it("a request of HTTP/1.1 needs a host, and one of HTTP/1.0 does not", async () => {
  const connect = await start();
  const { received } = await connect("POST / HTTP/1.1\r\ncontent-length: 0\r\n\r\n");
  await until(() => received().includes("malformed_request"));
  expect(received()).toContain("The request has no `Host` header.");
  const older = await connect("POST / HTTP/1.0\r\ncontent-length: 0\r\n\r\n");
  await until(() => older.received().endsWith("{}"));
  expect(older.received()).toContain(" 200 OK");
});
