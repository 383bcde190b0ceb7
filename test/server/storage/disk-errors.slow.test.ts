import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type FailingCalls, findMissingCompiler, PowerLoss } from "../../../bench/chaos/power/power-loss.js";
import { Random } from "../../../bench/soak/random.js";
import { runRolltape } from "../../cli/rolltape.js";
import { refused, StoredServer } from "./stored-server.js";

/**
 * A server whose disk returns errors, and then loses power: writes that were not synced are dropped, and so is what a failed sync left
 * behind, because the kernel does not write it again.
 */

vi.setConfig({ testTimeout: 300_000 });

/** A server with a folder on a disk that can fail. */
class FailingServer extends StoredServer {
  readonly power: PowerLoss;
  readonly directory: string;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), "rolltape-failing-"));
    const directory = join(folder, "storage");
    const power = new PowerLoss(directory, folder);
    // Runs after the process was killed.
    onTestFinished(() => rmSync(folder, { recursive: true }));
    super(directory, power.env);
    this.power = power;
    this.directory = directory;
  }

  /** Kills the server, and drops what was not synced with the probability `share`. */
  async losePower(random: Random, share = 1): Promise<void> {
    await this.kill();
    this.power.recover();
    this.power.strike(random, share);
  }
}

describe.skipIf(findMissingCompiler())("a server whose disk returns errors", () => {
  it.each<[FailingCalls, "EIO" | "EDQUOT"]>([
    ["log-write", "EIO"],
    ["log-write", "EDQUOT"],
  ])(
    "answers no call while each %s fails with %s, and has every answer after a loss of power",
    async (calls, error) => {
      const server = new FailingServer();
      await server.start();
      const key = await server.session();
      await server.call(key, "before");
      server.power.fail(calls, error, 100);
      expect(await server.call(key, "during")).toMatchObject(refused);
      expect(await server.call(key, "later")).toMatchObject(refused);
      await sleep(1500);
      await server.losePower(new Random(1));
      expect(await runRolltape(["storage", "verify", server.directory])).toMatchObject({ code: 0 });
      await server.start();
      expect([server.answers.size, await server.countLost()]).toEqual([1, 0]);
      expect(await server.call(key, "after")).toMatchObject({ status: 200 });
      // The refused call may be on disk, but not in part.
      const { body } = await server.post("/rl/end_session", key, {});
      expect([2, 3]).toContain((body as { interaction_count?: number }).interaction_count);
    },
  );

  it.each<[FailingCalls, "EIO" | "EDQUOT"]>([
    ["log-sync", "EIO"],
    ["log-sync", "EDQUOT"],
  ])("refuses calls after one %s failed with %s until its restart, and then has every answer", async (calls, error) => {
    const server = new FailingServer();
    await server.start();
    const key = await server.session();
    await server.call(key, "before");
    server.power.fail(calls, error);
    const first = await server.call(key, "during");
    expect(first).toMatchObject(refused);
    expect(first.body.error?.message).toContain("restart the server");
    // The next start then also replaces the data file, whose pages the disk may have refused without telling anyone yet.
    expect(existsSync(join(server.directory, "data.mdb.failed-sync"))).toBe(true);
    await sleep(3000);
    expect(server.power.failuresLeft).toBe(0);
    expect(await server.call(key, "later")).toMatchObject(refused);
    expect(await server.health()).toMatchObject({ status: 503, body: { status: "storage_failed" } });
    await server.kill();
    await server.start();
    expect([server.answers.size, await server.countLost()]).toEqual([1, 0]);
    expect(await server.call(key, "after")).toMatchObject({ status: 200 });
    await server.losePower(new Random(1));
    expect(await runRolltape(["storage", "verify", server.directory])).toMatchObject({ code: 0 });
    await server.start();
    expect([server.answers.size, await server.countLost()]).toEqual([2, 0]);
  });

  it.each<[FailingCalls, "EIO" | "EDQUOT"]>([
    ["write", "EIO"],
    ["write", "EDQUOT"],
    ["meta-write", "EIO"],
    ["sync", "EIO"],
    ["sync", "EDQUOT"],
    ["meta-sync", "EIO"],
  ])(
    "keeps answers in the log if the %s of the data file fails with %s, and refuses later calls",
    async (calls, error) => {
      const server = new FailingServer();
      await server.start();
      const key = await server.session();
      await server.call(key, "before");
      server.power.fail(calls, error, 1000);
      // The package `lmdb` may damage the memory of its process at a refused write. Then the server ends instead.
      const isRefusing = async () => (await server.call(key, "during").catch(() => refused)).status === 503;
      await expect.poll(isRefusing, { timeout: 60_000 }).toBe(true);
      const unwell = { status: 503, body: { status: "storage_failed" } };
      expect(await server.health().catch(() => unwell)).toMatchObject(unwell);
      const answers = server.answers.size;
      expect(answers).toBeGreaterThanOrEqual(1);
      await server.losePower(new Random(1));
      expect(await runRolltape(["storage", "verify", server.directory])).toMatchObject({ code: 0 });
      await server.start();
      expect([server.answers.size, await server.countLost()]).toEqual([answers, 0]);
      expect(await server.call(key, "after")).toMatchObject({ status: 200 });
    },
  );

  it("asks for a restart if LMDB cannot write a meta page", async () => {
    const server = new FailingServer();
    await server.start();
    const key = await server.session();
    server.power.fail("meta-write", "EIO");
    const readMessage = async () => (await server.call(key, "a")).body.error?.message;
    await expect.poll(readMessage, { timeout: 60_000 }).toContain("Restart the server");
  });

  it("loses no answer over many errors and losses of power at random moments", async () => {
    const server = new FailingServer();
    const random = new Random(5);
    for (let round = 0; round < 6; round++) {
      await server.start();
      expect(await server.countLost()).toBe(0);
      const keys = await Promise.all(Array.from({ length: 4 }, () => server.session()));
      let stopped = false;
      const agents = keys.map(async (key) => {
        for (let n = 0; !stopped; n++) {
          const reply = await server.call(key, `${round} ${n}`).catch(() => undefined);
          if (reply?.status !== 200) await sleep(20);
        }
      });
      await sleep(random.integer(300, 1500));
      const calls = ["sync", "meta-sync", "log-sync", "log-write"] as const;
      server.power.fail(calls[random.integer(0, 3)] ?? "sync", "EIO", random.integer(1, 3));
      await sleep(random.integer(100, 1500));
      await server.losePower(random, random.chance(0.5) ? 1 : 0.5);
      stopped = true;
      await Promise.all(agents);
    }
    await server.start();
    expect(await server.countLost()).toBe(0);
    expect(server.answers.size).toBeGreaterThan(20);
    expect(server.power.dropped).toBeGreaterThan(0);
  });
});
