import { describe, expect, it } from "vitest";
import { mergeRefusals, readWorkerError, unreachableSessions } from "../../../src/gateway/export/refusal.js";

const reply = (body: object | string, status = 409) => ({
  status,
  headers: {},
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});
const refusal = (error: object) => reply({ error: { message: "No.", code: "session_active", ...error } });
const refused = (session_id: string, code = "session_active") => ({
  session_id,
  code,
  message: `${session_id} ${code}`,
});

describe("the error of a worker", () => {
  it("keeps its code, parameter and details", () => {
    const error = readWorkerError(refusal({ type: "conflict", param: "session_ids", max_shards: 4 }));
    expect(error).toMatchObject({
      code: "session_active",
      message: "No.",
      param: "session_ids",
      details: { max_shards: 4 },
    });
    expect(error.details).not.toHaveProperty("type");
    expect(readWorkerError(refusal({ param: null })).param).toBeUndefined();
  });

  it("is an invalid reply if this gateway does not know its code", () => {
    expect(readWorkerError(refusal({ code: "of_another_version" })).code).toBe("invalid_worker_reply");
    expect(readWorkerError(refusal({ code: "toString" })).code).toBe("invalid_worker_reply");
  });

  it.each(["no JSON", "{}"])("must be an error body; received %s", (body) => {
    expect(() => readWorkerError(reply(body, 500))).toThrow(
      expect.objectContaining({ code: "invalid_worker_reply", message: expect.stringContaining("status 500") }),
    );
  });
});

describe("the refusals of several workers", () => {
  const one = { sessionIds: ["one:a", "one:b"], reply: refusal({ sessions: [refused("one:a"), refused("one:b")] }) };

  it("are one error with the sessions of all of them", () => {
    const two = { sessionIds: ["two:c"], reply: refusal({}) };
    expect(mergeRefusals([one, two])).toMatchObject({
      code: "session_active",
      message: "3 sessions cannot be exported, so none was. First: one:a session_active",
      param: "session_ids",
      details: { sessions: [refused("one:a"), refused("one:b"), { ...refused("two:c"), message: "No." }] },
    });
  });

  it("have a common code only if all sessions have it", () => {
    const two = { sessionIds: ["two:c"], reply: refusal({ sessions: [refused("two:c", "session_exported")] }) };
    expect(mergeRefusals([one, two]).code).toBe("batch_not_exportable");
    const unknown = { sessionIds: ["x"], reply: refusal({ code: "of_another_version" }) };
    expect(mergeRefusals([unknown, unknown]).code).toBe("batch_not_exportable");
  });

  it("are passed on as they are if there is one", () => {
    expect(mergeRefusals([one])).toMatchObject({ message: "No.", details: { sessions: [{}, {}] } });
  });

  it("list a list of sessions of another form as if it were absent", () => {
    const other = { sessionIds: ["two:c"], reply: refusal({ sessions: "all" }) };
    expect(mergeRefusals([other, other]).details).toMatchObject({
      sessions: [{ session_id: "two:c" }, { session_id: "two:c" }],
    });
  });
});

describe("sessions that no worker exports", () => {
  it("name the worker that does not answer", () => {
    expect(unreachableSessions(["task-0-one-7"])).toMatchObject({ code: "worker_unavailable" });
  });

  it("do not exist if their ids name no worker", () => {
    expect(unreachableSessions(["task"])).toMatchObject({
      code: "session_not_found",
      details: { sessions: [{ session_id: "task" }] },
    });
  });

  it("are listed up to a thousand, and all counted", () => {
    const error = unreachableSessions(Array.from({ length: 1001 }, (_, index) => `${index}`));
    expect(error.message).toMatch(/^1001 sessions /);
    expect(error.details?.["sessions"]).toHaveLength(1000);
  });
});
