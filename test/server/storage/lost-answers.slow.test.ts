import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clientsLeft } from "../../helpers/lost-answer.js";
import { Proxy, type StartedSession } from "../../helpers/proxy.js";
import { RawClient } from "../../helpers/raw-client.js";
import { until } from "../../helpers/until.js";

/** Answers that do not reach their client, on a server with `storage.directory`, before and after a restart. */

let directory: string;
let proxy: Proxy;
let url: URL;

async function start(): Promise<void> {
  proxy = await Proxy.start({ storage: { directory } });
  url = new URL(await proxy.app.listen({ host: "127.0.0.1", port: 0 }));
}

async function restart(): Promise<void> {
  await proxy.close();
  await start();
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "rolltape-lost-answers-"));
  await start();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await proxy.close();
  rmSync(directory, { recursive: true });
});

const messages = [{ role: "user", content: "a" }];
const keyed = (count: number) => ({ "idempotency-key": "one", "x-stainless-retry-count": String(count) });

async function readLeftOut({ id }: StartedSession): Promise<readonly { index: number; reason: string }[]> {
  const { registry } = proxy.context;
  await registry.wake(registry.get(id));
  return registry.get(id).leftOut.list();
}

/** Holds the disk: answers wait until the returned function is called. */
function holdDisk(): () => void {
  const { registry } = proxy.context;
  const flush = registry.flushed.bind(registry);
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  vi.spyOn(registry, "flushed").mockImplementation((of) => held.then(() => flush(of)));
  return release;
}

test.each([{ stream: false }, { stream: true }])(
  "an answer whose client leaves while it waits for the disk is undelivered, before and after a restart (%o)",
  async (extra) => {
    const started = await proxy.session();
    const session = proxy.context.registry.get(started.id);
    const release = holdDisk();
    const client = new RawClient(url, started);
    client.send({ path: "/v1/chat/completions", body: { model: "tiny", messages, ...extra } });
    await until(() => session.interactionCount === 1);
    client.leave();
    await clientsLeft(proxy);
    release();
    await until(() => session.calls.size === 0);
    expect(await readLeftOut(started)).toEqual([{ index: 0, reason: "undelivered" }]);
    await restart();
    expect(await readLeftOut(started)).toEqual([{ index: 0, reason: "undelivered" }]);
  },
);

test("a retry with the idempotency key of an answered call is of this call, also after a restart", async () => {
  const started = await proxy.session();
  await proxy.chat(started, messages, {}, keyed(0));
  await restart();
  proxy.engine.replies.push({ ids: [330] });
  const reply = await proxy.chat(started, messages, {}, keyed(1));
  const { choices } = reply.json<{ choices: [{ message: object }] }>();
  await proxy.turn(started, [...messages, choices[0].message, { role: "user", content: "b" }]);
  expect(await readLeftOut(started)).toEqual([{ index: 0, reason: "retried" }]);
});

test("a retry without such a key may be of a call that the crash cut, so the answered call stays", async () => {
  const started = await proxy.session();
  await proxy.chat(started, messages);
  await restart();
  proxy.engine.replies.push({ ids: [330] });
  const reply = await proxy.chat(started, messages, {}, { "x-stainless-retry-count": "1" });
  const { choices } = reply.json<{ choices: [{ message: object }] }>();
  await proxy.turn(started, [...messages, choices[0].message, { role: "user", content: "b" }]);
  expect(await readLeftOut(started)).toEqual([]);
});

test("the answer of a model call waits for the changes of its session, that of another route for all changes", async () => {
  const started = await proxy.session();
  const { registry } = proxy.context;
  const flushed = vi.spyOn(registry, "flushed");
  await proxy.chat(started, messages);
  expect(new Set(flushed.mock.calls.map(([session]) => session))).toEqual(new Set([registry.get(started.id)]));
  flushed.mockClear();
  await proxy.post("/rl/set_reward", { reward: 1 }, started.key);
  expect(flushed.mock.calls).toEqual([[undefined]]);
});
