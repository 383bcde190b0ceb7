import { Resolver } from "node:dns/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { DnsAddresses } from "../../src/gateway/dns-addresses.js";
import { startGateway } from "../../src/gateway/start.js";
import { type DnsServer, startDns } from "../helpers/dns-server.js";
import { until } from "../helpers/until.js";
import { type Script, type ScriptedWorker, startScripted } from "./scripted-worker.js";
import { Gateway } from "./workers.js";

/** Workers that DNS names: each A and AAAA record is one, at the port of the configuration. */

const NAME = "rolltape.test";
const CHAT = "/v1/chat/completions";
const START = "/rl/start_session";
const FOREVER = 600_000;

type Code = DnsServer["code"];

const says = (tag: string): Script => {
  return () => ({ body: { session_id: `task-${tag}-0`, tag } });
};
const start = (tag: string, host: string, port = 0) =>
  startScripted(
    tag,
    { [CHAT]: says(tag), [START]: says(tag), "/grant_capacity": () => ({ body: { capacity: 9 } }) },
    9,
    port,
    host,
  );

/** Starts workers with one port on different addresses, their DNS server and their gateway. */
async function setUp(
  hosts: Readonly<Record<string, string>>,
  { returnMilliseconds = FOREVER, code = "NOERROR" as Code } = {},
) {
  const workers: ScriptedWorker[] = [];
  for (const [tag, host] of Object.entries(hosts)) workers.push(await start(tag, host, workers[0]?.port));
  const port = workers[0]?.port ?? 0;
  const dns = await startDns(...Object.values(hosts));
  dns.code = code;
  const discover = { name: NAME, port, servers: [dns.address], minMilliseconds: 0 };
  const settings = { returnMilliseconds, unreachableMilliseconds: 300 };
  const gateway = await Gateway.start({ discover }, 60, undefined, undefined, settings);
  return { workers, dns, gateway, port };
}

const states = async (gateway: Gateway) => {
  const { workers } = (await gateway.get("/health", null)).json<{ workers: { tag: string; status: string }[] }>();
  return Object.fromEntries(workers.map(({ tag, status }) => [tag, status]));
};
const refreshed = async (gateway: Gateway) => {
  await gateway.pool.refresh();
  return states(gateway);
};
const call = async (gateway: Gateway, tag: string) => (await gateway.chat(`sk-${tag}.0123456789abcdef`, "hi")).json();
const waits = (gateway: Gateway, count: number) => until(() => gateway.pool.waiting === count);

describe("a gateway with gateway.discover", () => {
  it("uses the address of each A and AAAA record, at the given port", async () => {
    const { gateway, dns } = await setUp({ one: "127.0.0.2", two: "127.0.0.3", six: "::1" });
    expect(await states(gateway)).toEqual({ one: "ok", two: "ok", six: "ok" });
    for (const tag of ["one", "two", "six"]) expect(await call(gateway, tag)).toMatchObject({ tag });
    expect(new Set(dns.questions)).toEqual(new Set([`${NAME} A`, `${NAME} AAAA`]));
    expect(gateway.problems).toEqual([]);
  });

  it("is started with the name and the port of the configuration", async () => {
    const { port } = await start("one", "127.0.0.2");
    // The configuration has no DNS servers: those of the machine are used.
    const records = [{ address: "127.0.0.2", ttl: 5 }];
    const resolve4 = vi.spyOn(Resolver.prototype, "resolve4").mockResolvedValue(records as never);
    vi.spyOn(Resolver.prototype, "resolve6").mockResolvedValue([]);
    onTestFinished(() => void vi.restoreAllMocks());
    const config = parseConfig({ server: { port: 0 }, gateway: { discover: `dns:${NAME}:${port}` } });
    const gateway = await startGateway(config);
    await gateway.close();
    expect([gateway.workers, resolve4.mock.calls]).toEqual([["one"], [[NAME, { ttl: true }]]]);
  });

  it("finds a worker whose record is added", async () => {
    const { gateway, dns, port } = await setUp({ one: "127.0.0.2" });
    await start("two", "127.0.0.3", port);
    expect(await refreshed(gateway)).toEqual({ one: "ok" });
    dns.records = [...dns.records, "127.0.0.3"];
    expect(await call(gateway, "two")).toMatchObject({ tag: "two" });
  });

  it("uses a worker with an IPv4 and an IPv6 address once, and at the other one if the first fails", async () => {
    const { gateway, dns, workers, port } = await setUp({ one: "127.0.0.2" });
    await start("one", "::1", port);
    dns.records = ["127.0.0.2", "::1"];
    expect(await refreshed(gateway)).toEqual({ one: "ok" });
    expect([gateway.problems, gateway.pool.unidentified]).toEqual([[], 0]);
    await workers[0]?.kill();
    expect(await call(gateway, "one")).toMatchObject({ tag: "one" });
    expect(gateway.pool.all().map(({ url }) => url)).toEqual([`http://[::1]:${port}`]);
  });

  it("reports two workers with one tag", async () => {
    const { gateway, dns, port } = await setUp({ one: "127.0.0.2", two: "127.0.0.3" });
    await start("one", "127.0.0.4", port);
    dns.records = [...dns.records, "127.0.0.4"];
    await gateway.pool.refresh();
    const address = (host: string) => `http://${host}:${port}`;
    expect(gateway.problems).toEqual([
      `workers ${address("127.0.0.2")} and ${address("127.0.0.4")} have the same tag one. ${address("127.0.0.4")} is ignored.`,
    ]);
  });
});

describe("a worker that leaves DNS", () => {
  it("gets no new sessions and slots, and its sessions go on while it answers", async () => {
    const { gateway, dns, workers } = await setUp({ one: "127.0.0.2", two: "127.0.0.3" });
    dns.records = ["127.0.0.3"];
    for (let refresh = 0; refresh < 3; refresh++) {
      expect(await refreshed(gateway)).toEqual({ one: "leaving", two: "ok" });
    }
    expect(await call(gateway, "one")).toMatchObject({ tag: "one" });
    for (let start = 0; start < 3; start++) {
      expect((await gateway.post(START)).json()).toMatchObject({ tag: "two" });
    }
    expect((await gateway.post("/grant_capacity", { slots: 5 })).json()).toEqual({ capacity: 9 });
    expect(workers[0]?.calls.map(({ path }) => path)).toEqual([CHAT]);
    dns.records = ["127.0.0.2", "127.0.0.3"];
    expect(await refreshed(gateway)).toEqual({ one: "ok", two: "ok" });
  });

  it("is waited for if it does not answer, and is the same worker at another address", async () => {
    const { gateway, dns, workers, port } = await setUp({ one: "127.0.0.2", two: "127.0.0.3" });
    dns.records = ["127.0.0.3"];
    await gateway.pool.refresh();
    await workers[0]?.kill();
    const answer = call(gateway, "one");
    await waits(gateway, 1);
    expect(await refreshed(gateway)).toEqual({ one: "down", two: "ok" });
    await start("one", "127.0.0.4", port);
    dns.records = ["127.0.0.3", "127.0.0.4"];
    expect(await answer).toMatchObject({ tag: "one" });
    expect(await refreshed(gateway)).toEqual({ one: "ok", two: "ok" });
  });

  it("is waited for, and goes on if it answers again without being in DNS", async () => {
    const { gateway, dns, workers, port } = await setUp({ one: "127.0.0.2" });
    dns.code = "NXDOMAIN";
    await gateway.pool.refresh();
    await workers[0]?.kill();
    const answer = call(gateway, "one");
    await waits(gateway, 1);
    await start("one", "127.0.0.2", port);
    expect(await answer).toMatchObject({ tag: "one" });
    expect(await refreshed(gateway)).toEqual({ one: "leaving" });
  });

  it("is forgotten when the time for its return is over", async () => {
    const { gateway, dns, workers } = await setUp({ one: "127.0.0.2", two: "127.0.0.3" }, { returnMilliseconds: 300 });
    dns.records = ["127.0.0.3"];
    await gateway.pool.refresh();
    await workers[0]?.kill();
    await expect.poll(() => refreshed(gateway)).toEqual({ two: "ok" });
    expect((await gateway.chat("sk-one.0123456789abcdef", "hi")).refusal).toBe("503 worker_unavailable");
  });

  it("is not confused with another server that starts at its address", async () => {
    const { gateway, dns, workers, port } = await setUp(
      { one: "127.0.0.2", two: "127.0.0.3" },
      { returnMilliseconds: 0 },
    );
    dns.records = ["127.0.0.3"];
    await gateway.pool.refresh();
    await workers[0]?.kill();
    await start("other", "127.0.0.2", port);
    expect(await refreshed(gateway)).toEqual({ two: "ok" });
    dns.records = ["127.0.0.2", "127.0.0.3"];
    expect(await refreshed(gateway)).toEqual({ two: "ok", other: "ok" });
  });
});

describe("DNS", () => {
  it.each(["SERVFAIL", "silent"] as const)(
    "that fails (%s) leaves the known workers in use, with a warning",
    async (code) => {
      const { gateway, dns } = await setUp({ one: "127.0.0.2" });
      dns.code = code;
      await until(() => {
        void gateway.pool.refresh();
        return gateway.problems.length >= 2;
      });
      expect(await states(gateway)).toEqual({ one: "ok" });
      const [problem] = gateway.problems;
      expect(problem).toMatch(
        /^gateway\.discover: query(A|Aaaa) E\w+ rolltape\.test\. The addresses that are known stay in use\.$/,
      );
      expect((await gateway.post(START)).json()).toMatchObject({ tag: "one" });
    },
  );

  it("that fails for one type of records leaves the workers of this type in use", async () => {
    const { gateway, dns } = await setUp({ one: "127.0.0.2", six: "::1" });
    dns.failing = "AAAA";
    dns.records = [];
    expect(await refreshed(gateway)).toEqual({ one: "leaving", six: "ok" });
  });

  it.each(["NXDOMAIN", "NOERROR"] as const)(
    "without records (%s) is reported, and workers may come later",
    async (code) => {
      const { gateway, dns } = await setUp({ one: "127.0.0.2" }, { code: "NXDOMAIN" });
      const { records } = dns;
      Object.assign(dns, { code, records: [] });
      expect(await refreshed(gateway)).toEqual({});
      expect(new Set(gateway.problems)).toEqual(new Set([`gateway.discover: ${NAME} has no A or AAAA record`]));
      Object.assign(dns, { code: "NOERROR", records });
      expect(await refreshed(gateway)).toEqual({ one: "ok" });
    },
  );
});

describe("the records", () => {
  const open = ({ address }: DnsServer) =>
    new DnsAddresses({ name: NAME, port: 80, servers: [address] }, () => expect.unreachable());

  it.each([
    ["2 seconds if their TTL is shorter", 0, 2],
    ["their TTL", 7, 7],
    ["30 seconds if their TTL is longer", 3600, 30],
  ])("are used for %s", async (_, ttl, seconds) => {
    const dns = await startDns("127.0.0.2");
    dns.ttl = ttl;
    const addresses = open(dns);
    const clock = vi.spyOn(performance, "now").mockReturnValue(1000);
    onTestFinished(() => clock.mockRestore());
    expect(await addresses.read()).toEqual(["http://127.0.0.2:80"]);
    dns.records = ["127.0.0.3"];
    clock.mockReturnValue(1000 + seconds * 1000 - 1);
    expect(await addresses.read()).toEqual(["http://127.0.0.2:80"]);
    expect(dns.questions).toHaveLength(2);
    clock.mockReturnValue(1000 + seconds * 1000);
    expect(await addresses.read()).toEqual(["http://127.0.0.3:80"]);
  });
});
