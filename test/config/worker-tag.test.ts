import { describe, expect, it } from "vitest";
import { parseConfig, readWorkerTag } from "../../src/config/index.js";
import { WORKER_TAG } from "../../src/session/worker-tag.js";

const config = parseConfig({ server: { worker_tag: "hostname" }, storage: { directory: "/data" } });

describe("server.worker_tag: hostname", () => {
  it.each([
    ["proxy-0", "proxy0"],
    ["Node-7.example.org", "node7"],
    ["a".repeat(32), "a".repeat(32)],
  ])("makes a tag of the host name %s", (host, tag) => {
    expect(readWorkerTag(config, host)).toBe(tag);
    expect(tag).toMatch(WORKER_TAG);
  });

  it.each(["", "-", "a".repeat(33)])("refuses a host name that makes no tag: %o", (host) => {
    expect(() => readWorkerTag(config, host)).toThrow(
      `server.worker_tag: the host name ${host} does not have 1 to 32 letters and digits before its first dot; set a tag or auto`,
    );
  });

  it("needs storage", () => {
    expect(() => parseConfig({ server: { worker_tag: "hostname" } })).toThrow(
      "server.worker_tag: expected auto, because without storage.directory",
    );
  });
});

it("server.worker_tag is otherwise used as it is", () => {
  for (const worker_tag of [null, "auto", "one"]) {
    expect(readWorkerTag(parseConfig({ server: { worker_tag } }), "proxy-0")).toBe(worker_tag);
  }
});
