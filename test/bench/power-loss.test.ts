import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { findMissingCompiler, PowerLoss } from "../../bench/chaos/power/power-loss.js";
import { Random } from "../../bench/soak/random.js";
import { DATA_FILE } from "../../src/storage/file-names.js";

/** Checks that a loss of power takes back exactly the writes that were not synced. */

const PAGE = 4096;

describe.skipIf(findMissingCompiler())("a loss of power", () => {
  let file: string;
  let power: PowerLoss;
  beforeEach(() => {
    const folder = mkdtempSync(join(tmpdir(), "rolltape-power-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    file = join(folder, DATA_FILE);
    writeFileSync(file, "a".repeat(2 * PAGE));
    power = new PowerLoss(folder, folder);
  });

  /** Runs a script that writes to `file` and then kills itself. `put(page, text, fd)` fills one page. */
  function run(script: string): void {
    const program = `
      import { constants, fdatasyncSync, fsyncSync, ftruncateSync, openSync, writeSync, writevSync } from "node:fs";
      const file = ${JSON.stringify(file)};
      const plain = openSync(file, "r+");
      const direct = openSync(file, constants.O_WRONLY | constants.O_DSYNC);
      const put = (page, text, fd = plain) => writeSync(fd, text.repeat(${PAGE}), page * ${PAGE});
      ${script}
      process.kill(process.pid, "SIGKILL");
    `;
    const { signal, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      env: { ...process.env, ...power.env },
      encoding: "utf8",
    });
    expect([signal, stderr]).toEqual(["SIGKILL", ""]);
  }

  /** Returns the first letter of each page. */
  function readPages(): string {
    const content = readFileSync(file, "latin1");
    return Array.from({ length: Math.ceil(content.length / PAGE) }, (_, page) => content[page * PAGE]).join("");
  }

  const strike = (share = 1) => power.strike(new Random(1), share);

  it("takes back writes and growth that were not synced", () => {
    run(`put(0, "b"); put(2, "c");`);
    expect(readPages()).toBe("bac");
    strike();
    expect(readPages()).toBe("aa");
    expect([power.losses, power.dropped]).toEqual([1, 16]);
  });

  it.each(["fdatasyncSync", "fsyncSync"])(
    "keeps what was written before %s, and takes back what came after it",
    (sync) => {
      run(`put(0, "b"); put(2, "c"); ${sync}(plain); put(0, "d"); put(0, "e"); put(1, "f");`);
      expect(readPages()).toBe("efc");
      strike();
      expect(readPages()).toBe("bac");
    },
  );

  it("keeps writes to a descriptor with O_DSYNC, but no other pages", () => {
    run(`put(0, "b"); put(1, "c"); put(1, "d", direct);`);
    strike();
    expect(readPages()).toBe("ad");
  });

  it("takes back writes of several buffers, writes without an offset, and the end that was cut off", () => {
    run(
      `writevSync(plain, [Buffer.from("b"), Buffer.from("c")], 0); writeSync(direct, "x"); ftruncateSync(plain, 10);`,
    );
    expect(readFileSync(file, "latin1")).toBe("xcaaaaaaaa");
    strike();
    expect(readFileSync(file, "latin1")).toBe(`xc${"a".repeat(2 * PAGE - 2)}`);
  });

  it("takes back a part of the sectors if the disk had written some", () => {
    run(`for (let page = 0; page < 20; page++) put(page, "b");`);
    strike(0.5);
    const left = readFileSync(file, "latin1").replaceAll("\0", "");
    expect(new Set(left)).toEqual(new Set(["a", "b"]));
    expect(power.dropped).toBeLessThan(160);
  });

  it("takes back nothing of a process that synced everything", () => {
    run(`put(0, "b"); fdatasyncSync(plain);`);
    strike();
    expect(readPages()).toBe("ba");
    expect([power.losses, power.hasUnsynced]).toEqual([0, false]);
  });

  it("continues with the unsynced writes of an earlier process", () => {
    run(`put(0, "b");`);
    run(`put(0, "c"); put(1, "d");`);
    strike();
    expect(readPages()).toBe("aa");
  });

  it("does not write pages of a failed sync with a later sync, unless they are written again", () => {
    power.fail("sync", "EIO");
    run(`
      put(0, "b"); put(1, "b");
      const fails = (call) => { try { call(); } catch (error) { return error.code; } };
      if (fails(() => fdatasyncSync(plain)) !== "EIO") process.exit(1);
      put(1, "c"); put(2, "d");
      fdatasyncSync(plain);
      put(2, "e");
    `);
    expect(readPages()).toBe("bce");
    strike();
    expect(readPages()).toBe("acd");
  });

  it("refuses writes with the wanted error, and loses a write to a descriptor with O_DSYNC that fails", () => {
    const codes = `const code = (call) => { try { call(); return 0; } catch (error) { return error.errno; } };`;
    power.fail("write", "EDQUOT", 2);
    run(
      `${codes} if (code(() => put(2, "b")) !== -122 || code(() => put(2, "b")) !== -122) process.exit(1); put(1, "c");`,
    );
    expect(readPages()).toBe("ac");
    power.fail("synced-write", "EIO");
    run(`${codes} if (code(() => put(0, "d", direct)) !== -5) process.exit(1); fdatasyncSync(plain);`);
    expect([readPages(), power.failuresLeft]).toEqual(["dc", 0]);
    strike();
    expect(readPages()).toBe("ac");
  });
});
