import { expect, it } from "vitest";
import { until } from "../helpers/until.js";
import { Gateway, startWorker } from "./workers.js";

/** `POST /rl/sessions/end` through a gateway. */

interface Ended {
  readonly sessions: readonly { readonly session_id: string; readonly incomplete_calls: number }[];
  readonly not_found: readonly string[];
  readonly unavailable_workers?: readonly string[];
}

async function start() {
  const [one, two] = [await startWorker("one"), await startWorker("two")];
  const gateway = await Gateway.start({ urls: [one.url, two.url] });
  const sessions = [await gateway.session({ group_id: "g" }), await gateway.session({ group_id: "g" })];
  expect(sessions.map(({ id }) => id)).toEqual(["task-one-0", "task-two-0"]);
  const end = async (body: object) => (await gateway.post("/rl/sessions/end", body)).json<Ended>();
  return { one, two, gateway, sessions, end };
}

it("ends the sessions of a group on all workers, and aborts their calls", async () => {
  const { one, two, gateway, sessions, end } = await start();
  const engines = [one, two].map(({ proxy }) => proxy.engine);
  for (const engine of engines) engine.hold();
  const calls = sessions.map(({ key }) => gateway.chat(key, "hello"));
  await until(() => engines.every((engine) => engine.calls.length === 1));
  const ended = await end({ group_ids: ["g"], abort: true });
  expect(ended.sessions.map(({ session_id, incomplete_calls }) => [session_id, incomplete_calls])).toEqual([
    ["task-one-0", 1],
    ["task-two-0", 1],
  ]);
  expect((await Promise.all(calls)).map(({ refusal }) => refusal)).toEqual(["409 call_aborted", "409 call_aborted"]);
  expect(engines.map(({ aborted }) => aborted.length)).toEqual([1, 1]);
});

it("asks only the workers of named sessions, and lists ids that no worker has", async () => {
  const { one, two, end } = await start();
  const ids = ["task-two-0", "task-one-9", "task-other-0", "nobody"];
  const ended = await end({ session_ids: ids });
  expect(ended.sessions.map(({ session_id }) => session_id)).toEqual(["task-two-0"]);
  expect(new Set(ended.not_found)).toEqual(new Set(["task-one-9", "task-other-0", "nobody"]));
  expect([one, two].map(({ proxy }) => [...proxy.context.registry.all()].map(({ state }) => state))).toEqual([
    ["active"],
    ["ended"],
  ]);
});

it("ends the sessions of the other workers if one was killed, and names it", async () => {
  const { one, two, end } = await start();
  await one.kill();
  const ended = await end({ group_ids: ["g"], session_ids: ["task-one-0"], abort: true });
  expect(ended.sessions.map(({ session_id }) => session_id)).toEqual(["task-two-0"]);
  expect(ended).toMatchObject({ not_found: [], unavailable_workers: ["one"] });
  expect(two.proxy.context.registry.get("task-two-0").state).toBe("ended");
});

it("refuses a body that selects nothing, or has an unknown field", async () => {
  const { gateway } = await start();
  expect((await gateway.post("/rl/sessions/end", {})).error).toMatchObject({ code: "invalid_value" });
  const misspelled = await gateway.post("/rl/sessions/end", { group_id: ["g"] });
  expect(misspelled.error).toMatchObject({ code: "unknown_parameter", param: "group_id" });
});
