import { Readable } from "node:stream";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { createApp, StreamLog } from "../../src/http/create-app.js";
import { ApiError } from "../../src/http/errors.js";
import { captureLog } from "../helpers/captured-log.js";
import { LENIENT_CONNECTIONS } from "../helpers/lenient-connections.js";

/** Log lines of an answer that fails after its headers were sent. */

function logged(error: Error, destroyed = false) {
  const { logger, lines } = captureLog();
  const reply = { log: logger, raw: { destroyed } };
  new StreamLog({ disableRequestLogging: true }).streamError(error, { log: logger } as never, reply as never);
  return lines;
}

const withCode = (code: string) => Object.assign(new Error("gone"), { code });

describe("an answer that breaks with its connection", () => {
  it.each([
    withCode("ERR_STREAM_PREMATURE_CLOSE"),
    withCode("ABORT_ERR"),
    withCode("ECONNRESET"),
    withCode("EPIPE"),
    withCode("UND_ERR_SOCKET"),
    new ApiError("call_aborted", "gone"),
  ])("is a warning without a stack: %o", (error) => {
    const line = { reasons: ["gone"], msg: "answer failed after its headers were sent" };
    expect(logged(error)).toEqual([{ level: pino.levels.values["warn"], ...line }]);
    expect(logged(error, true)).toEqual([{ level: pino.levels.values["info"], ...line }]);
  });
});

describe("an answer that fails for another reason", () => {
  it.each([new TypeError("a defect"), withCode("ERR_OTHER")])("is an error with its stack: %o", (error) => {
    const msg = "answer failed after its headers were sent";
    expect(logged(error)).toMatchObject([{ level: pino.levels.values["error"], msg, err: { message: error.message } }]);
    expect(JSON.stringify(logged(error))).toContain("stream-log.test");
  });

  it("is logged by an app, which logs no line per request", async () => {
    const { logger, lines } = captureLog({ level: "warn" });
    const app = createApp({ maxBodyBytes: 100, connections: LENIENT_CONNECTIONS, logger });
    onTestFinished(() => app.close());
    app.get("/", async (_request, reply) => {
      async function* pieces() {
        yield "the begin of the answer";
        throw new TypeError("a defect");
      }
      return reply.send(Readable.from(pieces()));
    });
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow("terminated");
    expect(lines).toMatchObject([{ level: pino.levels.values["error"], err: { message: "a defect" } }]);
  });
});
