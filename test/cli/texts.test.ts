import { resolve } from "node:path";
import { CommanderError } from "commander";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { countNoun } from "../../src/cli/count-noun.js";
import { describeAddress } from "../../src/cli/describe-address.js";
import { reportFailure } from "../../src/cli/exit.js";
import { formatBytes } from "../../src/cli/format-bytes.js";
import { ProxyConfigError } from "../../src/cli/proxy-config/errors.js";
import { RolloutJobError, type RolloutJobErrorCode } from "../../src/cli/rollout/errors.js";
import { StorageCommandError } from "../../src/cli/storage/errors.js";
import { WeightsCommandError } from "../../src/cli/weights/errors.js";
import { ConfigError, parseConfig } from "../../src/config/index.js";
import { SchedulerError } from "../../src/scheduler/errors.js";
import { ViewError } from "../../src/view/errors.js";

/** Short texts of several commands. */

it.each([
  [0, "0 bytes"],
  [0.5, "1 bytes"],
  [1, "1 bytes"],
  [1023, "1023 bytes"],
  [1024, "1.0 KiB"],
  [1536, "1.5 KiB"],
  [100 * 1024, "100 KiB"],
  [99.94 * 1024, "99.9 KiB"],
  [1024 ** 2, "1.0 MiB"],
  [1.5 * 1024 ** 3, "1.5 GiB"],
  [2 * 1024 ** 4, "2.0 TiB"],
  [5 * 1024 ** 5, "5120 TiB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it("counts with the right form of the noun", () => {
  expect([0, 1, 2].map((count) => countNoun(count, "session"))).toEqual(["0 sessions", "1 session", "2 sessions"]);
  expect([1, 2].map((count) => countNoun(count, "batch", "batches"))).toEqual(["1 batch", "2 batches"]);
});

it("says where a server listens", () => {
  expect(describeAddress(parseConfig({}), { url: "http://a", probeUrl: undefined })).toEqual({ url: "http://a" });
  const config = parseConfig({ server: { socket: "run/rolltape.sock" } });
  expect(describeAddress(config, { url: "http://a", probeUrl: "http://b" })).toEqual({
    url: "http://a",
    socket: resolve("run/rolltape.sock"),
    probe_url: "http://b",
  });
});

describe("a command that failed", () => {
  let written = "";
  beforeEach(() => {
    written = "";
    vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      written += String(text);
      return true;
    });
  });
  afterEach(() => void vi.restoreAllMocks());

  const job = (code: RolloutJobErrorCode) => new RolloutJobError(code, "no");

  it.each<[string, unknown, number]>([
    ["an error", new Error("no"), 1],
    ["a text", "no", 1],
    ["data that cannot be read", job("invalid_data"), 2],
    ["arguments of a job", job("invalid_arguments"), 2],
    ["an interruption", job("interrupted"), 130],
    ["arguments of storage", new StorageCommandError("invalid_arguments", "no"), 2],
    ["storage", new StorageCommandError("nothing_to_export", "no"), 1],
    ["weights", new WeightsCommandError("invalid_arguments", "no"), 2],
    ["another proxy's configuration", new ProxyConfigError("invalid_arguments", "no"), 2],
    ["arguments of the viewer", new ViewError("invalid_arguments", "no"), 2],
    ["the viewer", new ViewError("not_found" as never, "no"), 1],
    ["a job for a scheduler", new SchedulerError("job_invalid", "no"), 2],
    ["a scheduler", new SchedulerError("unreachable" as never, "no"), 1],
  ])("because of %s says why and has its status", (_, error, status) => {
    expect(reportFailure(error)).toBe(status);
    expect(written).toBe("rolltape: no\n");
  });

  it("names each problem of a configuration", () => {
    const error = new ConfigError("config_invalid", [
      { path: "server.port", message: "is odd" },
      { path: "engine", message: "is missing" },
    ]);
    expect(reportFailure(error)).toBe(2);
    expect(written).toBe("rolltape: the configuration is invalid\n  server.port: is odd\n  engine: is missing\n");
  });

  it("says nothing after commander, which has said it", () => {
    expect(reportFailure(new CommanderError(1, "commander.unknownOption", "no"))).toBe(2);
    expect(reportFailure(new CommanderError(0, "commander.help", "help"))).toBe(0);
    expect(written).toBe("");
  });
});
