import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findMissingCompiler, PowerLoss } from "../../bench/chaos/power/power-loss.js";
import { Random } from "../../bench/soak/random.js";
import { DATA_FILE } from "../../src/storage/file-names.js";
import { OfflineStorage, Storage } from "../../src/storage/index.js";

/** Commits whose sync fails, and then a loss of power. */

const DATABASE = new URL("../../src/storage/database.ts", import.meta.url).href;

/** Makes a folder on a disk that can fail. `run` commits with a script in a process that kills itself. */
function failingFolder() {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-failed-sync-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, DATA_FILE);
  const power = new PowerLoss(folder, folder);
  const run = (script: string) => {
    const program = `
      import { rmSync } from "node:fs";
      import { LmdbFile } from ${JSON.stringify(DATABASE)};
      const options = { path: ${JSON.stringify(path)}, sync: true, readOnly: false };
      let file = new LmdbFile(options);
      const key = (n) => Buffer.from(String(n).padStart(3, "0"));
      const changes = (text) => Array.from({ length: 40 }, (_, n) => ({ table: "records", key: key(n), value: Buffer.from(text.repeat(500)) }));
      const commit = (text) => { try { file.commit(changes(text)); return true; } catch { return false; } };
      ${script}
      process.kill(process.pid, "SIGKILL");
    `;
    const { signal, stderr } = spawnSync(
      process.execPath,
      ["--import", "tsx", "--input-type=module", "--eval", program],
      {
        env: { ...process.env, ...power.env },
        encoding: "utf8",
      },
    );
    expect([signal, stderr]).toEqual(["SIGKILL", ""]);
  };
  /** Returns the first letter of all values. Throws if the file is damaged. */
  const read = () => {
    using storage = OfflineStorage.open(folder);
    return [...new Set([...storage.range("records")].map(({ value }) => value.toString("latin1", 0, 1)))].join("");
  };
  return { folder, path, power, run, read };
}

const options = { skip: findMissingCompiler() !== undefined, timeout: 120_000 };

test(
  "does not overwrite pages of the last commit on disk while the meta page of a later one cannot be synced",
  options,
  () => {
    const { power, run, read } = failingFolder();
    run(`commit("a"); commit("b"); commit("c");`);
    power.fail("meta-sync", "EIO", 1000);
    run(`for (let n = 0; n < 50; n++) if (commit("d")) process.exit(1);`);
    power.recover();
    power.strike(new Random(1));
    expect(read()).toBe("c");
  },
);

test("does not trust the meta pages of an earlier process that could not mark its failure", options, () => {
  const { power, run, read } = failingFolder();
  run(`commit("a"); commit("b"); commit("c");`);
  power.fail("meta-sync", "EIO", 1000);
  run(`
    for (let n = 0; n < 50; n++) {
      if (commit("d")) process.exit(1);
      rmSync(options.path + ".failed-sync");
      await file.close();
      file = new LmdbFile(options);
    }
  `);
  power.recover();
  power.strike(new Random(1));
  expect(read()).toBe("c");
});

test(
  "commits nothing more after a failed sync, until the folder is opened again with a new file",
  options,
  async () => {
    const { folder, path, power, run, read } = failingFolder();
    run(`commit("a"); commit("b");`);
    power.fail("sync", "EIO");
    run(`for (let n = 0; n < 5; n++) if (commit("c")) process.exit(1);`);
    run(`if (commit("d")) process.exit(1);`);
    const { ino } = statSync(path);
    const storage = await Storage.open({ directory: folder, durability: "call" });
    storage.write([{ table: "sessions", key: Buffer.from("a"), value: Buffer.from("e") }]);
    await storage.flushed();
    await storage.close();
    expect(statSync(path).ino).not.toBe(ino);
    expect(readdirSync(folder).filter((name) => name.includes("failed-sync"))).toEqual([]);
    expect(read()).toBe("b");
  },
);
