import { describe, expect, it } from "vitest";
import type { AdminClient } from "../../src/client/admin-client.js";
import { ProxyError } from "../../src/client/errors.js";
import { findProxyLoss, isProxyAbsent, isProxyLoss, proxyLost } from "../../src/rollout/proxy-loss.js";
import { Rejection } from "../../src/rollout/rejection.js";

const errorOf = (code: string, status?: number) =>
  new ProxyError(code as never, `because of ${code}`, status === undefined ? {} : { status });

it.each<[string, unknown, boolean, boolean]>([
  ["connection_failed", errorOf("connection_failed"), true, true],
  ["request_timed_out", errorOf("request_timed_out"), true, true],
  ["worker_unavailable", errorOf("worker_unavailable", 503), true, true],
  ["server_draining", errorOf("server_draining", 503), true, true],
  ["an answer of a load balancer", errorOf("invalid_reply", 500), true, true],
  ["an answer that is no error", errorOf("invalid_reply", 499), false, false],
  ["an answer without a status", errorOf("invalid_reply"), false, false],
  ["session_not_found", errorOf("session_not_found", 404), false, true],
  ["session_expired", errorOf("session_expired", 410), false, true],
  ["no_capacity", errorOf("no_capacity", 409), false, true],
  ["another refusal", errorOf("internal_error", 500), false, false],
  ["an error of another kind", Object.assign(new Error("a"), { code: "connection_failed" }), false, false],
  ["no error", undefined, false, false],
])("%s shows that the proxy is gone, or has lost the session", (_, error, isAbsent, isLoss) => {
  expect([isProxyAbsent(error), isProxyLoss(error)]).toEqual([isAbsent, isLoss]);
});

describe("an episode that failed", () => {
  /** Returns what is found, what the proxy was asked, and what its watch notes. */
  async function find(
    cause: unknown,
    {
      answer,
      sessionId = "s",
      lostSince = false,
    }: { answer?: unknown; sessionId?: string | null; lostSince?: boolean } = {},
  ) {
    const asked: unknown[] = [];
    const noted: boolean[] = [];
    const admin = {
      sessionState: async (id: string, options: object) => {
        asked.push([id, options]);
        if (answer !== undefined) throw answer;
        return "active";
      },
    } as unknown as AdminClient;
    const watch = {
      noteLoss: (isAbsent: boolean) => noted.push(isAbsent),
      wasLostSince: (time: number) => lostSince && time === 7,
    };
    const reason = new Rejection("agent_error", "the agent failed", { cause });
    const found = await findProxyLoss({
      reason,
      sessionId: sessionId ?? undefined,
      admin,
      watch: watch as never,
      startedAt: 7,
    });
    return { found, asked, noted };
  }

  it.each([
    ["connection_failed", [true]],
    ["session_not_found", [false]],
    ["session_expired", []],
    ["no_capacity", []],
  ])("lost its proxy if its own error says so: %s", async (code, noted) => {
    const error = errorOf(code);
    expect(await find(error)).toEqual({ found: error, asked: [], noted });
  });

  it.each([
    ["connection_failed", true, [true]],
    ["session_not_found", true, [false]],
    ["session_expired", true, []],
    ["internal_error", false, []],
  ])("lost its proxy if the proxy does not have its session: %s", async (code, isLost, noted) => {
    const answer = errorOf(code);
    const found = isLost ? answer : undefined;
    expect(await find(new Error("a"), { answer })).toEqual({ found, asked: [["s", { timeoutSeconds: 10 }]], noted });
  });

  it("lost its proxy if the proxy did not answer meanwhile", async () => {
    const { found, noted } = await find(new Error("a"), { lostSince: true });
    expect(found?.message).toBe("the proxy did not answer meanwhile: the agent failed");
    expect(noted).toEqual([]);
  });

  it("failed by itself if the proxy has its session, or it had none", async () => {
    expect((await find(new Error("a"))).found).toBeUndefined();
    expect(await find(new Error("a"), { sessionId: null, answer: errorOf("connection_failed") })).toEqual({
      found: undefined,
      asked: [],
      noted: [],
    });
  });

  it("is rejected with the reason of the loss", () => {
    const cause = errorOf("connection_failed");
    expect(proxyLost(cause)).toMatchObject({
      code: "proxy_lost",
      message: "The proxy of the episode was lost: because of connection_failed",
      cause,
    });
  });
});
