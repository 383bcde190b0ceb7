import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Delivery } from "../../../src/session/delivery/delivery.js";
import { Proxy, type StartedSession, type Turn } from "../../helpers/proxy.js";

/** A server that starts again on its folder: which answers of the earlier process count as delivered. */

let directory: string;
let proxy: Proxy;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "rolltape-delivery-"));
  proxy = await Proxy.start({ storage: { directory } });
});
afterEach(async () => {
  await proxy.close();
  rmSync(directory, { recursive: true });
});

const user = (content: string) => ({ role: "user", content });
const retry = { "x-stainless-retry-count": "1" };

async function restart(): Promise<void> {
  await proxy.close();
  proxy = await Proxy.start({ storage: { directory } });
}

/** Makes a call that is on disk, but without a record that its answer was sent. */
async function turnWithoutDelivery(started: StartedSession, messages: readonly object[]): Promise<Turn> {
  const answered = vi.spyOn(Delivery.prototype, "answered").mockReturnValue();
  const turn = await proxy.turn(started, messages);
  // The server records the delivery after the client has the answer.
  await expect.poll(() => answered.mock.calls.length).toBeGreaterThan(0);
  answered.mockRestore();
  return turn;
}

async function readLeftOut({ id }: StartedSession): Promise<readonly { index: number; reason: string }[]> {
  const session = proxy.context.registry.get(id);
  await proxy.context.registry.wake(session);
  return session.leftOut.list();
}

test("counts an answer that was sent before the process stopped as delivered", async () => {
  const started = await proxy.session();
  await proxy.turn(started, [user("a")]);
  await restart();
  expect(await readLeftOut(started)).toEqual([]);
});

test("counts an interaction that is on disk but was not answered as undelivered", async () => {
  const started = await proxy.session();
  await turnWithoutDelivery(started, [user("a")]);
  await restart();
  expect(await readLeftOut(started)).toEqual([{ index: 0, reason: "undelivered" }]);
});

test("links the retry of an undelivered interaction after the restart", async () => {
  const started = await proxy.session();
  await turnWithoutDelivery(started, [user("a")]);
  await restart();
  await proxy.chat(started, [user("a")], {}, retry);
  expect(await readLeftOut(started)).toEqual([{ index: 0, reason: "undelivered" }]);
  expect(proxy.context.registry.get(started.id).delivery.attempts.repeatedBy(0)).toBe(1);
});

test("counts an undelivered interaction as delivered after its continuation or reward", async () => {
  const started = await proxy.session();
  const first = await turnWithoutDelivery(started, [user("a")]);
  const second = await turnWithoutDelivery(started, [user("b")]);
  await restart();
  await proxy.turn(started, [...first.messages, user("c")]);
  await proxy.reward(started, 1, second.id);
  expect(await readLeftOut(started)).toEqual([]);
});

test("does not link a retry after the restart to a call that was answered before", async () => {
  const started = await proxy.session();
  await proxy.turn(started, [user("a")]);
  await restart();
  const repeated = await proxy.turn(started, [user("a")], {});
  await proxy.turn(started, [...repeated.messages, user("b")]);
  expect(await readLeftOut(started)).toEqual([]);
});

test("keeps the link of a retry before the restart", async () => {
  const started = await proxy.session();
  const key = { "idempotency-key": "one" };
  await proxy.chat(started, [user("a")], {}, key);
  const reply = await proxy.chat(started, [user("a")], {}, { ...key, ...retry });
  await restart();
  const { choices } = reply.json<{ choices: [{ message: object }] }>();
  proxy.engine.replies.push({ ids: [320] });
  await proxy.turn(started, [user("a"), choices[0].message, user("b")]);
  expect(await readLeftOut(started)).toEqual([{ index: 0, reason: "retried" }]);
});

test("retrieves and continues stored responses after the restart", async () => {
  const started = await proxy.session();
  const ask = (body: object) => proxy.post("/v1/responses", { model: "tiny", ...body }, started.key);
  const tools = [{ type: "function", name: "f", parameters: { type: "object", properties: { "1": {}, a: {} } } }];
  const first = (
    await ask({
      input: "a",
      instructions: "Be brief.",
      tools,
      include: ["message.output_text.logprobs"],
      top_logprobs: 2,
    })
  ).json<{ id: string }>();
  const second = (await ask({ input: "b", instructions: "Be brief.", previous_response_id: first.id, tools })).json<{
    id: string;
  }>();
  await restart();
  for (const response of [first, second]) {
    const read = await proxy.request({ method: "GET", url: `/v1/responses/${response.id}` }, started.key);
    expect(read.json()).toEqual(response);
  }
  const third = await ask({ input: "c", previous_response_id: second.id, instructions: "Be brief.", tools });
  expect(third.refusal).toBe("200");
  expect(proxy.context.registry.get(started.id).interaction(2)).toMatchObject({ parent: 1, tokenExact: true });
});

test("leaves out the same interactions in a repeat of an export after the restart", async () => {
  const started = await proxy.session();
  await proxy.turn(started, [user("a")]);
  await turnWithoutDelivery(started, [user("b")]);
  await proxy.end(started);
  const readRows = async () => Object.keys((await proxy.export(started)).json<{ interactions: object }>().interactions);
  const rows = await readRows();
  await restart();
  expect(rows).toHaveLength(2);
  expect(await readRows()).toEqual(rows);
});
