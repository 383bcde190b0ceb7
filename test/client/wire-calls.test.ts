import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AdminClient, type ArrivingBatch, type StartRunOptions } from "../../src/client/admin-client.js";
import { SessionClient } from "../../src/client/session-client.js";
import type { Transport } from "../../src/client/transport.js";

const KEY = "sk-abc.0123456789abcdef";
const SUMMARY = { reward: 1, calls: 0, turns: 0, prompt_tokens: 0, completion_tokens: 0, finish_reasons: {} };
const TRANSCRIPT = {
  session_id: "s",
  task_id: "t",
  state: "active",
  summary: { ...SUMMARY, broken: 0, left_out: 0, branches: 0 },
  interactions: [],
} as const;
const TRAJECTORIES = { session_id: "s", rewards_missing: true, incomplete_calls: 2, interactions: {} };
const IDLE = {
  state: "idle",
  version: 7,
  target_version: null,
  mode: null,
  path: null,
  started_at: 1.5,
  paused_seconds: 0.5,
  checked: true,
  not_checked: null,
  error: null,
  servers: [{ url: "http://a", version: 7, state: "loaded", seconds: 2, error: null }],
} as const;
const { target_version: _, started_at: __, paused_seconds: ___, not_checked: ____, ...sameFields } = IDLE;
const STATUS = { ...sameFields, targetVersion: null, startedAt: 1.5, pausedSeconds: 0.5, notChecked: null };
const START_FIELDS = {
  task_id: "t",
  group_id: "g",
  sampling_override: { temperature: 1 },
  without_channels: ["kept_ids"],
};
const START: StartRunOptions = {
  taskId: "t",
  groupId: "g",
  samplingOverride: { temperature: 1 },
  withoutChannels: ["kept_ids"],
  split: "eval",
};
const ENDED_WIRE = {
  session_id: "s",
  group_id: "g",
  state: "ended",
  interaction_count: 3,
  incomplete_calls: 1,
  calls_in_flight: 2,
};
const ENDED = {
  sessionId: "s",
  groupId: "g",
  state: "ended",
  interactionCount: 3,
  incompleteCalls: 1,
  callsInFlight: 2,
};
const session = (admin: AdminClient) => new SessionClient(admin, { sessionId: "a/b", sessionApiKey: KEY }, "rollout-7");

interface Row {
  readonly name: string;
  readonly call: (admin: AdminClient) => Promise<unknown>;
  /** Method, path and body of the request. */
  readonly request: readonly [method: string, path: string, body?: object];
  readonly reply: object;
  readonly result?: unknown;
  /** The call must not be sent again if its connection breaks. */
  readonly once?: boolean;
  /** The key and the `X-Session-ID` that the call is made with, if not the admin's. */
  readonly headers?: Readonly<Record<string, string>>;
}

const OF_SESSION = { authorization: `Bearer ${KEY}`, "x-session-id": "rollout-7" };

const rows: readonly Row[] = [
  {
    name: "grants one slot",
    call: (admin) => admin.grantCapacity(),
    request: ["POST", "/grant_capacity", { slots: 1 }],
    reply: { capacity: 4 },
    result: 4,
    once: true,
  },
  {
    name: "starts a session",
    call: (admin) => admin.startSession({ ...START, leaseId: "l", apiKey: "k" }),
    request: ["POST", "/rl/start_session", { ...START_FIELDS, split: "eval", lease_id: "l", api_key: "k" }],
    reply: { session_id: "s", session_api_key: KEY, base_url: "http://a/v1/" },
    result: { sessionId: "s", sessionApiKey: KEY, baseUrl: "http://a" },
    once: true,
  },
  {
    name: "starts a session without options, whose worker it cannot reach",
    call: (admin) => admin.startSession(),
    request: ["POST", "/rl/start_session", {}],
    reply: { session_id: "s", session_api_key: KEY, base_url: "http://elsewhere" },
    result: { sessionId: "s", sessionApiKey: KEY, baseUrl: undefined },
    once: true,
  },
  {
    name: "starts a session whose key names no worker",
    call: (admin) => admin.startSession(),
    request: ["POST", "/rl/start_session", {}],
    reply: { session_id: "s", session_api_key: "k", base_url: "http://a" },
    result: { sessionId: "s", sessionApiKey: "k", baseUrl: undefined },
    once: true,
  },
  {
    name: "starts a run",
    call: (admin) => admin.startRun(START),
    request: ["POST", "/rl/start_run", { ...START_FIELDS, split: "eval" }],
    reply: { run_id: "r", run_api_key: "k" },
    result: { runId: "r", runApiKey: "k" },
  },
  {
    name: "lists the sessions of a run",
    call: (admin) => admin.runSessions("r/1"),
    request: ["GET", "/rl/runs/r%2F1/sessions"],
    reply: { sessions: [{ session_id: "s", x_session_id: "x", state: "active" }] },
    result: [{ sessionId: "s", xSessionId: "x", state: "active" }],
  },
  {
    name: "takes a session over",
    call: (admin) => admin.takeOverSession("a/b", { fromLeaseId: "f", leaseId: "l" }),
    request: ["POST", "/rl/sessions/a%2Fb/take_over", { from_lease_id: "f", lease_id: "l" }],
    reply: { session_id: "s", session_api_key: "k", transcript: TRANSCRIPT },
    result: { sessionId: "s", sessionApiKey: "k", baseUrl: undefined, transcript: TRANSCRIPT },
  },
  {
    name: "ends sessions",
    call: (admin) => admin.endSessions({ groupIds: ["g"], sessionIds: ["s"], runIds: ["r"], abort: true }),
    request: ["POST", "/rl/sessions/end", { group_ids: ["g"], session_ids: ["s"], run_ids: ["r"], abort: true }],
    reply: { sessions: [ENDED_WIRE], not_found: ["n"], unavailable_workers: ["w"] },
    result: { sessions: [ENDED], notFound: ["n"], unavailableWorkers: ["w"] },
  },
  {
    name: "ends sessions that all workers answer for",
    call: (admin) => admin.endSessions({ groupIds: ["g"] }),
    request: ["POST", "/rl/sessions/end", { group_ids: ["g"] }],
    reply: { sessions: [], not_found: [] },
    result: { sessions: [], notFound: [], unavailableWorkers: [] },
  },
  {
    name: "sets the version",
    call: (admin) => admin.setVersion(3),
    request: ["POST", "/rl/set_version", { version: 3 }],
    reply: { version: 3 },
  },
  {
    name: "deletes a session",
    call: (admin) => admin.deleteSession("a/b"),
    request: ["DELETE", "/rl/sessions/a%2Fb"],
    reply: {},
    result: true,
  },
  {
    name: "deletes a session of a lease",
    call: (admin) => admin.deleteSession("s", { leaseId: "l&" }),
    request: ["DELETE", "/rl/sessions/s?lease_id=l%26"],
    reply: {},
    result: true,
  },
  {
    name: "reads a session's state",
    call: (admin) => admin.sessionState("a/b"),
    request: ["GET", "/rl/sessions/a%2Fb"],
    reply: { state: "ended" },
    result: "ended",
  },
  {
    name: "reads a transcript",
    call: (admin) => admin.transcript("a/b"),
    request: ["GET", "/rl/sessions/a%2Fb/transcript?discount=1"],
    reply: TRANSCRIPT,
    result: TRANSCRIPT,
  },
  {
    name: "reads transcripts as lines",
    call: async (admin) => Buffer.from(await admin.transcriptLines(["s"])).toString(),
    request: ["POST", "/rl/transcripts", { session_ids: ["s"], discount: 1 }],
    reply: { a: 1 },
    result: '{"a":1}',
  },
  {
    name: "lists the active sessions of a lease",
    call: (admin) => admin.activeSessions("l&"),
    request: ["GET", "/rl/sessions?state=active&lease_id=l%26"],
    reply: { sessions: [{ session_id: "s", state: "active", lease_id: "l&" }], unavailable_workers: ["w"] },
    result: ["s"],
  },
  {
    name: "exports trajectories",
    call: async (admin) => (await admin.exportTrajectories("s", { style: "concat" })).incompleteCalls,
    request: ["POST", "/export_trajectories", { session_id: "s", style: "concat" }],
    reply: TRAJECTORIES,
    result: 2,
  },
  {
    name: "exports a batch",
    call: async (admin) => Buffer.from(await admin.exportBatch(["s"], { turns: true })).toString(),
    request: ["POST", "/export_batch", { session_ids: ["s"], turns: true, transport: "body" }],
    reply: { a: 1 },
    result: '{"a":1}',
  },
  {
    name: "exports a held batch",
    call: async (admin) => {
      const { id, bytes } = await admin.exportHeldBatch(["s"], { lease_seconds: 5 });
      return [id, Buffer.from(bytes).toString()];
    },
    request: ["POST", "/export_batch", { session_ids: ["s"], lease_seconds: 5, transport: "body", acknowledge: true }],
    reply: { a: 1 },
    result: ["batch-1", '{"a":1}'],
  },
  {
    name: "receives a held batch",
    call: async (admin) => {
      const read = async ({ byteLength, body }: ArrivingBatch) => [byteLength, await text(body)];
      return admin.receiveHeldBatch(["s"], { lease_seconds: 5 }, read);
    },
    request: ["POST", "/export_batch", { session_ids: ["s"], lease_seconds: 5, transport: "body", acknowledge: true }],
    reply: { a: 1 },
    result: { id: "batch-1", received: [7, '{"a":1}'] },
  },
  {
    name: "receives sessions",
    call: (admin) => admin.receiveSessions(["s"], { wait_seconds: 1 }, text),
    request: ["POST", "/export_sessions", { session_ids: ["s"], wait_seconds: 1 }],
    reply: { a: 1 },
    result: '{"a":1}',
  },
  {
    name: "exports a batch to a file",
    call: (admin) => admin.exportSharedBatch(["s"], { acknowledge: true }),
    request: ["POST", "/export_batch", { session_ids: ["s"], acknowledge: true, transport: "shm" }],
    reply: { id: "b", path: "/dev/shm/b", byte_length: 3 },
    result: [{ id: "b", path: "/dev/shm/b", byteLength: 3 }],
    once: true,
  },
  {
    name: "exports a batch to a file per shard",
    call: (admin) => admin.exportSharedBatch(["s"]),
    request: ["POST", "/export_batch", { session_ids: ["s"], transport: "shm" }],
    reply: { shards: [{ id: "b", path: "/dev/shm/b", byte_length: 3 }] },
    result: [{ id: "b", path: "/dev/shm/b", byteLength: 3 }],
    once: true,
  },
  {
    name: "acknowledges a batch",
    call: (admin) => admin.acknowledge("b/1"),
    request: ["DELETE", "/export_batch/b%2F1"],
    reply: {},
    result: true,
  },
  {
    name: "reads the weights",
    call: (admin) => admin.weights(),
    request: ["GET", "/rl/weights"],
    reply: IDLE,
    result: STATUS,
  },
  {
    name: "gives a weight update up",
    call: (admin) => admin.abandonWeights(),
    request: ["DELETE", "/rl/weights"],
    reply: IDLE,
    result: STATUS,
  },
  {
    name: "updates the weights from a path",
    call: (admin) => admin.updateWeights({ version: 7, path: "/w", allowPartial: true }, { exclude: ["http://b"] }),
    request: [
      "POST",
      "/rl/weights",
      { version: 7, path: "/w", allow_partial: true, exclude: ["http://b"], wait_seconds: 20 },
    ],
    reply: IDLE,
    result: STATUS,
  },
  {
    name: "loads an adapter, and waits no longer than the caller",
    call: (admin) => admin.updateWeights({ version: 7, lora: { name: "n", path: "/l" } }, { timeoutSeconds: 5 }),
    request: ["POST", "/rl/weights", { version: 7, lora: { name: "n", path: "/l" }, wait_seconds: 5 }],
    reply: IDLE,
    result: STATUS,
  },
  {
    name: "begins an external update with sleeping servers",
    call: (admin) => admin.updateWeights({ version: 7, external: true, sleep: true }),
    request: ["POST", "/rl/weights", { version: 7, mode: "external", sleep: true, wait_seconds: 20 }],
    reply: { ...IDLE, state: "external" },
    result: { ...STATUS, state: "external" },
  },
  {
    name: "finishes an update, and asks for its progress at once",
    call: (admin) => admin.finishWeights(7, { path: "/w", onProgress: () => undefined }),
    request: ["POST", "/rl/weights/finish", { version: 7, path: "/w", wait_seconds: 0 }],
    reply: IDLE,
    result: STATUS,
  },
  {
    name: "finds the session of a run",
    call: async (admin) => {
      const found = await SessionClient.ofRun(admin, { runId: "r", runApiKey: KEY }, "rollout-7");
      return [found.sessionId, found.sessionApiKey, found.xSessionId, found.baseUrl];
    },
    request: ["POST", "/rl/current_session", {}],
    reply: { session_id: "s" },
    result: ["s", KEY, "rollout-7", undefined],
    headers: OF_SESSION,
  },
  {
    name: "rewards the last call",
    call: (admin) => session(admin).setLastReward(0.5),
    request: ["POST", "/rl/set_reward", { reward: 0.5 }],
    reply: { interaction_id: "i" },
    result: "i",
    headers: OF_SESSION,
  },
  {
    name: "rewards a call",
    call: (admin) => session(admin).setReward("i", 0.5),
    request: ["POST", "/rl/set_reward", { reward: 0.5, interaction_id: "i" }],
    reply: { interaction_id: "i" },
    headers: OF_SESSION,
  },
  {
    name: "rewards a session",
    call: (admin) => session(admin).setSessionReward(0.5),
    request: ["POST", "/rl/set_reward", { reward: 0.5, scope: "session" }],
    reply: { scope: "session" },
    headers: OF_SESSION,
  },
  {
    name: "ends a session once",
    call: async (admin) => {
      const own = session(admin);
      return [await own.end(), await own.end()];
    },
    request: ["POST", "/rl/end_session", {}],
    reply: { interaction_count: 2 },
    result: [2, 2],
    headers: OF_SESSION,
  },
  {
    name: "deletes its session",
    call: (admin) => session(admin).delete({ leaseId: "l" }),
    request: ["DELETE", "/rl/sessions/a%2Fb?lease_id=l"],
    reply: {},
    result: true,
  },
  {
    name: "exports a session",
    call: async (admin) => (await session(admin).exportInteractions()).rewardsMissing,
    request: [
      "POST",
      "/export_trajectories",
      { session_id: "a/b", discount: 1, style: "individual", include: ["messages"] },
    ],
    reply: TRAJECTORIES,
    result: true,
  },
  {
    name: "exports a session with filters and without messages",
    call: async (admin) => {
      const filters = {
        models: ["m"],
        excludeModels: ["x"],
        tags: ["t"],
        roots: "rewarded",
        overlong: "drop",
      } as const;
      const options = { concatReward: "return", onMismatch: "split", filters, includeMessages: false } as const;
      return (await session(admin).exportInteractions(0.5, "concat", options)).filtered;
    },
    request: [
      "POST",
      "/export_trajectories",
      {
        session_id: "a/b",
        discount: 0.5,
        style: "concat",
        concat_reward: "return",
        on_mismatch: "split",
        models: ["m"],
        exclude_models: ["x"],
        tags: ["t"],
        roots: "rewarded",
        overlong: "drop",
        include: [],
      },
    ],
    reply: { ...TRAJECTORIES, filtered: 4 },
    result: 4,
  },
];

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A transport whose first connections break, and what was sent over it. */
function createTransport(reply: object, breaks: number): { transport: Transport; sent: Sent[] } {
  const sent: Sent[] = [];
  const transport: Transport = {
    send: async (path, { method, headers, body }) => {
      sent.push({ method, path, headers, body: body === undefined ? undefined : (JSON.parse(body) as unknown) });
      if (sent.length <= breaks) throw new Error("reset");
      const bytes = Buffer.from(JSON.stringify(reply));
      const sentBack = { "x-rolltape-export-id": "batch-1", "content-length": String(bytes.length) };
      return { status: 200, headers: sentBack, body: bytes };
    },
    reachesWorker: async (address, tag) => address === "http://a" && tag === "abc",
  };
  return { transport, sent };
}

describe("a client's call", () => {
  it.each(rows)("$name", async ({ call, request: [method, path, body], reply, result, headers }) => {
    const { transport, sent } = createTransport(reply, 0);
    expect(await call(new AdminClient(transport, "sk-admin"))).toEqual(result);
    const own = headers ?? { authorization: "Bearer sk-admin" };
    const type = body === undefined ? {} : { "content-type": "application/json" };
    expect(sent).toEqual([{ method, path, headers: { ...own, ...type }, body }]);
  });

  it.each(rows)("is sent again after a broken connection if that has no further effect: $name", async (row) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { transport, sent } = createTransport(row.reply, 1);
    const outcome = row.call(new AdminClient(transport, "sk-admin")).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(50);
    const failed = expect.objectContaining({ code: "connection_failed" }) as unknown;
    expect(await outcome).toEqual(row.once ? failed : row.result);
    expect(sent).toHaveLength(row.once ? 1 : 2);
  });
});

describe("the time limit of a call", () => {
  const signalled: Transport["send"] = (_path, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

  it.each<[string, number, (admin: AdminClient) => Promise<unknown>]>([
    ["a minute by default", 60, (admin) => admin.setVersion(1)],
    ["chosen by the caller", 5, (admin) => admin.setVersion(1, { timeoutSeconds: 5 })],
    ["ten minutes for an export", 600, (admin) => admin.exportBatch(["s"])],
    [
      "longer for an export that waits",
      609,
      (admin) => admin.exportTrajectories("s", { wait_seconds: 2, drain_seconds: 7 }),
    ],
    ["a minute and a half for an acknowledgement", 90, (admin) => admin.acknowledge("b")],
    ["two minutes to give a weight update up", 120, (admin) => admin.abandonWeights()],
    ["a minute for the call of a weight update", 60, (admin) => admin.updateWeights({ version: 1, path: "/w" })],
  ])("is %s: %i s", async (_, seconds, call) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let error: unknown;
    call(new AdminClient({ send: signalled }, "sk-admin")).catch((reason: unknown) => (error = reason));
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
    expect(error).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(error).toMatchObject({ code: "request_timed_out" });
  });
});

describe("a weight update that runs", () => {
  const answerWith = (...states: string[]) => {
    const methods: string[] = [];
    const send: Transport["send"] = async (_path, { method }) => {
      methods.push(method);
      const state = states[Math.min(methods.length, states.length) - 1];
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ ...IDLE, state })) };
    };
    return { admin: new AdminClient({ send }, "sk-admin"), methods };
  };

  it.each([
    ["each second", undefined, 1000],
    ["four times a second if the caller wants to see the progress", () => undefined, 250],
  ])("is asked for %s", async (_, onProgress, pause) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { admin, methods } = answerWith("loading", "resuming", "idle");
    const updating = admin.updateWeights({ version: 7, path: "/w" }, { onProgress });
    await vi.advanceTimersByTimeAsync(pause - 1);
    expect(methods).toEqual(["POST"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(methods).toEqual(["POST", "GET"]);
    await vi.advanceTimersByTimeAsync(pause);
    expect(await updating).toMatchObject({ state: "idle" });
  });

  it("is no longer waited for after the caller's time", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { admin } = answerWith("loading");
    const updating = admin.updateWeights({ version: 7, path: "/w" }, { timeoutSeconds: 5 });
    const outcome = updating.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await outcome).toMatchObject({ code: "request_timed_out" });
  });
});

describe("a lease whose workers do not all answer", () => {
  it("deletes the sessions that are listed, and rejects", async () => {
    const reply = { sessions: [{ session_id: "s", state: "ended", lease_id: "l" }], unavailable_workers: ["w1", "w2"] };
    const { transport, sent } = createTransport(reply, 0);
    const deleted = new AdminClient(transport, "sk-admin").deleteLease("l", { ended: true });
    await expect(deleted).rejects.toMatchObject({ code: "worker_unavailable", message: /w1, w2/ });
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /rl/sessions?lease_id=l",
      "DELETE /rl/sessions/s?lease_id=l",
    ]);
  });
});

describe("an acknowledgement of a worker that stays away", () => {
  it("is sent four times", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let sent = 0;
    const send: Transport["send"] = async () => {
      sent++;
      return { status: 503, headers: {}, body: Buffer.from('{"error":{"message":"no","code":"worker_unavailable"}}') };
    };
    const outcome = new AdminClient({ send }, "sk-admin").acknowledge("b").catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(500 + 1500 + 4999);
    expect(sent).toBe(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toMatchObject({ code: "worker_unavailable" });
    expect(sent).toBe(4);
  });
});

it("a session that could not be ended can be ended later", async () => {
  let answers = 0;
  const send: Transport["send"] = async () =>
    answers++ === 0
      ? {
          status: 503,
          headers: {},
          body: Buffer.from('{"error":{"message":"no","code":"busy","param":null,"left":3}}'),
        }
      : { status: 200, headers: {}, body: Buffer.from('{"interaction_count":1}') };
  const own = session(new AdminClient({ send }, "sk-admin"));
  const failure = { code: "busy", status: 503, param: undefined, details: { left: 3 }, name: "ProxyError" };
  await expect(own[Symbol.asyncDispose]()).rejects.toMatchObject(failure);
  expect(await own.end()).toBe(1);
});

it("sends the headers of a trace, and no session id of its own", async () => {
  const { transport, sent } = createTransport({ version: 1 }, 0);
  await new AdminClient(transport, "sk-admin").setVersion(1, { traceHeaders: { traceparent: "00-a" } });
  expect(sent[0]?.headers).toEqual({
    authorization: "Bearer sk-admin",
    traceparent: "00-a",
    "content-type": "application/json",
  });
});
