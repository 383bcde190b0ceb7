import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type FailingCalls, findMissingCompiler, PowerLoss } from "../../chaos/power/power-loss.js";
import { runRolltape } from "../../cli/rolltape.js";
import { Random } from "../../helpers/random.js";
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
  it.each(["EIO", "EDQUOT"] as const)(
    "answers no call while each write fails with %s, and has every answer after a loss of power",
    async (error) => {
      const server = new FailingServer();
      await server.start();
      const key = await server.session();
      await server.call(key, "before");
      server.power.fail("write", error, 100);
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

  it.each(["EIO", "EDQUOT"] as const)(
    "refuses the calls whose sync failed with %s, and has every answer after a loss of power",
    async (error) => {
      const server = new FailingServer();
      await server.start();
      const key = await server.session();
      await server.call(key, "before");
      server.power.fail("sync", error);
      expect(await server.call(key, "during")).toMatchObject(refused);
      expect(server.power.failuresLeft).toBe(0);
      // The server goes on in another segment, because the pages of the failed sync never reach the disk.
      const isRefusing = async () => (await server.call(key, "after")).status !== 200;
      await expect.poll(isRefusing, { timeout: 60_000 }).toBe(false);
      const answers = server.answers.size;
      expect(answers).toBeGreaterThanOrEqual(2);
      await server.losePower(new Random(1));
      expect(await runRolltape(["storage", "verify", server.directory])).toMatchObject({ code: 0 });
      await server.start();
      expect([server.answers.size, await server.countLost()]).toEqual([answers, 0]);
      expect(await server.call(key, "later")).toMatchObject({ status: 200 });
    },
  );

  it.each<[files: string, calls: FailingCalls]>([
    ["manifest.new", "write"],
    ["manifest.new", "sync"],
    [".", "sync"],
  ])("answers no call while a segment cannot begin because of %s (%s)", async (files, calls) => {
    const server = new FailingServer();
    await server.start();
    const key = await server.session();
    await server.call(key, "before");
    await server.kill();
    await server.start();
    server.power.fail(calls, "EIO", 1000, files);
    expect(await server.call(key, "during")).toMatchObject(refused);
    await server.losePower(new Random(1));
    await server.start();
    expect([server.answers.size, await server.countLost()]).toEqual([1, 0]);
    expect(await server.call(key, "after")).toMatchObject({ status: 200 });
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
      const files = random.pick(["segment-*", "segment-*", "manifest*", "."]);
      server.power.fail(random.pick(["sync", "write", "allocate"]), "EIO", random.integer(1, 3), files);
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
