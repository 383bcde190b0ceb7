import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { Random } from "../helpers/random.js";
import { findMissingCompiler, PowerLoss } from "./power/power-loss.js";

/** Checks that a loss of power takes back exactly the changes that were not synced. */

const PAGE = 4096;
const ADDON = join(process.cwd(), "build/Release/rolltape.node");

describe.skipIf(findMissingCompiler())("a loss of power", () => {
  let folder: string;
  let power: PowerLoss;
  beforeEach(() => {
    const root = mkdtempSync(join(tmpdir(), "rolltape-power-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    folder = join(root, "storage");
    mkdirSync(folder);
    writeFileSync(join(folder, "segment-1.log"), "a".repeat(2 * PAGE));
    power = new PowerLoss(folder, root);
  });

  /**
   * Runs a script in the folder, in a process that then kills itself. `put(page, text)` fills one page of the open file `file`, and
   * `tryTo(call)` returns the error number.
   */
  function run(script: string): void {
    const program = `
      const { closeSync, fdatasyncSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync, writeSync, writevSync } = require("node:fs");
      process.chdir(${JSON.stringify(folder)});
      const file = openSync("segment-1.log", "r+");
      const put = (page, text, target = file) => writeSync(target, text.repeat(${PAGE}), page * ${PAGE});
      const tryTo = (call) => { try { call(); return 0; } catch (error) { return error.errno; } };
      const expect = (actual, wanted) => { if (actual !== wanted) throw new Error(actual + " instead of " + wanted); };
      const create = (name, text) => { const made = openSync(name, "w"); writeSync(made, text); fsyncSync(made); closeSync(made); };
      const syncFolder = () => fsyncSync(openSync("."));
      const kill = () => process.kill(process.pid, "SIGKILL");
      ${script}
    `;
    const { signal, stderr } = spawnSync(process.execPath, ["--eval", program], {
      env: { ...process.env, ...power.env },
      encoding: "utf8",
    });
    expect([signal, stderr]).toEqual(["SIGKILL", ""]);
  }

  /** Returns the first letter of each page of a file. */
  function readPages(name = "segment-1.log"): string {
    const content = readFileSync(join(folder, name), "latin1");
    return Array.from({ length: Math.ceil(content.length / PAGE) }, (_, page) => content[page * PAGE]).join("");
  }

  /** Returns the files of the folder with their contents, shortened to their first letter. */
  function readFolder(): Record<string, string | undefined> {
    const names = readdirSync(folder).toSorted();
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "latin1")[0]]));
  }

  const strike = (share = 1) => power.strike(new Random(1), share);

  it("takes back writes and growth that were not synced", () => {
    run(`put(0, "b"); put(2, "c"); kill();`);
    expect(readPages()).toBe("bac");
    expect(power.hasUnsynced).toBe(true);
    strike();
    expect(readPages()).toBe("aa");
    expect([power.losses, power.dropped, power.hasUnsynced]).toEqual([1, 16, false]);
  });

  it.each(["fdatasyncSync", "fsyncSync"])(
    "keeps what was written before %s, and takes back what came after it",
    (sync) => {
      run(`put(0, "b"); put(2, "c"); ${sync}(file); put(0, "d"); put(0, "e"); put(1, "f"); kill();`);
      expect(readPages()).toBe("efc");
      strike();
      expect(readPages()).toBe("bac");
    },
  );

  it("takes back writes of several buffers, writes without an offset, and the end that was cut off", () => {
    run(`
      writevSync(file, [Buffer.from("b"), Buffer.from("c")], 0);
      writevSync(openSync("segment-1.log", "a"), [Buffer.from("d")]);
      writeSync(file, "x");
      ftruncateSync(file, 10);
      kill();
    `);
    expect(readFileSync(join(folder, "segment-1.log"), "latin1")).toBe("xcaaaaaaaa");
    strike();
    expect(readFileSync(join(folder, "segment-1.log"), "latin1")).toBe("a".repeat(2 * PAGE));
  });

  it("covers every file of the folder by itself, and no others", () => {
    run(`
      const other = openSync("segment-2.log", "w");
      const outside = openSync("../outside", "w");
      syncFolder();
      put(0, "b"); put(0, "c", other); put(0, "d", outside);
      fsyncSync(other);
      put(1, "c", other);
      kill();
    `);
    strike();
    expect([readPages(), readPages("segment-2.log"), readPages("../outside")]).toEqual(["aa", "c", "d"]);
  });

  it("takes back a part of the sectors if the disk had written some", () => {
    run(`for (let page = 0; page < 20; page++) put(page, "b"); kill();`);
    strike(0.5);
    const left = readFileSync(join(folder, "segment-1.log"), "latin1").replaceAll("\0", "");
    expect(new Set(left)).toEqual(new Set(["a", "b"]));
    expect(power.dropped).toBeLessThan(160);
  });

  it("takes back nothing of a process that synced everything", () => {
    run(`put(0, "b"); fdatasyncSync(file); create("manifest", "m"); syncFolder(); kill();`);
    strike();
    expect(readFolder()).toEqual({ manifest: "m", "segment-1.log": "b" });
    expect([power.losses, power.hasUnsynced]).toEqual([0, false]);
  });

  it("continues with the unsynced changes of an earlier process", () => {
    run(`put(0, "b"); create("manifest", "m"); kill();`);
    run(`put(0, "c"); put(1, "d"); kill();`);
    strike();
    expect(readPages()).toBe("aa");
    expect(readFolder()).toEqual({ "segment-1.log": "a" });
  });

  it("takes back files that were created, replaced and removed after the last sync of the folder", () => {
    run(`
      create("manifest", "1"); create("removed", "r"); syncFolder();
      create("manifest.new", "2"); renameSync("manifest.new", "manifest");
      create("manifest.new", "3"); renameSync("manifest.new", "manifest");
      rmSync("removed"); create("created", "c"); put(0, "b"); fsyncSync(file);
      kill();
    `);
    expect(readFolder()).toEqual({ created: "c", manifest: "3", "segment-1.log": "b" });
    strike();
    expect(readFolder()).toEqual({ manifest: "1", removed: "r", "segment-1.log": "b" });
    expect(power.losses).toBe(1);
  });

  it("keeps the names of a synced folder, but not what a renamed file had before its sync", () => {
    run(`
      create("manifest", "1"); syncFolder();
      const made = openSync("manifest.new", "w");
      writeSync(made, "2");
      renameSync("manifest.new", "manifest"); syncFolder();
      kill();
    `);
    expect(readFolder()).toEqual({ manifest: "2", "segment-1.log": "a" });
    strike();
    expect(readFolder()).toEqual({ manifest: undefined, "segment-1.log": "a" });
  });

  it("does not take back changes that were there before, or that it was not asked for", () => {
    run(`put(0, "b"); kill();`);
    strike();
    run(`put(1, "c"); fsyncSync(file); kill();`);
    writeFileSync(join(folder, "created-elsewhere"), "e");
    strike(0);
    expect(readFolder()).toEqual({ "created-elsewhere": "e", "segment-1.log": "a" });
    expect(readPages()).toBe("ac");
  });

  it("does not write pages of a failed sync with a later sync, unless they are written again", () => {
    power.fail("sync", "EIO");
    run(`
      put(0, "b"); put(1, "b");
      expect(tryTo(() => fdatasyncSync(file)), -5);
      put(1, "c"); put(2, "d");
      fdatasyncSync(file);
      put(2, "e");
      kill();
    `);
    expect(readPages()).toBe("bce");
    strike();
    expect(readPages()).toBe("acd");
  });

  it("refuses calls with the wanted error, as often as wanted, and for the wanted files only", () => {
    power.fail("write", "EDQUOT", 2);
    run(`
      const manifest = openSync("manifest", "w");
      put(0, "m", manifest);
      expect(tryTo(() => put(2, "b")), -122);
      expect(tryTo(() => put(2, "b")), -122);
      put(1, "c");
      kill();
    `);
    expect([readPages(), readPages("manifest"), power.failuresLeft]).toEqual(["ac", "m", 0]);
    power.fail("sync", "EIO", 1, ".");
    run(`create("created", "c"); expect(tryTo(syncFolder), -5); kill();`);
    expect(power.failuresLeft).toBe(0);
    strike();
    expect(readFolder()).toEqual({ "segment-1.log": "a" });
    power.fail("write", "EIO", 1, "manifest");
    power.recover();
    expect(power.failuresLeft).toBe(0);
  });

  it.each([
    [true, ["a", "b"]],
    [false, []],
  ])("keeps exactly the synced records of the addon (synced: %s)", (synced, kept) => {
    run(`
      const { LogFile } = require(${JSON.stringify(ADDON)});
      const log = new LogFile("segment-2.log", { log: Buffer.alloc(8), segment: 2, synced: ${synced} });
      const append = (n, text) => log.append({ at: n * ${PAGE}, number: n, before: 0 }, Uint8Array.of(0), [Buffer.from(text)], [undefined]);
      syncFolder();
      append(0, "a").then(() => append(1, "b")).then(kill);
    `);
    const keysOf = (bytes: Buffer) => [0, 1].map((n) => bytes.toString("latin1", n * PAGE + 48, n * PAGE + 49));
    const path = join(folder, "segment-2.log");
    expect(keysOf(readFileSync(path))).toEqual(["a", "b"]);
    strike();
    expect(keysOf(readFileSync(path)).filter(Boolean)).toEqual(kept);
    expect(readFileSync(path).length).toBe(synced ? 2 ** 20 : 0);
  });

  it("refuses to give space to a file", () => {
    power.fail("allocate", "ENOSPC");
    run(`
      const { LogFile } = require(${JSON.stringify(ADDON)});
      const log = new LogFile("segment-2.log", { log: Buffer.alloc(8), segment: 2, synced: true });
      const append = () => log.append({ at: 0, number: 0, before: 0 }, Uint8Array.of(0), [Buffer.from("a")], [undefined]);
      append().catch((error) => error.code).then((code) => expect(code, "ERR_WRITE_FAILED")).then(append).then(kill);
    `);
    expect([power.failuresLeft, readFolder()]).toEqual([0, { "segment-1.log": "a", "segment-2.log": "R" }]);
  });
});
