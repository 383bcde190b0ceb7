import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConnectionPool } from "../../src/client/connection-pool.js";
import { inProcessConnector } from "../../src/client/in-process-client.js";
import { HttpTransport, proxyUrl } from "../../src/client/transport.js";

/** A server that answers with what it was sent, and connections to it. */
async function startServer() {
  const server = createServer((request: IncomingMessage, reply) => {
    void text(request).then((body) => {
      const { method, url, headers } = request;
      reply.writeHead(201, { "x-own": "1" }).end(JSON.stringify({ method, url, tag: headers["x-tag"], body }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const pool = new ConnectionPool();
  onTestFinished(async () => {
    await pool.close();
    server.close();
  });
  return { server, pool, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

it.each([
  ["http://a:8000", "http://a:8000"],
  ["http://a:8000/", "http://a:8000"],
  ["http://a/v1", "http://a"],
  ["https://a/rolltape/v1//?x=1#y", "https://a/rolltape"],
  ["http://a/v1/b", "http://a/v1/b"],
])("the address of the proxy at %s is %s", (address, url) => {
  expect(proxyUrl(address)).toBe(url);
});

describe("connections", () => {
  it("send requests to the proxy's address", async () => {
    const { pool, url } = await startServer();
    const transport = new HttpTransport(`${url}/v1/`, pool);
    const { signal } = new AbortController();
    const got = await transport.send("/a", { method: "GET", headers: { "x-tag": "t" }, signal });
    expect([got.status, got.headers["x-own"]]).toEqual([201, "1"]);
    expect(JSON.parse(Buffer.from(got.body).toString())).toEqual({ method: "GET", url: "/a", tag: "t", body: "" });
    const arriving = await transport.open("/b", { method: "POST", headers: {}, body: "x", signal });
    expect([arriving.status, arriving.headers["x-own"]]).toEqual([201, "1"]);
    expect(JSON.parse(await text(arriving.body))).toEqual({ method: "POST", url: "/b", body: "x" });
  });

  it("have a fetch that accepts a Request of Node's own", async () => {
    const { pool, url } = await startServer();
    const headers = { "x-tag": "t" };
    const posted = await pool.fetch(new Request(`${url}/a`, { method: "POST", headers, body: "x" }));
    expect(await posted.json()).toEqual({ method: "POST", url: "/a", tag: "t", body: "x" });
    const got = await pool.fetch(new Request(`${url}/b`), { headers });
    expect(await got.json()).toEqual({ method: "GET", url: "/b", tag: "t", body: "" });
    expect(await (await pool.fetch(`${url}/c`)).json()).toMatchObject({ url: "/c" });
  });

  it("are closed when they are disposed", async () => {
    const { url } = await startServer();
    const pool = new ConnectionPool();
    await (await pool.fetch(url)).text();
    await pool[Symbol.asyncDispose]();
    const { signal } = new AbortController();
    await expect(pool.request(url, { method: "GET", headers: {}, signal })).rejects.toThrow("destroyed");
  });

  it("close both of their ends in this process together", async () => {
    const { server } = await startServer();
    const pool = new ConnectionPool(inProcessConnector(server));
    const accepted = new Promise<NodeJS.EventEmitter>((resolve) => server.once("connection", resolve));
    expect(await (await pool.fetch("http://in-process/a")).json()).toMatchObject({ url: "/a" });
    const closed = new Promise((resolve) => void accepted.then((far) => far.once("close", resolve)));
    await pool.close();
    await closed;
  });
});
