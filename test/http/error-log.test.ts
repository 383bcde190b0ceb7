import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../src/engine/engine.js";
import { ErrorLog, logServerError } from "../../src/http/error-log.js";
import { ApiError } from "../../src/http/errors.js";
import { toServerApiError } from "../../src/server/errors.js";
import { captureLog, type LogLine } from "../helpers/captured-log.js";

function logLines(...errors: unknown[]): LogLine[] {
  const { logger, lines } = captureLog();
  for (const error of errors) logServerError(logger, toServerApiError(error));
  return lines;
}

const { warn, info, error: errorLevel } = pino.levels.values;

describe("the log of errors that need no key", () => {
  it("has one line of each code a second, with the number of those that it left out", () => {
    const { logger, lines } = captureLog();
    let now = 0;
    const log = new ErrorLog(() => now);
    const fail = (code: "worker_unavailable" | "server_busy") => log.write(logger, new ApiError(code, code));
    for (let call = 0; call < 100; call++) fail("worker_unavailable");
    fail("server_busy");
    now = 1000;
    fail("worker_unavailable");
    now = 2000;
    fail("worker_unavailable");
    expect(lines.map(({ code, omitted }) => [code, omitted])).toEqual([
      ["worker_unavailable", undefined],
      ["server_busy", undefined],
      ["worker_unavailable", 99],
      ["worker_unavailable", undefined],
    ]);
  });

  it("has a line for every failure of a call with a key", () => {
    const { logger, lines } = captureLog();
    const log = new ErrorLog(() => 0);
    for (let call = 0; call < 3; call++) log.write(logger, new ApiError("engine_error", "no"));
    expect(lines).toHaveLength(3);
  });
});

describe("the log line of an error response", () => {
  it.each(["server_draining", "server_busy", "shared_memory_full", "store_full"] as const)(
    "has level info and no stack for the expected refusal %s",
    (code) => {
      const [line] = logLines(new ApiError(code, "The server is shutting down."));
      expect(line).toEqual({ level: info, code, msg: "The server is shutting down." });
    },
  );

  it("has level warn and the causes for a failure of the engine", () => {
    const reason = new Error("a frame has 3 log probabilities after 2 tokens, but there are 4");
    const [line] = logLines(new EngineError("engine_error", "They do not agree.", { cause: reason }));
    expect(line).toEqual({ level: warn, code: "engine_error", reasons: [reason.message], msg: "They do not agree." });
  });

  it("has level error and the stack for an unexpected error", () => {
    const [line] = logLines(new TypeError("x is undefined"));
    expect(line).toMatchObject({ level: errorLevel, code: "internal_error" });
    expect(JSON.stringify(line)).toContain("error-log.test");
  });

  it("is not written for a client's mistake", () => {
    expect(logLines(new ApiError("invalid_value", "no"))).toEqual([]);
  });
});
