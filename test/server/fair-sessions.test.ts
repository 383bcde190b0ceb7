import { expect, it, onTestFinished } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine } from "../../src/engine/sglang/create-sglang-engine.js";
import { Proxy } from "../helpers/proxy.js";
import { startSglangServer } from "../helpers/sglang/sglang-server.js";
import { until } from "../helpers/until.js";

async function startProxy(maxInflight: number) {
  const server = await startSglangServer();
  const engine: Engine = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight });
  const proxy = await Proxy.start({ engine });
  onTestFinished(async () => {
    await proxy.close();
    await engine.close();
    await server.close();
  });
  const waiting = () => engine.servers?.list()[0]?.waiting;
  /** The sessions of the generations that reached the engine server, in their order. */
  const arrived = () => server.to("/generate").map(({ headers }) => headers["x-session-id"]);
  return { proxy, server, waiting, arrived };
}

it("does not let a session with 40 waiting calls delay the call of another session", async () => {
  const { proxy, server, waiting, arrived } = await startProxy(2);
  const flood = await proxy.session();
  const single = await proxy.session();
  server.scheduler.pause("in_place");
  const calls = Array.from({ length: 42 }, (_, n) => proxy.chat(flood, [{ role: "user", content: `call ${n}` }]));
  await until(() => waiting() === 40);
  calls.push(proxy.chat(single, [{ role: "user", content: "hello" }]));
  await until(() => waiting() === 41);
  server.scheduler.continue();
  const replies = await Promise.all(calls);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  expect(arrived()).toHaveLength(43);
  // Third or fourth in turn. Two requests that are sent together may arrive in either order.
  expect(arrived().indexOf(single.id)).toBeLessThan(6);
});

it("removes the waiting calls of a deleted session from the queue", async () => {
  const { proxy, server, waiting, arrived } = await startProxy(1);
  const first = await proxy.session();
  const deleted = await proxy.session();
  const last = await proxy.session();
  server.scheduler.pause("in_place");
  const chat = (session: typeof first) => proxy.chat(session, [{ role: "user", content: "hello" }]);
  const running = chat(first);
  await until(() => arrived().length === 1);
  const removed = [chat(deleted), chat(deleted)];
  const next = chat(last);
  await until(() => waiting() === 3);
  await proxy.request({ method: "DELETE", url: `/rl/sessions/${deleted.id}` });
  await until(() => waiting() === 1);
  server.scheduler.continue();
  expect((await Promise.all([running, next])).map(({ status }) => status)).toEqual([200, 200]);
  expect((await Promise.all(removed)).map(({ refusal }) => refusal)).toEqual(["409 call_aborted", "409 call_aborted"]);
  expect(arrived()).toEqual([first.id, last.id]);
});
