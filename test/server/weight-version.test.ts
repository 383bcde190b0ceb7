import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CurrentVersion } from "../../src/server/current-version.js";
import { VersionFile } from "../../src/server/version-file.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { Proxy } from "../helpers/proxy.js";

describe("the weight version of a server", () => {
  let proxy: Proxy;
  beforeEach(async () => {
    proxy = await Proxy.start({ workerTag: "one" });
  });
  afterEach(() => proxy.close());

  const setVersion = (version: number, set_at?: number) => proxy.post("/rl/set_version", { version, set_at });
  const startSession = (version: number, set_at: number) =>
    proxy.session({ weight_version: { version, set_at } }).then(() => proxy.context.weightVersion.version);

  it("is in /health with the time when it was set", async () => {
    const shown = async () =>
      (await proxy.request({ url: "/health" }, null)).json<{ worker: { weight_version: object } }>().worker
        .weight_version;
    expect(await shown()).toEqual({ version: 0, set_at: 0 });
    await setVersion(3, 1000);
    expect(await shown()).toEqual({ version: 3, set_at: 1000 });
    await setVersion(4);
    expect(await shown()).toEqual({ version: 4, set_at: expect.closeTo(Date.now() / 1000, -1) as number });
  });

  it("is the one that was set last, in whatever order versions arrive", async () => {
    expect((await setVersion(6, 2000)).json()).toEqual({ version: 6 });
    expect((await setVersion(5, 1000)).json()).toEqual({ version: 6 });
    expect((await setVersion(0, 3000)).json()).toEqual({ version: 0 });
    expect(await startSession(6, 2000)).toBe(0);
    expect(await startSession(1, 4000)).toBe(1);
  });

  it("is always replaced by a call without a time", async () => {
    await setVersion(6, Date.now() / 1000 + 3600);
    const calls = [1, 3, 2].map((version) => setVersion(version));
    await Promise.all(calls);
    expect(proxy.context.weightVersion.version).toBe(2);
  });

  it.each([
    ["weight_version.version", { version: -1, set_at: 1 }],
    ["weight_version.set_at", { version: 1 }],
  ])("is refused in start_session with an invalid %s", async (param, weight_version) => {
    const reply = await proxy.post("/rl/start_session", { weight_version });
    expect([reply.refusal, reply.error.param]).toEqual(["400 invalid_value", param]);
  });
});

describe("the weight version in a registration folder", () => {
  let [folder, problems]: [string, string[]] = ["", []];
  beforeEach(() => {
    [folder, problems] = [temporaryFolder(), []];
  });

  /** Returns the version that a server has when it starts. */
  async function started(): Promise<CurrentVersion> {
    const version = new CurrentVersion(new VersionFile(folder, (problem) => void problems.push(problem)));
    await version.readFile();
    return version;
  }
  const inFolder = async () => (await started()).version;

  it("is 0 before one is set", async () => {
    expect([await inFolder(), problems]).toEqual([0, []]);
  });

  it("is shared by all servers of the folder", async () => {
    const [one, two] = [await started(), await started()];
    await one.set(6);
    expect(await inFolder()).toBe(6);
    await two.set(0);
    expect(await inFolder()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("never goes back, in whatever order servers write two versions", async () => {
    const servers = await Promise.all(Array.from({ length: 8 }, started));
    await Promise.all(servers.map((server) => server.set(5, 1000)));
    await Promise.all(servers.slice(1).map((server) => server.set(6, 2000)));
    // This server hung while the others got the newer version, and continues now.
    await Promise.all([servers[0]?.set(5, 1000), servers[0]?.set(4, 900)]);
    expect(await inFolder()).toBe(6);
  });

  it("is replaced by a call to a server whose clock is behind", async () => {
    const [ahead, behind] = [await started(), await started()];
    await ahead.set(6, Date.now() / 1000 + 3600);
    await behind.set(7);
    expect(await inFolder()).toBe(7);
  });

  it.each(["", "7", '{"version": -1, "set_at": 1}', "{"])("is 0 if the file is damaged: %j", async (text) => {
    writeFileSync(join(folder, "weight-version"), text);
    const server = await started();
    expect(server.version).toBe(0);
    expect(problems.join()).toContain(
      `weight-version must hold {"version": …, "set_at": …}; received ${JSON.stringify(text)}`,
    );
    await server.set(3);
    expect(await inFolder()).toBe(3);
  });

  it("is set on a server that cannot write the file, and the problem is logged", async () => {
    const server = await started();
    rmSync(folder, { recursive: true });
    await server.set(3);
    expect(server.version).toBe(3);
    expect(problems.join()).toMatch(/weight-version cannot be written: .*ENOENT.* do not learn weight version 3/);
    mkdirSync(folder);
  });

  it("is in a file that gateways do not take for a registration", async () => {
    await (await started()).set(3, 1000);
    expect(readdirSync(folder)).toEqual(["weight-version"]);
    expect(JSON.parse(readFileSync(join(folder, "weight-version"), "utf8"))).toEqual({ version: 3, set_at: 1000 });
  });
});
