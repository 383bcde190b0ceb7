import type { FastifyReply, FastifyRequest } from "fastify";
import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { isAnthropicClient } from "../../src/admin-api/anthropic-client.js";
import { type AnswerRequest, answerBatches, nameBatches } from "../../src/admin-api/batch-answer.js";
import { batchBody, pickOptions, toBatchOptions, toDelivery, toShards } from "../../src/admin-api/batch-request.js";
import { toErrorBody } from "../../src/admin-api/error-body.js";
import { ExportMetrics } from "../../src/admin-api/export-metrics.js";
import { selectSessions } from "../../src/admin-api/run-sessions.js";
import { endBody, requireSelection } from "../../src/admin-api/session-schemas.js";
import { toTrajectoryOptions, trajectoriesBody } from "../../src/admin-api/trajectories-request.js";
import { toUpdateTarget } from "../../src/admin-api/weights/update-request.js";
import { weightsBody } from "../../src/admin-api/weights/weights-schemas.js";
import { ApiError } from "../../src/http/errors.js";

const refusal = (param: string, message: string) =>
  expect.objectContaining({
    code: "invalid_value",
    param,
    message: expect.stringContaining(message) as string,
  }) as Error;

describe("the options of a batch", () => {
  const fields = {
    style: "concat",
    discount: 0.5,
    concat_reward: "return",
    on_mismatch: "split",
    include_undelivered: true,
    models: ["a"],
    exclude_models: ["b"],
    tags: ["c"],
    roots: "rewarded",
    overlong: "drop",
  } as const;
  const spelled = {
    style: "concat",
    discount: 0.5,
    concatReward: "return",
    onMismatch: "split",
    includeUndelivered: true,
    models: ["a"],
    excludeModels: ["b"],
    tags: ["c"],
    roots: "rewarded",
    overlong: "drop",
  };
  const layout = {
    layout: "packed",
    pad_token_id: 3,
    pad_side: "left",
    pad_to_multiple_of: 8,
    max_length: 100,
    overflow: "truncate",
    row_tensors: false,
    turns: true,
    shared_turns: "weight",
    image_bytes: "tensor",
  } as const;

  it("are the fields of the request", () => {
    const body = batchBody.parse({ session_ids: ["a"], ...fields, ...layout, row_tensors: true });
    expect(toBatchOptions(body)).toEqual({
      ...spelled,
      layout: "packed",
      padTokenId: 3,
      padSide: "left",
      padToMultipleOf: 8,
      maxLength: 100,
      overflow: "truncate",
      rowTensors: true,
      turns: true,
      sharedTurns: "weight",
      imageBytes: "tensor",
    });
    expect(pickOptions(body)).toEqual({ ...fields, ...layout, row_tensors: true });
    expect(toTrajectoryOptions(trajectoriesBody.parse({ session_id: "a", ...fields }))).toEqual(spelled);
  });

  it("have no files, because an answer has no path", () => {
    const body = batchBody.parse({ session_ids: ["a"], image_bytes: "files" });
    expect(() => toBatchOptions(body)).toThrow(refusal("image_bytes", "must be tensor"));
  });

  it("of trajectories must not contradict each other", () => {
    const body = trajectoriesBody.parse({ session_id: "a", concat_reward: "return" });
    expect(() => toTrajectoryOptions(body)).toThrow(expect.objectContaining({ code: "invalid_value" }) as Error);
  });
});

describe("the shards of a batch", () => {
  const shards = (fields: object) => toShards(batchBody.parse({ session_ids: ["a"], ...fields }));

  it.each([
    [{}, { shards: 1, shard: undefined }],
    [
      { shards: 3, shard: 2 },
      { shards: 3, shard: 2 },
    ],
    [
      { shards: 3, transport: "shm" },
      { shards: 3, shard: undefined },
    ],
    [
      { shards: 2, shard: 0, shard_by: "workers", reader_hosts: ["a", "b"] },
      { shards: 2, shard: 0 },
    ],
    [
      { shards: 3, shard: 1, reader_hosts: ["a"] },
      { shards: 3, shard: 1 },
    ],
    [
      { shard_by: "workers", reader_hosts: ["a"] },
      { shards: 1, shard: undefined },
    ],
  ])("of a request with %j are %j", (fields, expected) => {
    expect(shards(fields)).toEqual(expected);
  });

  it.each([
    [{ shards: 3, shard: 3 }, "shard", "less than `shards` (3); received 3"],
    [{ shards: 2 }, "shard", "required if `transport` is `body` and `shards` is 2"],
    [{ shards: 2, transport: "shm", shard_by: "workers" }, "shard", "required with `shard_by: workers`"],
    [{ shards: 2, transport: "shm", reader_hosts: ["a"] }, "shard", "required with `reader_hosts`"],
    [{ shards: 3, shard: 0, reader_hosts: ["a", "b"] }, "reader_hosts", "each shard (3); received 2"],
  ])("are refused with %j", (fields, param, message) => {
    expect(() => shards(fields)).toThrow(refusal(param, message));
  });
});

describe("the delivery of a batch", () => {
  const delivery = (fields: object, machine?: string) => {
    const body = batchBody.parse({ session_ids: ["a"], transport: "shm", reader_pid: 7, ...fields });
    const { transport, reader_pid: pid } = toDelivery(body, machine);
    return [transport, pid];
  };

  it.each<[object, string | undefined, unknown[]]>([
    [{}, undefined, ["shm", 7]],
    [{}, "here", ["shm", 7]],
    [{ transport: "body" }, "here", ["body", 7]],
    [{ transport: "body", reader_hosts: ["there"] }, "here", ["body", 7]],
    [{ reader_hosts: ["here"] }, "here", ["shm", 7]],
    [{ reader_hosts: ["there"] }, "here", ["body", undefined]],
    [{ reader_hosts: ["here"] }, undefined, ["body", undefined]],
    [{ reader_hosts: ["there", "here"], shards: 2, shard: 1 }, "here", ["shm", 7]],
    [{ reader_hosts: ["there", "here"], shards: 2, shard: 0 }, "here", ["body", undefined]],
    [{ reader_hosts: ["here", "there"], shards: 2 }, "here", ["shm", 7]],
    [{ reader_hosts: ["here"], shards: 2, shard: 1 }, "here", ["shm", 7]],
    [{ shard_by: "workers" }, "here", ["body", undefined]],
  ])("of a request with %j by the machine %s is %j", (fields, machine, expected) => {
    expect(delivery(fields, machine)).toEqual(expected);
  });
});

describe("the batches of an answer", () => {
  const batch = (byteLength: number) => ({ byteLength, path: `/dev/shm/${byteLength}` }) as never;
  const body = (fields: Partial<AnswerRequest>): AnswerRequest => ({
    transport: "shm",
    acknowledge: false,
    session_ids: ["a"],
    shards: 1,
    lease_seconds: 5,
    ...fields,
  });

  function answer(fields: Partial<AnswerRequest>, batches: readonly number[]) {
    const lent: unknown[] = [];
    const withdrawn: string[] = [];
    const registry = new Registry();
    const context = {
      sharedExports: {
        lend: (...facts: unknown[]) => lent.push(facts),
        withdraw: (id: string) => withdrawn.push(id),
      } as never,
      metrics: { exports: new ExportMetrics(registry) },
    };
    const closing: ((complete: boolean) => void)[] = [];
    let sent: unknown;
    const reply = {
      responseEnd: { listen: (done: (complete: boolean) => void) => closing.push(done) },
      send: (value: unknown) => (sent = value),
    } as unknown as FastifyReply;
    let ids = 0;
    const packed = nameBatches(batches.map(batch), body(fields), () => `batch-${ids++}`);
    answerBatches(packed, body(fields), reply, context);
    const close = (complete: boolean) => {
      for (const done of closing) done(complete);
    };
    return { packed, sent, lent, withdrawn, close, registry };
  }

  it("are files in shared memory, which are lent to the reader and counted", async () => {
    const { sent, lent, withdrawn, close, registry } = answer({ reader_pid: 9 }, [10]);
    expect(sent).toEqual({ id: "batch-0", path: "/dev/shm/10", byte_length: 10 });
    expect(lent).toEqual([["batch-0", { byteLength: 10, path: "/dev/shm/10" }, 5000, 9]]);
    expect(await registry.metrics()).toContain("rolltape_export_bytes_total 10");
    close(true);
    expect(withdrawn).toEqual([]);
  });

  it("are listed if there are several shards, and withdrawn if the client does not get their paths", () => {
    const { packed, sent, withdrawn, close } = answer({ shards: 2 }, [10, 20]);
    expect(packed.map(({ id, part }) => [id, part])).toEqual([
      ["batch-0", { shards: 2, shard: 0 }],
      ["batch-1", { shards: 2, shard: 1 }],
    ]);
    expect(sent).toMatchObject({ shards: [{ id: "batch-0" }, { id: "batch-1" }] });
    close(false);
    expect(withdrawn).toEqual(["batch-0", "batch-1"]);
  });

  it("are one if the request names a shard", () => {
    const { packed, sent } = answer({ shards: 4, shard: 3 }, [10]);
    expect(packed[0]?.part).toEqual({ shards: 4, shard: 3 });
    expect(sent).toMatchObject({ id: "batch-0" });
  });

  it("are at least one", () => {
    expect(() => answer({}, [])).toThrow("no batch to send");
  });
});

it("an export counts what it leaves out, and its time also if it fails", async () => {
  const registry = new Registry();
  const metrics = new ExportMetrics(registry);
  metrics.count({ unrewardedRoots: 2, uncountedRewardRows: 3, leftOut: { undelivered: 4 } } as never);
  expect(await metrics.time(async () => 7)).toBe(7);
  const failing = async () => {
    throw new Error("no space");
  };
  await expect(metrics.time(failing)).rejects.toThrow("no space");
  const text = await registry.metrics();
  for (const line of [
    "rolltape_export_unrewarded_roots_total 2",
    "rolltape_export_uncounted_reward_rows_total 3",
    'rolltape_export_left_out_interactions_total{reason="undelivered"} 4',
    "rolltape_export_seconds_count 2",
  ]) {
    expect(text).toContain(line);
  }
});

describe("the sessions of an export", () => {
  const listed = (["a", "b"] as const).map((name) => {
    return { session_id: `id-${name}`, x_session_id: name, state: "ended" as const, created_at: 1 };
  });
  const select = (body: object) => selectSessions(body, async (runId) => (runId === "r" ? listed : []));

  it("are those with these ids, or those of a run", async () => {
    expect(await select({ session_ids: ["x"] })).toEqual({ session_ids: ["x"] });
    expect(await select({ run_id: "r" })).toMatchObject({ session_ids: ["id-a", "id-b"] });
    expect(await select({ run_id: "r", x_session_ids: ["b", "a"] })).toMatchObject({ session_ids: ["id-b", "id-a"] });
  });

  it.each([
    [{ session_ids: ["x"], run_id: "r" }, "invalid_value", "run_id", "must be absent if `session_ids` is given"],
    [{ session_ids: ["x"], x_session_ids: ["a"] }, "invalid_value", "x_session_ids", "needs `run_id`"],
    [{}, "invalid_value", "session_ids", "or `run_id` must be given"],
    [{ run_id: "n".repeat(201) }, "session_not_found", "run_id", `Run "${"n".repeat(200)}" has no session`],
    [
      { run_id: "r", x_session_ids: ["a", "c", "d"] },
      "session_not_found",
      "x_session_ids",
      'Run "r" has no data of 2 of these sessions. First: "c".',
    ],
  ])("are refused with %j", async (body, code, param, message) => {
    await expect(select(body)).rejects.toMatchObject({
      code,
      param,
      message: expect.stringContaining(message) as string,
    });
  });

  it("that are ended must be selected", () => {
    for (const field of ["group_ids", "session_ids", "run_ids"]) requireSelection(endBody.parse({ [field]: [] }));
    expect(() => requireSelection(endBody.parse({}))).toThrow(refusal("session_ids", "must be given"));
  });
});

describe("the target of a weight update", () => {
  const target = (body: object) => toUpdateTarget(weightsBody.parse({ version: 3, ...body }));
  const lora = { name: "policy@3", path: "/l" };

  it("may be an adapter, or servers that sleep", () => {
    expect(target({ lora })).toEqual({ version: 3, mode: "lora", name: "policy@3", path: "/l" });
    expect(target({ mode: "external", sleep: true })).toEqual({
      version: 3,
      mode: "external",
      path: null,
      sleep: true,
    });
    expect(target({ mode: "external", sleep: false })).toStrictEqual({ version: 3, mode: "external", path: null });
  });

  it.each([
    [{ sleep: true }, "sleep", "`sleep` must be absent unless `mode` is `external`"],
    [{ sleep: true, path: "/w" }, "sleep", "`sleep` must be absent unless `mode` is `external`"],
    [{ lora, path: "/w" }, "path", "`path` must be absent if `lora` is set"],
    [{ lora, mode: "external" }, "mode", "`mode` must be absent if `lora` is set"],
    [{ mode: "external", path: "/w" }, "path", "`path` must be absent if `mode` is `external`"],
    [{}, "path", "`path` or `lora` must be set"],
  ])("is refused with %j", (body, param, message) => {
    expect(() => target(body)).toThrow(refusal(param, message));
  });
});

describe("the body of an error", () => {
  const error = new ApiError("no_capacity", "No slot.", { param: "slots", details: { left: 0 } });
  const openai = {
    error: { message: "No slot.", type: "rate_limit_error", param: "slots", code: "no_capacity", left: 0 },
  };
  const anthropic = {
    type: "error",
    error: { type: "rate_limit_error", message: "No slot.", code: "no_capacity", param: "slots", left: 0 },
  };

  function bodyOf(fields: { url?: string; errors?: string; headers?: object; error?: ApiError }) {
    const { url = "/v1/models", errors, headers = {}, error: sent = error } = fields;
    const request = { id: "req-1", originalUrl: url, headers, routeOptions: { config: { errors } } };
    const sentHeaders: unknown[] = [];
    const reply = { header: (...header: unknown[]) => sentHeaders.push(header) };
    const body = toErrorBody(sent, request as unknown as FastifyRequest, reply as unknown as FastifyReply);
    return { body, sentHeaders };
  }

  it("is OpenAI's by default, and Anthropic's for its routes and its clients", () => {
    expect(bodyOf({})).toEqual({ body: openai, sentHeaders: [] });
    expect(bodyOf({ errors: "openai", headers: { "anthropic-version": "1" } }).body).toEqual(openai);
    expect(bodyOf({ errors: "anthropic" })).toEqual({ body: anthropic, sentHeaders: [["request-id", "req-1"]] });
    expect(bodyOf({ errors: "client" }).body).toEqual(openai);
    expect(bodyOf({ errors: "client", headers: { "x-api-key": "a" } })).toEqual({ body: anthropic, sentHeaders: [] });
  });

  it("is Google's below its paths", () => {
    expect(bodyOf({ url: "/v1beta/models", errors: "anthropic" }).body).toMatchObject({
      error: {
        code: 429,
        message: "No slot.",
        details: [
          { reason: "NO_CAPACITY", metadata: { code: "no_capacity", param: "slots", left: "0" } },
          { retryDelay: "1s" },
        ],
      },
    });
  });

  it("tells Anthropic's clients that the server has no threads", () => {
    const unsupported = (param: string | undefined, code: "unsupported_parameter" | "invalid_value") =>
      bodyOf({ errors: "anthropic", error: new ApiError(code, "No.", { param }) }).body;
    expect(unsupported("thread", "unsupported_parameter")).toMatchObject({
      error: { details: { error_code: "thread_unsupported_request" } },
    });
    for (const body of [unsupported("other", "unsupported_parameter"), unsupported("thread", "invalid_value")])
      expect(body).not.toHaveProperty("error.details");
    expect(unsupported(undefined, "invalid_value")).toMatchObject({ error: { param: null } });
  });

  it.each([
    [{ "anthropic-version": "1" }, true],
    [{ "x-api-key": "a" }, true],
    [{ "x-api-key": "a", authorization: "Bearer a" }, false],
    [{ authorization: "Bearer a" }, false],
    [{}, false],
  ])("takes a client with the headers %j for Anthropic's: %s", (headers, expected) => {
    expect(isAnthropicClient({ headers } as FastifyRequest)).toBe(expected);
  });
});
