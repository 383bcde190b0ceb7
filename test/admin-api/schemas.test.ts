import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { batchBody, refuseDuplicates, toBatchOptions } from "../../src/admin-api/batch-request.js";
import { drainBody, pauseBody, serverRecord } from "../../src/admin-api/engine-schemas.js";
import { JSON_LINES_TYPE, writeFailedTranscript } from "../../src/admin-api/failed-transcript.js";
import { toSessionApiError } from "../../src/admin-api/session-errors.js";
import {
  deleteQuery,
  grantBody,
  sessionsQuery,
  startBody,
  transcriptQuery,
  transcriptsBody,
} from "../../src/admin-api/session-schemas.js";
import { trajectoriesBody } from "../../src/admin-api/trajectories-request.js";
import { isLater, stampVersion, versionBody } from "../../src/admin-api/weight-version.js";
import { toUpdateTarget } from "../../src/admin-api/weights/update-request.js";
import { stepBody } from "../../src/admin-api/weights/weight-steps.js";
import {
  finishBody,
  weightServerRecord,
  weightsBody,
  weightsRecord,
} from "../../src/admin-api/weights/weights-schemas.js";

import { SessionError } from "../../src/session/errors.js";

/** The bounds and values of the fields in docs/reference/http-api.md. */

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;
const TARGET = { version: 1, mode: "external", path: null };
const text = (length: number) => "a".repeat(length);

describe("a field", () => {
  it.each<[string, z.ZodType, object, string, unknown, unknown]>([
    ["grant_capacity", grantBody, {}, "slots", 1, 0],
    ["grant_capacity", grantBody, {}, "slots", 1_000_000, 1_000_001],
    ["start_session", startBody, {}, "task_id", text(128), text(129)],
    ["start_session", startBody, {}, "task_id", "a.b_c:d-9", "a b"],
    ["start_session", startBody, {}, "group_id", "a", ""],
    ["start_session", startBody, {}, "group_id", text(256), text(257)],
    ["start_session", startBody, {}, "lease_id", text(200), text(201)],
    ["start_session", startBody, {}, "api_key", text(16), text(15)],
    ["start_session", startBody, {}, "api_key", text(4096), text(4097)],
    ["start_session", startBody, {}, "api_key", `~${text(16)}`, ` ${text(16)}`],
    ["delete", deleteQuery, {}, "lease_id", "a", ""],
    ["sessions", sessionsQuery, {}, "limit", "1", "0"],
    ["sessions", sessionsQuery, {}, "limit", "100000", "100001"],
    ["sessions", sessionsQuery, {}, "after", "1:a", "a"],
    ["transcript", transcriptQuery, {}, "discount", "1", "1.1"],
    ["transcript", transcriptQuery, {}, "discount", "0", "-0.1"],
    ["transcripts", transcriptsBody, {}, "session_ids", Array(256).fill("a"), Array(257).fill("a")],
    ["transcripts", transcriptsBody, {}, "session_ids", ["a"], []],
    ["transcripts", transcriptsBody, {}, "session_ids", ["ab"], [""]],
    ["transcripts", transcriptsBody, { session_ids: ["a"] }, "discount", 0, 2],
    ["export_trajectories", trajectoriesBody, { session_id: "a" }, "format", "safetensors", "npz"],
    ["export_trajectories", trajectoriesBody, { session_id: "a" }, "include", ["messages"], ["tokens"]],
    ["export_trajectories", trajectoriesBody, { session_id: "a" }, "wait_seconds", 86_400, 86_401],
    ["export_batch", batchBody, { session_ids: ["a"] }, "transport", "shm", "file"],
    ["export_batch", batchBody, { session_ids: ["a"] }, "lease_seconds", 0.1, 0],
    ["export_batch", batchBody, { session_ids: ["a"] }, "reader_pid", 1, 0],
    ["export_batch", batchBody, { session_ids: ["a"] }, "drain_seconds", 0, -1],
    ["engine/drain", drainBody, { url: "a" }, "wait_seconds", 86_400, 86_401],
    ["engine/pause", pauseBody, {}, "mode", "keep", "stop"],
    ["set_version", versionBody, {}, "version", 0, -1],
    ["set_version", versionBody, { version: 1 }, "set_at", 1e11, 1e11 + 1],
    ["set_version", versionBody, { version: 1 }, "set_at", 0, -1],
    ["weights/step", stepBody, { step: "hold" }, "target", TARGET, { ...TARGET, mode: "other" }],
    ["weights/step", stepBody, { step: "hold" }, "target", { ...TARGET, mode: "path", path: "/w" }, { version: 1 }],
    ["weights/step", stepBody, { step: "hold" }, "replaces", Array(1000).fill("a"), Array(1001).fill("a")],
    ["weights/step", stepBody, { step: "hold" }, "update_id", text(128), text(129)],
    ["weights", weightsBody, { version: 1 }, "mode", "external", "path"],
    ["weights", weightsBody, { version: 1 }, "path", text(4096), text(4097)],
    ["weights", weightsBody, { version: 1 }, "path", "a", ""],
    ["weights", weightsBody, { version: 1 }, "wait_seconds", 0, -1],
    ["weights", weightsBody, { version: 1 }, "exclude", Array(10_000).fill("a"), Array(10_001).fill("a")],
  ])("of %s allows some values of its kind only", (_, schema, body, name, right, wrong) => {
    expect([name, accepts(schema, { ...body, [name]: right })]).toEqual([name, true]);
    expect([name, accepts(schema, { ...body, [name]: wrong })]).toEqual([name, false]);
  });

  it("has the default that the page names", () => {
    expect(grantBody.parse({})).toEqual({ slots: 1 });
    expect(sessionsQuery.parse({})).toEqual({ limit: 1000 });
    expect(transcriptQuery.parse({})).toEqual({ discount: 1 });
    expect(trajectoriesBody.parse({ session_id: "a" })).toMatchObject({ format: "json", include: [], wait_seconds: 0 });
    expect(batchBody.parse({ session_ids: ["a"] })).toMatchObject({
      transport: "body",
      acknowledge: false,
      lease_seconds: 300,
      wait_seconds: 0,
    });
    expect(drainBody.parse({ url: "a" })).toEqual({ url: "a", wait_seconds: 0 });
    expect(pauseBody.parse({})).toEqual({ mode: "abort" });
    expect(weightsBody.parse({ version: 1 })).toEqual({
      version: 1,
      sleep: false,
      allow_partial: false,
      exclude: [],
      wait_seconds: 600,
    });
    expect(finishBody.parse({ version: 1 })).toEqual({
      version: 1,
      allow_partial: false,
      exclude: [],
      wait_seconds: 600,
    });
  });

  it.each([
    ["the state of a session", sessionsQuery.shape.state, ["active", "ended", "exported", "expired"]],
    ["the state of an engine server", serverRecord.shape.state, ["up", "down", "draining", "unknown"]],
    ["log probabilities", serverRecord.shape.logprobs, ["temperature", "truncated", "raw", "unknown"]],
    [
      "the state of a weight update",
      weightsRecord.shape.state,
      ["idle", "pausing", "loading", "external", "resuming", "failed"],
    ],
    ["the mode of a weight update", weightsRecord.shape.mode, ["path", "external", "lora"]],
    [
      "the state of a server in a weight update",
      weightServerRecord.shape.state,
      ["pending", "loading", "loaded", "failed", "excluded"],
    ],
    [
      "a step of a weight update",
      stepBody.shape.step,
      ["list", "compare", "prepare", "hold", "pause", "load", "finish", "drain", "resume", "release"],
    ],
  ])("for %s has these values and no others", (_, schema: z.ZodType, values) => {
    for (const value of values) expect(schema.safeParse(value)).toMatchObject({ success: true, data: value });
    for (const value of ["", "other"]) expect(accepts(schema, value)).toBe(false);
  });
});

describe("a batch", () => {
  it("is refused if its options contradict each other, or if it names a session twice", async () => {
    const options = (fields: object) => toBatchOptions(batchBody.parse({ session_ids: ["a"], ...fields }));
    expect(options({ max_length: 5, pad_side: "left" })).toMatchObject({
      maxLength: 5,
      padSide: "left",
      layout: "padded",
    });
    expect(() => options({ layout: "tree", max_length: 5 })).toThrow(
      expect.objectContaining({ code: "invalid_value", param: "maxLength" }) as Error,
    );
    for (const others of [0, 2000]) {
      const ids = ["twice", ...Array.from({ length: others }, (_, i) => `a-${i}`)];
      await expect(refuseDuplicates(ids)).resolves.toBeUndefined();
      await expect(refuseDuplicates([...ids, "twice"])).rejects.toMatchObject({
        message: '`session_ids` must name each session once; received "twice" twice.',
      });
    }
  });
});

describe("an error of a session", () => {
  it("spells its options as fields of a body", () => {
    const error = new SessionError("invalid_value", (spell) => `${spell("maxLength")} is wrong.`, {
      param: "maxLength",
      details: { limit: 3 },
    });
    expect(toSessionApiError(error)).toMatchObject({
      statusCode: 400,
      code: "invalid_value",
      message: "max_length is wrong.",
      param: "max_length",
      details: { limit: 3 },
      cause: error,
    });
    expect(toSessionApiError(new SessionError("session_ended", "It has ended."))).toMatchObject({ param: undefined });
    expect(toSessionApiError(new Error("secret"))).toMatchObject({ code: "internal_error" });
  });
});

describe("the target of a weight update", () => {
  const target = (body: object) => toUpdateTarget(weightsBody.parse({ version: 3, ...body }));

  it("has a path, or is what the caller pushes", () => {
    expect(target({ path: "/w" })).toEqual({ version: 3, mode: "path", path: "/w" });
    expect(target({ mode: "external" })).toEqual({ version: 3, mode: "external", path: null });
  });

  it.each([{}, { mode: "external", path: "/w" }])("is refused if it is neither or both: %j", (body) => {
    expect(() => target(body)).toThrow(expect.objectContaining({ code: "invalid_value", param: "path" }) as Error);
  });
});

describe("a weight version", () => {
  it("replaces one that was set earlier, and a lower one that was set at the same time", () => {
    const at = (set_at: number, version = 1) => ({ version, set_at });
    expect(isLater(at(2, 1), at(1, 5))).toBe(true);
    expect(isLater(at(1, 5), at(2, 1))).toBe(false);
    expect(isLater(at(1, 5), at(1, 4))).toBe(true);
    expect(isLater(at(1, 5), at(1, 5))).toBe(false);
  });

  it("is set now, or after the known one if its clock is ahead", () => {
    const before = Date.now() / 1000;
    const now = stampVersion(4, { version: 3, set_at: 0 });
    expect(now.version).toBe(4);
    expect(now.set_at).toBeGreaterThanOrEqual(before);
    expect(stampVersion(4, { version: 3, set_at: 9e10 }).set_at).toBe(9e10 + 0.001);
  });
});

it("a line says why a transcript is missing", () => {
  const line = writeFailedTranscript("a-1", { code: "session_not_found", message: "No." });
  expect(line.toString()).toBe('{"session_id":"a-1","error":{"code":"session_not_found","message":"No."}}\n');
  expect(JSON_LINES_TYPE).toBe("application/x-ndjson");
});
