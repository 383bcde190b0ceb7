import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { startScripted } from "../gateway/scripted-worker.js";
import { rolltape, runRolltape, temporaryFolder } from "./rolltape.js";

const COMMAND = ["proxy-config", "haproxy"];
const ENVOY = ["proxy-config", "envoy"];
const GATEWAY = ["--gateway", "http://gateway"];

describe("rolltape proxy-config haproxy", () => {
  it("prints a backend for each worker that answers", async () => {
    const [one, two] = [await startScripted("one", {}), await startScripted("two", {})];
    const odd = await startScripted("tag\n    bind *:1", {});
    const urls = [two.url, one.url, odd.url, "http://127.0.0.1:9"];
    const { code, stdout, stderr } = await runRolltape([...COMMAND, ...GATEWAY, `gateway.workers=[${urls.join()}]`]);
    expect(code).toBe(0);
    expect(stdout.match(/^(?:frontend|backend) .*$|^ {4}(?:bind|server) \S+ \S+/gm)).toEqual([
      "frontend rolltape",
      "backend gateway",
      "    server gateway1 gateway:80",
      "backend runs",
      "backend worker_one",
      `    server worker 127.0.0.1:${one.port}`,
      "    server gateway1 gateway:80",
      "backend worker_two",
      `    server worker 127.0.0.1:${two.port}`,
      "    server gateway1 gateway:80",
    ]);
    expect(stdout).toContain("    bind *:8080\n");
    expect(stderr).toContain("1 worker did not answer. Calls for their sessions go to the gateway.");
  });

  it("tries a reload that failed again", async () => {
    const [folder, worker] = [temporaryFolder(), await startScripted("one", {})];
    const [out, ready] = [join(folder, "haproxy.cfg"), join(folder, "ready")];
    const writing = ["--out", out, "--watch", "--reload", `cat ${ready}`];
    const writer = rolltape([...COMMAND, ...GATEWAY, ...writing, `gateway.workers=[${worker.url}]`]);
    await writer.logged("watching the workers");
    expect(readFileSync(out, "utf8")).toContain("backend worker_one");
    await worker.kill();
    await startScripted("two", {}, 0, worker.port);
    await writer.logged("the configuration could not be written or loaded");
    expect(readFileSync(out, "utf8")).toContain("backend worker_two");
    writeFileSync(ready, "");
    await writer.logged("the workers have changed");
  });

  it("reloads at its start if the workers have changed since an earlier command", async () => {
    const [folder, worker] = [temporaryFolder(), await startScripted("one", {})];
    const [out, loads] = [join(folder, "haproxy.cfg"), join(folder, "loads")];
    const args = [...COMMAND, ...GATEWAY, "--out", out, "--watch", `gateway.workers=[${worker.url}]`];
    const watch = () => rolltape([...args, "--reload", `echo >>${loads}`]);
    const reloads = () => (existsSync(loads) ? readFileSync(loads, "utf8").length : 0);
    // The first one has no file, and the second one the same workers.
    for (const expected of [0, 0, 1]) {
      if (expected === 1) writeFileSync(out, "backend worker_gone\n");
      const writer = watch();
      await writer.logged("watching the workers");
      if (expected === 1) await writer.logged("the workers have changed");
      else await sleep(1500);
      writer.process.kill("SIGTERM");
      await writer.ended;
      expect(reloads()).toBe(expected);
    }
    expect(readFileSync(out, "utf8")).toContain("backend worker_one");
  });

  it.each([
    [["--watch"], "--watch needs --out, the file to write."],
    [["--out", "haproxy.cfg", "--reload", "true"], "--reload needs --watch."],
    [
      ["--gateway", "https://gateway"],
      "--gateway must be an http URL, such as http://127.0.0.1:8090; received https://gateway.",
    ],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await runRolltape([...COMMAND, ...GATEWAY, ...args]);
    expect([code, stderr]).toEqual([2, `rolltape: ${message}\n`]);
  });

  it("needs --gateway", async () => {
    const { code, stderr } = await runRolltape(COMMAND);
    expect([code, stderr]).toEqual([2, "error: required option '--gateway <url>' not specified\n"]);
  });
});

interface Cluster {
  readonly name: string;
  readonly load_assignment: { readonly endpoints: readonly Priority[] };
}

interface Priority {
  readonly lb_endpoints: readonly [{ readonly endpoint: { readonly address: { readonly socket_address: Address } } }];
}

interface Address {
  readonly address: string;
  readonly port_value: number;
}

/** Returns the servers of each cluster of `workers.yaml`, in the order of their priorities. */
function readClusters(folder: string): Record<string, string[]> {
  const { resources } = parse(readFileSync(join(folder, "workers.yaml"), "utf8")) as { resources: Cluster[] };
  const toServer = ({ lb_endpoints: [{ endpoint }] }: Priority) => {
    const { address, port_value: port } = endpoint.address.socket_address;
    return `${address}:${port}`;
  };
  return Object.fromEntries(resources.map((each) => [each.name, each.load_assignment.endpoints.map(toServer)]));
}

describe("rolltape proxy-config envoy", () => {
  it("writes a cluster for each worker that answers", async () => {
    const [one, two] = [await startScripted("one", {}), await startScripted("two", {})];
    const odd = await startScripted("tag\n- name: x", {});
    const urls = [two.url, one.url, odd.url, "http://127.0.0.1:9"];
    const out = join(temporaryFolder(), "new");
    const gateways = [...GATEWAY, "--gateway", "http://[::1]:8090"];
    const args = [...ENVOY, ...gateways, "--out", out, `gateway.workers=[${urls.join()}]`];
    const { code, stdout, stderr } = await runRolltape(args);
    expect([code, stdout]).toEqual([0, ""]);
    expect(readClusters(out)).toEqual({
      worker_one: [`127.0.0.1:${one.port}`, "gateway:80", "::1:8090"],
      worker_two: [`127.0.0.1:${two.port}`, "gateway:80", "::1:8090"],
    });
    const { static_resources: fixed } = parse(readFileSync(join(out, "envoy.yaml"), "utf8")) as {
      static_resources: { listeners: [{ address: { socket_address: Address } }] };
    };
    expect(fixed.listeners[0].address.socket_address).toEqual({ address: "0.0.0.0", port_value: 8080 });
    expect(readdirSync(out).toSorted()).toEqual(["envoy.yaml", "workers.yaml"]);
    expect(stderr).toContain("1 worker did not answer. Calls for their sessions go to the gateway.");
  });

  it("replaces only the file with the workers when they change", async () => {
    const [out, worker] = [temporaryFolder(), await startScripted("one", {})];
    const writer = rolltape([...ENVOY, ...GATEWAY, "--out", out, "--watch", `gateway.workers=[${worker.url}]`]);
    await writer.logged("watching the workers");
    const inodes = () => ["envoy.yaml", "workers.yaml"].map((name) => statSync(join(out, name)).ino);
    const [envoy, workers] = inodes();
    await worker.kill();
    await startScripted("two", {}, 0, worker.port);
    await writer.logged("the workers have changed");
    expect(Object.keys(readClusters(out))).toEqual(["worker_two"]);
    const [envoyNow, workersNow] = inodes();
    expect(envoyNow).toBe(envoy);
    expect(workersNow).not.toBe(workers);
  });

  it.each(["127.0.0.1", "localhost:8080", "*:0", "*:65536", "::1:8080", "[1.2.3.4]:8080", "*:443 ssl"])(
    "refuses --listen %j",
    async (listen) => {
      const { code, stderr } = await runRolltape([...ENVOY, ...GATEWAY, "--out", "x", "--listen", listen]);
      const allowed = "--listen must be an IP address and a port, such as 127.0.0.1:8080 or *:8080";
      expect([code, stderr]).toEqual([2, `rolltape: ${allowed}; received ${listen}.\n`]);
    },
  );

  it("needs --out", async () => {
    const { code, stderr } = await runRolltape([...ENVOY, ...GATEWAY]);
    expect([code, stderr]).toEqual([2, "error: required option '--out <folder>' not specified\n"]);
  });
});
