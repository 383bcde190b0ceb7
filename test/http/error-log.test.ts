import { Writable } from "node:stream";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../src/engine/engine.js";
import { logServerError } from "../../src/http/error-log.js";
import { ApiError } from "../../src/http/errors.js";
import { toApiError } from "../../src/server/errors.js";

interface Line extends Record<string, unknown> {
  readonly level: number;
}

function linesOf(...errors: unknown[]): Line[] {
  const lines: Line[] = [];
  const sink = new Writable({
    write: (text, _, done) => {
      lines.push(JSON.parse(String(text)) as Line);
      done();
    },
  });
  const log = pino({ base: null, timestamp: false }, sink);
  for (const error of errors) logServerError(log, toApiError(error));
  return lines;
}

const { warn, info, error: errorLevel } = pino.levels.values;

describe("the log of an answered error", () => {
  it("is a note without a stack where the server only refuses", () => {
    const [line] = linesOf(new ApiError("server_draining", "The server is shutting down."));
    expect(line).toEqual({ level: info, code: "server_draining", msg: "The server is shutting down." });
  });

  it("is a warning with the reasons where the engine failed", () => {
    const reason = new Error("a frame has 3 log probabilities after 2 tokens, but there are 4");
    const [line] = linesOf(new EngineError("engine_error", "They do not agree.", { cause: reason }));
    expect(line).toEqual({ level: warn, code: "engine_error", reasons: [reason.message], msg: "They do not agree." });
  });

  it("has the stack of what nobody expected", () => {
    const [line] = linesOf(new TypeError("x is undefined"));
    expect(line).toMatchObject({ level: errorLevel, code: "internal_error" });
    expect(JSON.stringify(line)).toContain("error-log.test");
  });

  it("is not written for a client's mistake", () => {
    expect(linesOf(new ApiError("invalid_value", "no"))).toEqual([]);
  });
});
