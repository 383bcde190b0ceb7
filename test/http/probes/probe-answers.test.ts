import { expect, it } from "vitest";
import { answerProbe, type MainThread } from "../../../src/http/probes/probe-answers.js";

const READY = { statusCode: 200, body: { status: "ok", sessions: 3 } } as const;
const main = (changes: Partial<MainThread> = {}): MainThread => {
  return { readiness: READY, silentMilliseconds: 0, stallSeconds: 10, ...changes };
};
const starting = main({ readiness: undefined, silentMilliseconds: 60_000 });
const stalled = main({ silentMilliseconds: 12_340 });

it.each<[string, MainThread, number, object]>([
  ["/livez", main(), 200, { status: "ok" }],
  ["/livez", starting, 200, { status: "ok" }],
  ["/livez", stalled, 503, { status: "stalled", stalled_seconds: 12.3 }],
  ["/readyz", main(), 200, READY.body],
  ["/health", main(), 200, READY.body],
  ["/readyz", starting, 503, { status: "starting" }],
  ["/health", stalled, 503, { status: "stalled", message: "The main thread has not run for 12.3 s." }],
])("answers GET and HEAD of %s", (path, thread, statusCode, body) => {
  for (const method of ["GET", "HEAD"]) expect(answerProbe(method, path, thread)).toMatchObject({ statusCode, body });
});

it("counts a stall from its limit on", () => {
  expect(answerProbe("GET", "/livez", main({ silentMilliseconds: 9_999 })).statusCode).toBe(200);
  expect(answerProbe("GET", "/livez", main({ silentMilliseconds: 10_000 })).statusCode).toBe(503);
});

it.each([
  ["POST", "/livez"],
  ["GET", "/"],
  [undefined, "/health"],
])("answers nothing else: %s %s", (method, path) => {
  expect(answerProbe(method, path, main())).toMatchObject({ statusCode: 404, body: { error: { code: "not_found" } } });
});
