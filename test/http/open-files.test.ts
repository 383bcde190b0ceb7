import { pino } from "pino";
import { expect, it } from "vitest";
import { fitConnections, fitToOpenFiles } from "../../src/http/open-files.js";
import { captureLog } from "../helpers/captured-log.js";
import { LENIENT_CONNECTIONS } from "../helpers/lenient-connections.js";

const SOCKETS = { clients: 16_384, upstream: 1024 };

it("accepts all connections if the limit of open files is high enough", () => {
  for (const limit of [17_664, Number.POSITIVE_INFINITY]) {
    expect(fitConnections(SOCKETS, limit)).toEqual({
      maxConnections: 16_384,
      problem: undefined,
    });
  }
});

it("accepts fewer connections and warns if the limit is too low, so that files remain for the engine", () => {
  const { maxConnections, problem } = fitConnections(SOCKETS, 4096);
  expect(maxConnections).toBe(4096 - 1024 - 256);
  expect(problem).toContain("open 4096 files");
  expect(problem).toContain("server.max_connections (16384)");
  expect(problem).toContain("need 17664. Only 2816 connections are accepted. Raise the limit (`ulimit -n`");
});

it("splits a very low limit, and always accepts at least one connection", () => {
  expect(fitConnections(SOCKETS, 1024).maxConnections).toBe(1024 / 2 - 256);
  expect(fitConnections(SOCKETS, 64).maxConnections).toBe(1);
});

it.skipIf(process.platform !== "linux")(
  "warns in the log if the limit of this process is too low, and leaves the other limits as they are",
  () => {
    const { logger, lines } = captureLog();
    const few = { ...LENIENT_CONNECTIONS, maxConnections: 1 };
    expect(fitToOpenFiles(few, 0, logger)).toEqual(few);
    expect(lines).toEqual([]);
    const many = { ...LENIENT_CONNECTIONS, maxConnections: 2 ** 31 };
    const { maxConnections, ...others } = fitToOpenFiles(many, 0, logger);
    expect({ ...others, maxConnections: 2 ** 31 }).toEqual(many);
    expect(lines).toMatchObject([{ level: pino.levels.values["warn"], maxConnections }]);
  },
);
