import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { InspectedStorage } from "../../../src/cli/storage/inspect-storage.js";
import { CommitThread } from "../../../src/storage/commit-thread.js";
import { LOG_FILES } from "../../../src/storage/file-names.js";
import { readSegment } from "../../../src/storage/log/log-file.js";
import { Proxy } from "../../helpers/proxy.js";
import { runRolltape, temporaryFolder } from "../rolltape.js";
import { recordBranches } from "./stored-sessions.js";

/** Messages of the commands about the log of a server that was killed, and about folders that are not complete. */

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** A folder as after a kill. Only its log has the second session. */
let crashed: string;

beforeAll(async () => {
  const root = mkdtempSync(join(tmpdir(), "rolltape-log-"));
  crashed = join(root, "crashed");
  await recordAndCopy(join(root, "served"), crashed);
  return () => rmSync(root, { recursive: true, force: true });
});

/** Records two sessions in a folder, and copies the folder before the second one is applied. */
async function recordAndCopy(directory: string, copy: string): Promise<void> {
  const proxy = await Proxy.start({ storage: { directory } });
  await recordBranches(proxy, "task-0");
  await proxy.context.storage?.records.committed();
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const apply = Reflect.get(CommitThread.prototype, "apply") as CommitThread["apply"];
  const spy = vi.spyOn(CommitThread.prototype, "apply").mockImplementation(async function (
    this: CommitThread,
    segment,
  ) {
    await held;
    await apply.call(this, segment);
  });
  // On a busy machine, the timer of the log would begin another segment in the middle of the session.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  await recordBranches(proxy, "task-1");
  vi.useRealTimers();
  cpSync(directory, copy, { recursive: true });
  spy.mockRestore();
  release();
  await proxy.close();
}

function copyCrashed(): string {
  const directory = temporaryFolder();
  cpSync(crashed, directory, { recursive: true });
  return directory;
}

const lines = (text: string) => text.trimEnd().split("\n");
const inspectJson = async (directory: string) =>
  JSON.parse((await runRolltape(["storage", "inspect", directory, "--json"])).stdout) as InspectedStorage;

/** Damages the first record of the segment that only the log has. Returns the name of its file. */
function damageRecord(directory: string, n: number): string {
  const [newest] = LOG_FILES.map((name) => {
    const bytes = readFileSync(join(directory, name));
    return { name, bytes, records: readSegment(bytes) };
  }).toSorted((a, b) => (b.records[0]?.epoch ?? 0) - (a.records[0]?.epoch ?? 0));
  if (!newest) throw new Error("the folder has no log");
  const at = n === 0 ? 0 : (newest.records[n - 1]?.end ?? 0);
  newest.bytes[at + 60] = (newest.bytes[at + 60] ?? 0) ^ 1;
  writeFileSync(join(directory, newest.name), newest.bytes);
  return newest.name;
}

describe("a log that is intact", () => {
  it("is described by `storage inspect`, with the size of the changes that are not in data.mdb", async () => {
    const directory = copyCrashed();
    const { log_records, log_bytes, log_damage } = await inspectJson(directory);
    expect(log_records).toBeGreaterThan(3);
    expect(log_bytes).toBeGreaterThanOrEqual(4096 * (log_records ?? 0));
    expect(log_damage).toBeNull();
    const { stdout } = await runRolltape(["storage", "inspect", directory]);
    expect(stdout).toMatch(new RegExp(`^log +${log_records} records, [0-9.]+ KiB, not yet in data\\.mdb$`, "m"));
    expect(stdout).not.toContain("log damage");
    await runRolltape(["storage", "compact", directory]);
    expect((await runRolltape(["storage", "inspect", directory])).stdout).toMatch(/^log +empty$/m);
  });
});

describe("a damaged log", () => {
  it("is reported by every command, with the number of records that are kept", async () => {
    const directory = copyCrashed();
    const name = damageRecord(directory, 2);
    const problem = `  the log: ${name} is damaged at byte 8192; 2 records of changes before that are kept, later changes are lost`;
    const verified = await runRolltape(["storage", "verify", directory]);
    expect(verified.code).toBe(1);
    expect(lines(verified.stdout)[0]).toBe(problem);
    expect(verified.stdout).not.toContain("sessions and values on damaged pages");

    const inspected = await runRolltape(["storage", "inspect", directory]);
    expect(inspected.stdout).toMatch(/^log +2 records, 8\.0 KiB, not yet in data\.mdb$/m);
    expect(inspected.stdout).toMatch(new RegExp(`^log damage +${name} is damaged at byte 8192$`, "m"));
    expect(await inspectJson(directory)).toMatchObject({
      log_records: 2,
      log_damage: `${name} is damaged at byte 8192`,
    });

    const out = join(temporaryFolder(), "batch.safetensors");
    const exported = await runRolltape(["export", "--storage", directory, "--out", out]);
    expect(exported).toMatchObject({ code: 1, stdout: expect.stringMatching(/^exported 1 session in /) });
    expect(lines(exported.stderr)).toEqual(["rolltape: 1 problem, not exported:", problem]);

    const refused = await runRolltape(["storage", "compact", directory]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(problem);
    expect(refused.stderr).toContain(
      `has a damaged write-ahead log: ${name} is damaged at byte 8192, so the folder was not compacted. `,
    );
  });

  it("is repaired by `compact --leave-out-damaged`, which names what it left out and the files that it kept", async () => {
    const directory = copyCrashed();
    rmSync(join(directory, "data.log-0"));
    const { code, stdout } = await runRolltape(["storage", "compact", directory, "--leave-out-damaged"]);
    expect(stdout).toMatch(
      /after; changes after the damage in the log left out; the original file is now data\.mdb\.damaged; the damaged log is now data\.log-1\.damaged\n$/,
    );
    expect(code).toBe(0);
    const verified = await runRolltape(["storage", "verify", directory]);
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/: intact\n$/) });
  });
});

describe("a folder without data.mdb, but with a log", () => {
  it.each([
    ["no", (path: string) => rmSync(path)],
    ["an empty", (path: string) => truncateSync(path)],
  ])("is refused if it has %s file, and nothing is written", async (what, damage) => {
    const directory = copyCrashed();
    damage(join(directory, "data.mdb"));
    const before = readdirSync(directory).map((name) => [name, readFileSync(join(directory, name)).length]);
    const reason =
      `has ${what} file data.mdb, but has the log data.log-0, data.log-1. ` +
      "Restore data.mdb, data.log-0, data.log-1 together from a backup, or use another folder.";
    for (const args of [["verify"], ["inspect"], ["compact", "--leave-out-damaged"]] as const) {
      const { code, stderr } = await runRolltape(["storage", args[0], directory, ...args.slice(1)]);
      expect(stderr).toBe(`rolltape: storage.directory ${directory} ${reason}\n`);
      expect(code).toBe(1);
    }
    await expect(Proxy.start({ storage: { directory } })).rejects.toThrow(reason);
    expect(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name)).length])).toEqual(before);
  });
});
