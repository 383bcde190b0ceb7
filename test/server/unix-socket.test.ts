import { once } from "node:events";
import { existsSync, linkSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type IncomingMessage, type RequestOptions, request } from "node:http";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { listen } from "../../src/http/listen.js";
import { startServer } from "../../src/server/start.js";
import { ADMIN_KEY, Proxy } from "../helpers/proxy.js";
import { until } from "../helpers/until.js";

/** `server.socket`: the API on a Unix socket, beside the port. */

let folder: string;
let path: string;
let proxy: Proxy;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "rolltape-socket-"));
  path = join(folder, "api.sock");
  proxy = await Proxy.start();
});
afterEach(async () => {
  await proxy.close();
  rmSync(folder, { recursive: true });
});

const open = () => listen(proxy.app, { host: "127.0.0.1", port: 0, socket: path });

async function post(target: RequestOptions, body: object): Promise<{ status: number | undefined; body: string }> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" };
  const call = request({ ...target, path: "/export_batch", method: "POST", headers, agent: false });
  call.end(JSON.stringify(body));
  const [response] = (await once(call, "response")) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response.setEncoding("latin1")) };
}

it("sends the same bytes as the port", async () => {
  const url = new URL(await open());
  const session = await proxy.session();
  await proxy.turn(session, [{ role: "user", content: "hello" }]);
  await proxy.end(session);
  const body = { session_ids: [session.id] };
  const overPort = await post({ host: url.hostname, port: url.port }, body);
  expect(overPort.status).toBe(200);
  expect(await post({ socketPath: path }, body)).toEqual(overPort);
});

it("creates its file with mode 0600", async () => {
  await open();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it("answers a client that has closed its side", async () => {
  await open();
  const client = connect({ path, allowHalfOpen: true });
  client.end("GET /livez HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  expect(await text(client)).toMatch(/^HTTP\/1\.1 200 /);
});

it("counts connections of the socket", async () => {
  await open();
  const client = connect(path);
  client.write("GET /livez HTTP/1.1\r\nhost: a\r\n\r\n");
  await once(client, "data");
  expect(proxy.app.connections.size).toBe(1);
  client.destroy();
  await until(() => proxy.app.connections.size === 0);
});

it.each([
  ["the server closes", () => proxy.app.close()],
  ["the server stops listening", async () => proxy.app.connections.stopListening()],
])("removes its file when %s", async (_, stop) => {
  await open();
  await stop();
  await expect.poll(() => existsSync(path)).toBe(false);
});

it("replaces the socket of a process that died", async () => {
  await leaveSocket();
  await open();
  expect((await post({ socketPath: path }, { session_ids: ["none"] })).status).toBe(404);
});

it("refuses a socket on which another process listens, and then opens no port", async () => {
  const other = createServer().listen(path);
  await once(other, "listening");
  await expect(open()).rejects.toThrow(`server.socket cannot be opened: another process listens on ${path}`);
  expect([proxy.app.server.listening, existsSync(path)]).toEqual([false, true]);
  other.close();
});

it("refuses another kind of file, and keeps it", async () => {
  writeFileSync(path, "notes");
  await expect(open()).rejects.toThrow("is not a socket");
  expect(readFileSync(path, "utf8")).toBe("notes");
});

it("refuses a path whose folder does not exist", async () => {
  path = join(folder, "missing", "api.sock");
  await expect(open()).rejects.toThrow("server.socket cannot be opened: ");
});

it("closes connections without a request when the server stops", async () => {
  const server = await startServer(parseConfig({ server: { port: 0, socket: path } }), { adminKey: ADMIN_KEY });
  const client = connect(path);
  await once(client, "connect");
  const closed = once(client, "close");
  await server.close();
  await closed;
  expect(client.destroyed).toBe(true);
});

/** Leaves a socket file on which nobody listens. */
async function leaveSocket(): Promise<void> {
  // A hard link keeps the file when the socket is closed.
  const other = createServer().listen(`${path}.old`);
  await once(other, "listening");
  linkSync(`${path}.old`, path);
  other.close();
  await once(other, "close");
  expect(existsSync(path)).toBe(true);
}
