import { afterEach, describe, expect, it, vi } from "vitest";
import { describeWeights, WeightsProgress, weights } from "../../../src/cli/commands/weights.js";
import type { WeightsStatus } from "../../../src/client/weight-calls.js";

const server = (rest: object = {}) => ({
  url: "http://a",
  state: "loaded",
  version: 3,
  seconds: null,
  error: null,
  ...rest,
});
const status = (rest: object = {}): WeightsStatus =>
  ({
    state: "idle",
    version: 3,
    targetVersion: null,
    pausedSeconds: null,
    notChecked: null,
    error: null,
    servers: [],
    ...rest,
  }) as unknown as WeightsStatus;

afterEach(() => void vi.unstubAllEnvs());

describe("the state of the weights", () => {
  it("is the version, and that of each server", () => {
    expect(describeWeights(status())).toBe("version 3\n");
    const servers = [
      server(),
      server({ url: "http://b\u001b", version: null, state: "failed", seconds: 1.5, error: "no\nroom" }),
    ];
    expect(describeWeights(status({ state: "loading", targetVersion: 4, pausedSeconds: 0.25, servers }))).toBe(
      "version 3, update to 4: loading, calls held for 0.250 s\n" +
        "  http://a  version 3, loaded\n" +
        "  http://b   version unknown, failed in 1.500 s: no room\n",
    );
  });

  it("has the error, and what was not checked", () => {
    expect(describeWeights(status({ error: "no", notChecked: "names" }))).toBe("version 3\n  no\n  names\n");
    expect(describeWeights(status({ targetVersion: 0, pausedSeconds: 0 }))).toBe(
      "version 3, update to 0: idle, calls held for 0.000 s\n",
    );
  });
});

describe("the progress of an update", () => {
  function start(isTTY: boolean) {
    const written: string[] = [];
    const progress = new WeightsProgress({ isTTY, write: (text) => written.push(text) });
    return { progress, written };
  }

  it("is a line of a terminal", () => {
    const { progress, written } = start(true);
    const servers = [server(), server({ state: "loading" })];
    progress.show(status({ state: "loading", targetVersion: 4, pausedSeconds: 1.26, servers }));
    progress.show(status({ state: "pausing", servers: [server({ state: "paused" })] }));
    progress.show(status());
    progress.clear();
    const clear = "\r\u001b[K";
    expect(written).toEqual([
      `${clear}version 4: loading, 1 of 2 servers loaded, calls held for 1.3 s`,
      `${clear}version ?: pausing, 0 of 1 server loaded, calls held for 0.0 s`,
      clear,
    ]);
  });

  it("is not shown without a terminal", () => {
    const { progress, written } = start(false);
    progress.show(status({ state: "loading", servers: [] }));
    progress.clear();
    expect(written).toEqual([]);
  });
});

describe("the arguments of rolltape weights", () => {
  const URL = "http://127.0.0.1:9";
  const one = "Expected one of PATH, --external, --finish, --give-up and --status.";
  const version = "--version must be set to the version of the new weights.";
  const key = "ROLLTAPE_ADMIN_API_KEY must be set to the admin key of the proxy.";

  it.each<[string, string | undefined, object, string]>([
    [
      "a:1",
      "/w",
      { version: 1 },
      "The first argument must be the URL of a proxy, such as http://127.0.0.1:8090; received a:1.",
    ],
    [URL, undefined, {}, one],
    [URL, "/w", { external: true }, one],
    [URL, undefined, { finish: true, giveUp: true }, one],
    [URL, undefined, { status: true, external: true }, one],
    [URL, undefined, { external: true, allowPartial: true }, "--allow-partial needs PATH."],
    [URL, "/w", {}, version],
    [URL, undefined, { external: true }, version],
    [URL, undefined, { finish: true }, version],
    [URL, undefined, { status: true }, key],
    [URL, undefined, { giveUp: true }, key],
    [URL, "/w", { version: 0, allowPartial: true }, key],
    [URL, undefined, { finish: true, version: 1 }, key],
    [URL, undefined, { external: true, version: 1 }, key],
  ])("%s %s %o are refused or lack a key", async (url, path, options, message) => {
    vi.stubEnv("ROLLTAPE_ADMIN_API_KEY", "");
    const refused = weights(url, path, options);
    await expect(refused).rejects.toMatchObject({ code: "invalid_arguments", message });
  });
});
