import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import {
  type EnvoyConfigOptions,
  envoyConfig,
  type HaproxyConfigOptions,
  haproxyConfig,
} from "../../../src/cli/commands/proxy-config.js";
import { startScripted } from "../../gateway/scripted-worker.js";
import { temporaryFolder } from "../rolltape.js";

const GATEWAY = ["http://gateway"];
/** A worker that does not answer, of which nothing is logged. */
const WORKERS = ["gateway.workers=[http://127.0.0.1:9]", "server.log_level=error"];
const haproxy = (overrides: readonly string[], options: Partial<HaproxyConfigOptions> = {}) =>
  haproxyConfig(overrides, { listen: "*:8080", gateway: GATEWAY, ...options });
const envoy = (options: Partial<EnvoyConfigOptions>) =>
  envoyConfig(WORKERS, { listen: "*:8080", gateway: GATEWAY, out: temporaryFolder(), ...options });

describe("the configuration of HAProxy", () => {
  it("is written to its file, and is the same on standard output", async () => {
    const [b, a] = [await startScripted("b", {}), await startScripted("a", {})];
    const overrides = [`gateway.workers=[${b.url},${a.url}]`];
    const folder = temporaryFolder();
    const out = join(folder, "haproxy.cfg");
    await haproxy(overrides, { out });
    const text = readFileSync(out, "utf8");
    expect(text.match(/^backend .*$/gm)).toEqual([
      "backend gateway",
      "backend runs",
      "backend worker_a",
      "backend worker_b",
    ]);
    expect(text.match(/^ {4}server worker \S+/gm)).toEqual([
      `    server worker 127.0.0.1:${a.port}`,
      `    server worker 127.0.0.1:${b.port}`,
    ]);
    expect(readdirSync(folder)).toEqual(["haproxy.cfg"]);
    const written: string[] = [];
    const write = vi.spyOn(process.stdout, "write").mockImplementation((each) => written.push(String(each)) > 0);
    try {
      await haproxy(overrides);
    } finally {
      write.mockRestore();
    }
    expect(written.join("")).toBe(text);
  });

  it.each([
    ["http://h", "server gateway1 h:80"],
    ["http://h:81/path", "server gateway1 h:81"],
    ["http://[::1]:82", "server gateway1 [::1]:82"],
  ])("has the address of the gateway %s", async (gateway, line) => {
    const out = join(temporaryFolder(), "haproxy.cfg");
    await haproxy(WORKERS, { out, gateway: [gateway] });
    expect(readFileSync(out, "utf8")).toContain(line);
  });

  it.each<[Partial<HaproxyConfigOptions>, string]>([
    [{ watch: true }, "--watch needs --out, the file to write."],
    [{ reload: "true" }, "--reload needs --watch."],
    [{ out: "x", reload: "true", watch: false }, "--reload needs --watch."],
    [{ gateway: [...GATEWAY, "h:1"] }, "--gateway must be an http URL, such as http://127.0.0.1:8090; received h:1."],
    [{ gateway: ["//"] }, "--gateway must be an http URL, such as http://127.0.0.1:8090; received //."],
  ])("is refused with %o", async (options, message) => {
    await expect(haproxy(WORKERS, options)).rejects.toMatchObject({ code: "invalid_arguments", message });
  });

  it("refuses keys that no gateway uses", async () => {
    await expect(haproxy([...WORKERS, "rollout.lease_seconds=5"])).rejects.toThrow("rollout.lease_seconds");
  });
});

describe("the configuration of Envoy", () => {
  it.each(["127.0.0.1:1", "*:65535", "[::1]:8080"])("listens on %s", async (listen) => {
    const out = join(temporaryFolder(), "a", "b");
    await envoy({ listen, out });
    expect(readdirSync(out).toSorted()).toEqual(["envoy.yaml", "workers.yaml"]);
    const port = /\d+$/.exec(listen)?.[0] ?? "";
    expect(readFileSync(join(out, "envoy.yaml"), "utf8")).toMatch(new RegExp(`port_value: ${port}\\b`));
  });

  it.each(["127.0.0.1", "localhost:8080", "*:0", "*:65536", "::1:8080", "[1.2.3.4]:8080", "*:443 ssl", ":80", ""])(
    "does not listen on %j",
    async (listen) => {
      const allowed = "--listen must be an IP address and a port, such as 127.0.0.1:8080 or *:8080";
      const message = `${allowed}; received ${listen}.`;
      await expect(envoy({ listen })).rejects.toMatchObject({ code: "invalid_arguments", message });
    },
  );
});
