import { describe, expect, it } from "vitest";
import { type ScriptedAnswer, type ScriptedWorker, startScripted } from "./scripted-worker.js";
import { Gateway } from "./workers.js";

/** On which worker a gateway starts the session that a call with a run key names. */

const KEY = `rk-run.${"A".repeat(43)}`;
const SESSION = "/rl/current_session";
const CHAT = "/v1/chat/completions";

const refusal = (status: number, code: string): ScriptedAnswer => ({
  status,
  body: { error: { message: "no", type: "invalid_request_error", code, param: null } },
});
const NOT_FOUND = refusal(404, "session_not_found");

interface Settings {
  /** The answer to a start of the session. Default: the worker starts it. */
  readonly started?: ScriptedAnswer | "broken";
  /** The answer to a question for the session. Default: the worker has none. */
  readonly found?: ScriptedAnswer;
  readonly capacity?: number;
  readonly version?: number;
}

function startWorker(tag: string, { started = {}, found = NOT_FOUND, capacity = 1, version = 1 }: Settings) {
  let asked = 0;
  const worker = { tag, capacity, sessions: 0, weight_version: { version, set_at: version } };
  const answer = () => ({ body: { from: tag } });
  return startScripted(tag, {
    "/health": () => ({ body: { status: "ok", worker } }),
    // It is asked for the session first, and then to start it.
    [SESSION]: () => (asked++ === 0 ? found : started),
    [CHAT]: answer,
    "/rl/set_reward": answer,
    "//rl/set_reward": answer,
    "/v1/models": answer,
  });
}

async function start(one: Settings, two: Settings) {
  const workers = [await startWorker("one", one), await startWorker("two", two)] as const;
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
  const send = (path = CHAT, method = "POST") =>
    gateway.send(
      path,
      {
        method,
        headers: { "x-session-id": "s", "content-type": "application/json" },
        ...(method === "POST" && { body: "{}" }),
      },
      KEY,
    );
  return { workers, gateway, send };
}

const countOf = ({ calls }: ScriptedWorker, path = SESSION) => calls.filter((call) => call.path === path).length;

describe.each([
  ["one", "two"],
  ["two", "one"],
])("a new session goes to worker %s", (chosen, other) => {
  const startChosen = (settings: Settings, others: Settings) =>
    chosen === "one" ? start(settings, others) : start(others, settings);

  it.each<[string, Settings, Settings]>([
    ["it alone has a free slot", {}, { capacity: 0 }],
    ["it alone has the newest weight version, even without a free slot", { version: 2, capacity: 0 }, { version: 1 }],
    [`${other} has no slot any more`, {}, { started: refusal(429, "no_capacity") }],
    [`${other} is full`, {}, { started: refusal(503, "store_full") }],
    [`${other} breaks off`, {}, { started: "broken" }],
  ])("if %s", async (_, settings, others) => {
    const { send } = await startChosen(settings, others);
    expect((await send()).json()).toEqual({ from: chosen });
  });

  it("if it has the session, which is remembered", async () => {
    const { workers, send } = await startChosen({ found: {} }, {});
    for (let n = 0; n < 3; n++) expect((await send()).json()).toEqual({ from: chosen });
    expect(workers.map((worker) => [worker.tag, countOf(worker)])).toContainEqual([chosen, 1]);
    expect(workers.map((worker) => countOf(worker, CHAT)).toSorted((a, b) => a - b)).toEqual([0, 3]);
  });

  it("if it counts fewer free slots after the start", async () => {
    const { gateway, send } = await startChosen({ capacity: 2 }, { capacity: 0 });
    await send();
    const { workers } = (await gateway.get("/health", null)).json<{
      workers: { tag: string; capacity: number; sessions: number }[];
    }>();
    expect(workers.find(({ tag }) => tag === chosen)).toMatchObject({ capacity: 1, sessions: 1 });
  });
});

describe("a session that no worker starts", () => {
  it.each([
    ["429 no_capacity", refusal(429, "no_capacity")],
    ["503 store_full", refusal(503, "store_full")],
    ["503 worker_unavailable", "broken" as const],
  ])("gets %s", async (expected, started) => {
    const { workers, send } = await start({ started }, { started });
    expect((await send()).refusal).toBe(expected);
    expect(workers.map((worker) => countOf(worker))).toEqual([2, 2]);
  });

  it("gets an error about the request from the first worker alone", async () => {
    const started = refusal(403, "session_limit");
    const { workers, send } = await start({ started }, { started });
    expect((await send()).refusal).toBe("403 session_limit");
    expect(workers.map((worker) => countOf(worker)).toSorted((a, b) => a - b)).toEqual([1, 2]);
  });

  it("is not looked for on other workers if one refuses the key", async () => {
    const found = refusal(401, "invalid_api_key");
    const { workers, send } = await start({ found }, { found });
    expect((await send()).refusal).toBe("401 invalid_api_key");
    expect(workers.map((worker) => countOf(worker)).toSorted((a, b) => a - b)).toEqual([0, 1]);
  });
});

it.each([
  ["POST", "/rl/set_reward"],
  ["POST", "//rl/set_reward"],
  ["GET", "/v1/models"],
])("%s %s starts no session", async (method, path) => {
  const { workers, send } = await start({}, {});
  expect((await send(path, method)).status).toBe(200);
  expect(workers.map((worker) => countOf(worker))).toEqual([1, 1]);
});
