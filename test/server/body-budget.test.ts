import { expect, it, onTestFinished } from "vitest";
import { type ListeningProxy, listeningProxy } from "../helpers/listening-proxy.js";
import { ADMIN_KEY, Proxy, type StartedSession } from "../helpers/proxy.js";
import { openConnection, type RawConnection, requestHead } from "../helpers/raw-connection.js";
import type { ScriptedEngine } from "../helpers/scripted-engine.js";
import { until } from "../helpers/until.js";

/** Bodies in flight have a budget: senders that stop in the middle of theirs cannot fill the memory. */

const BUDGET = 80_000;
/** An eighth of the part of the budget that is not for small bodies. */
const SHARE = (BUDGET * 7) / 64;

async function start(): Promise<ListeningProxy<ScriptedEngine>> {
  return listeningProxy({ settings: { bodyBytesInFlight: BUDGET } });
}

/** Sends the headers of a body and the first byte of it. */
async function begin(url: string, key: string, path: string, bytes: number | "chunked"): Promise<RawConnection> {
  const length = bytes === "chunked" ? "transfer-encoding: chunked" : `content-length: ${bytes}`;
  const head = requestHead("POST", path, `authorization: Bearer ${key}`, "content-type: application/json", length);
  return openConnection(new URL(url).port, `${head}${bytes === "chunked" ? "1\r\n{\r\n" : "{"}`);
}

async function inFlight({ proxy }: ListeningProxy<ScriptedEngine>): Promise<number> {
  const text = (await proxy.request({ url: "/metrics" })).raw.toString();
  return Number(/^rolltape_body_bytes_in_flight (\d+)$/m.exec(text)?.[1]);
}

async function answer({ received }: RawConnection): Promise<string> {
  await until(() => received().includes("\r\n\r\n"));
  return received();
}

const CHAT = "/v1/chat/completions";

it("counts a body from its headers until its end", async () => {
  const server = await start();
  const { key } = await server.proxy.session();
  const client = await begin(server.url, key, CHAT, 20);
  await expect.poll(() => inFlight(server)).toBe(20);
  client.socket.write(`"messages":12345678}`.slice(0, 19));
  expect(await answer(client)).toMatch(/^HTTP\/1.1 400 /);
  expect(await inFlight(server)).toBe(0);
});

it("gives the bytes back when the client disconnects", async () => {
  const server = await start();
  const { key } = await server.proxy.session();
  const { socket } = await begin(server.url, key, CHAT, SHARE);
  await expect.poll(() => inFlight(server)).toBe(SHARE);
  socket.destroy();
  await expect.poll(() => inFlight(server)).toBe(0);
});

it("refuses a session's bodies beyond its share with 503 and Retry-After, and no other session's", async () => {
  const server = await start();
  const [one, other]: StartedSession[] = [await server.proxy.session(), await server.proxy.session()];
  await begin(server.url, one?.key ?? "", CHAT, SHARE);
  await expect.poll(() => inFlight(server)).toBe(SHARE);
  const refused = await answer(await begin(server.url, one?.key ?? "", CHAT, 10));
  expect(refused).toMatch(/^HTTP\/1.1 503 .*retry-after: 1\r\n.*server_busy/is);
  expect(refused).toContain("This session is sending more bodies at once than its share");
  expect((await server.proxy.chat(other as StartedSession, [{ role: "user", content: "x" }])).status).toBe(200);
});

it("refuses bodies beyond the budget of all senders", async () => {
  const server = await start();
  await begin(server.url, ADMIN_KEY, "/export_batch", BUDGET);
  await expect.poll(() => inFlight(server)).toBe(BUDGET);
  const refused = await answer(await begin(server.url, ADMIN_KEY, "/export_batch", 10));
  expect(refused).toContain("server_busy");
  expect(refused).toContain(`as server.body_bytes_in_flight (${BUDGET} bytes) allows`);
});

it("accepts calls of another session while eight sessions stop in the middle of bodies as large as their shares", async () => {
  const server = await start();
  for (let i = 0; i < 8; i++) await begin(server.url, (await server.proxy.session()).key, CHAT, BUDGET / 8);
  await expect.poll(() => inFlight(server)).toBeGreaterThan(BUDGET / 2);
  const other = await server.proxy.session();
  expect((await server.proxy.chat(other, [{ role: "user", content: "x" }])).status).toBe(200);
});

it("accepts small calls of other sessions while large bodies that never end take all of their part", async () => {
  const server = await listeningProxy({ settings: { bodyBytesInFlight: 10_000_000, maxBodyBytes: 10_000_000 } });
  await begin(server.url, ADMIN_KEY, "/export_batch", 8_750_000);
  await expect.poll(() => inFlight(server)).toBe(8_750_000);
  const session = await server.proxy.session();
  expect((await server.proxy.chat(session, [{ role: "user", content: "x".repeat(5000) }])).refusal).toBe(
    "503 server_busy",
  );
  expect((await server.proxy.chat(session, [{ role: "user", content: "x" }])).status).toBe(200);
});

it("accepts one body that is larger than the budget, because bodies have a limit of their own", async () => {
  const server = await start();
  const { key } = await server.proxy.session();
  await begin(server.url, key, CHAT, 2 * BUDGET);
  await expect.poll(() => inFlight(server)).toBe(2 * BUDGET);
});

it("counts a body without a declared size with the largest size allowed", async () => {
  const server = await listeningProxy({ settings: { maxBodyBytes: 5000 } });
  const { key } = await server.proxy.session();
  await begin(server.url, key, CHAT, "chunked");
  await expect.poll(() => inFlight(server)).toBe(5000);
});

it("does not count bodies that are refused for their key", async () => {
  const proxy = await Proxy.start({ settings: { bodyBytesInFlight: 1 } });
  onTestFinished(() => proxy.close());
  const replies = [1, 2, 3].map(() => proxy.request({ method: "POST", url: CHAT, payload: { a: 1 } }, "sk-wrong"));
  for (const reply of await Promise.all(replies)) expect(reply.refusal).toBe("401 invalid_api_key");
});
