import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { InspectedStorage } from "../../../src/cli/storage/inspect-storage.js";
import { readManifest } from "../../../src/storage/log/manifest.js";
import { readRecord } from "../../../src/storage/log/record.js";
import { Proxy } from "../../helpers/proxy.js";
import { runRolltape, temporaryFolder } from "../rolltape.js";
import { fillPages, recordBranches } from "./stored-sessions.js";

/** Messages of the commands about the folder of a server that was killed, and about folders whose files are missing. */

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const FIRST = "segment-00000001.log";
const LAST = "segment-00000002.log";

/** A folder as after a kill. The first session is in a segment that was closed, the second one in the segment of the killed server. */
let crashed: string;

beforeAll(async () => {
  const root = mkdtempSync(join(tmpdir(), "rolltape-log-"));
  const served = join(root, "served");
  crashed = join(root, "crashed");
  const first = await Proxy.start({ storage: { directory: served } });
  await recordBranches(first, "task-0");
  await first.close();
  const second = await Proxy.start({ storage: { directory: served } });
  await recordBranches(second, "task-1");
  cpSync(served, crashed, { recursive: true });
  await second.close();
  return () => rmSync(root, { recursive: true, force: true });
});

function copyCrashed(): string {
  const directory = temporaryFolder();
  cpSync(crashed, directory, { recursive: true });
  return directory;
}

const lines = (text: string) => text.trimEnd().split("\n");

/** Returns the content of the files of a folder by their names. */
const readFiles = (directory: string) =>
  new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), "latin1")]));

async function inspectJson(directory: string): Promise<InspectedStorage> {
  return JSON.parse((await runRolltape(["storage", "inspect", directory, "--json"])).stdout) as InspectedStorage;
}

async function exportAll(directory: string) {
  const out = join(temporaryFolder(), "batch.safetensors");
  return runRolltape(["export", "--storage", directory, "--out", out]);
}

/** Damages the record of the last segment that has the first message of the second session. Returns where it begins. */
function damageRecord(directory: string): number {
  const path = join(directory, LAST);
  const bytes = readFileSync(path);
  const id = { log: readManifest(directory).log, segment: 2 };
  const message = bytes.indexOf("a task-1");
  for (let at = 0; ; ) {
    const record = readRecord(bytes, at, id);
    if (!record) throw new Error("no record has the message");
    if (message < record.end) {
      bytes[message] = (bytes[message] ?? 0) ^ 1;
      writeFileSync(path, bytes);
      return at;
    }
    at = record.end;
  }
}

describe("the folder of a killed server", () => {
  it("is intact", async () => {
    const directory = copyCrashed();
    expect(await inspectJson(directory)).toMatchObject({ open: false, interactions: 6, damage: [] });
    expect((await runRolltape(["storage", "inspect", directory])).stdout).not.toContain("damage");
    const verified = await runRolltape(["storage", "verify", directory]);
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^2 sessions with .*: intact\n$/) });
    expect(await exportAll(directory)).toMatchObject({ code: 0, stderr: "" });
    expect(readFiles(directory)).toEqual(readFiles(crashed));
  });
});

describe("a damaged record in the segment of a killed server", () => {
  it("is named by every command", async () => {
    const directory = copyCrashed();
    const damage = `${LAST} is damaged at byte ${damageRecord(directory)}`;
    const damaged = readFiles(directory);
    const verified = await runRolltape(["storage", "verify", directory]);
    expect(verified.code).toBe(1);
    expect(lines(verified.stdout)[0]).toBe(`  the log: ${damage}`);
    expect(verified.stdout).toContain("interaction 0 of session task-1-");
    expect(verified.stdout).toMatch(/, 1 damaged session; what the damaged parts of the log had is not known\n$/);

    const inspected = await runRolltape(["storage", "inspect", directory]);
    expect(inspected).toMatchObject({ code: 0, stderr: "" });
    expect(inspected.stdout).toMatch(new RegExp(`^damage +${damage}$`, "m"));
    expect(await inspectJson(directory)).toMatchObject({ damage: [damage] });

    const exported = await exportAll(directory);
    expect(exported).toMatchObject({ code: 1, stdout: expect.stringMatching(/^exported 1 session in /) });
    expect(lines(exported.stderr)).toEqual([
      "rolltape: 2 problems, not exported:",
      `  the log: ${damage}`,
      expect.stringMatching(/^ {2}session task-1-\S+: interaction 1: interaction 0 is missing before it$/),
    ]);

    const refused = await runRolltape(["storage", "compact", directory]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(`  the log: ${damage}\n`);
    expect(refused.stderr).toContain("so the folder was not compacted. ");

    await expect(Proxy.start({ storage: { directory } })).rejects.toThrow(`is damaged: ${damage}. `);
    expect(readFiles(directory)).toEqual(damaged);
  });

  it("is removed by `compact --leave-out-damaged`, which names the files that it kept", async () => {
    const directory = copyCrashed();
    damageRecord(directory);
    const { code, stdout } = await runRolltape(["storage", "compact", directory, "--leave-out-damaged"]);
    const files = ["segment-00000001.index", FIRST, LAST, "manifest"].map((name) => `${name}.damaged`);
    expect(stdout).toContain(`; 1 damaged session left out; the original files are now ${files.join(", ")}\n`);
    expect(code).toBe(0);
    const verified = await runRolltape(["storage", "verify", directory]);
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 session with .*: intact\n$/) });
    expect(await exportAll(directory)).toMatchObject({ code: 0, stderr: "" });
    const proxy = await Proxy.start({ storage: { directory } });
    await recordBranches(proxy, "task-2");
    await proxy.close();
    expect((await runRolltape(["storage", "verify", directory])).stdout).toMatch(/^2 sessions with .*: intact\n$/);
  });
});

describe("a damaged value in a complete segment", () => {
  // The error of the storage reaches the user as it is.
  it.each([
    ["session", '"taskId":"task-0"', "the head of the session whose id ends with -0"],
    ["value of the server", '"workerTag"', "value identity"],
  ])("is refused by a server that needs it at its start: a %s", async (_, text, what) => {
    const directory = copyCrashed();
    fillPages(directory, text, 0xff);
    await expect(Proxy.start({ storage: { directory } })).rejects.toThrow(
      `storage.directory ${directory} is damaged: ${what}: ${FIRST} is damaged at byte `,
    );
  });
});

describe("a folder whose file was lost", () => {
  const remove = (path: string) => rmSync(path);
  /** What the folder has, the file, how it is lost, the reason after its name, and the number of sessions that are left. */
  type Case = readonly [what: string, name: string, lose: (path: string) => void, reason: string, sessions: number];
  const missingManifest: Case = ["no manifest", "manifest", remove, "is missing", 2];
  const missingFirst: Case = ["no first segment", FIRST, remove, "is missing", 1];
  const emptyFirst: Case = ["an empty first segment", FIRST, truncateSync, "was truncated: it has 0 of ", 1];
  const missingLast: Case = ["no last segment", LAST, remove, "is missing", 1];

  async function expectRefused([, name, lose, reason]: Case): Promise<void> {
    const directory = copyCrashed();
    lose(join(directory, name));
    const left = readFiles(directory);
    await expect(Proxy.start({ storage: { directory } })).rejects.toThrow(`is damaged: ${name} ${reason}`);
    const verified = await runRolltape(["storage", "verify", directory]);
    expect(verified).toMatchObject({ code: 1, stderr: "" });
    expect(verified.stdout).toContain(`  the log: ${name} ${reason}`);
    expect(verified.stdout).toMatch(/; what the damaged parts of the log had is not known\n$/);
    // If a head cannot be read, it ends with an error.
    const { stdout, stderr } = await runRolltape(["storage", "inspect", directory]);
    expect(stdout + stderr).toMatch(new RegExp(`^damage +${name} ${reason}$| is damaged: ${name} `, "m"));
    expect(readFiles(directory)).toEqual(left);
  }

  async function expectExported([, name, lose, reason, sessions]: Case): Promise<void> {
    const directory = copyCrashed();
    lose(join(directory, name));
    const { code, stdout, stderr } = await exportAll(directory);
    expect(stdout).toMatch(new RegExp(`^exported ${sessions} session`));
    expect(stderr).toContain(`  the log: ${name} ${reason}`);
    expect(code).toBe(1);
  }

  const cases = [missingManifest, emptyFirst, missingLast];
  it.each(cases)("is refused by a server if it has %s, and no command writes to it", (...lost) => expectRefused(lost));
  it.each(cases)("is exported without what is lost if it has %s", (...lost) => expectExported(lost));
  // Reads of a missing segment throw the error of the system instead of a damage.
  it("is refused by a server if it has no first segment, and no command writes to it", () =>
    expectRefused(missingFirst));
  it("is exported without what is lost if it has no first segment", () => expectExported(missingFirst));

  it.each([missingManifest, missingLast])(
    "is compacted without what is lost if it has %s",
    async (_, name, lose, reason, sessions) => {
      const directory = copyCrashed();
      lose(join(directory, name));
      const compacted = await runRolltape(["storage", "compact", directory, "--leave-out-damaged"]);
      expect(compacted.stderr).toBe(`  the log: ${name} ${reason}\n`);
      expect(compacted.code).toBe(0);
      const verified = await runRolltape(["storage", "verify", directory]);
      expect(verified.stdout).toMatch(new RegExp(`^${sessions} sessions? with .*: intact\\n$`));
      expect(await exportAll(directory)).toMatchObject({ code: 0, stderr: "" });
    },
  );

  it("is not compacted if the server would miss a value that was lost", async () => {
    const directory = copyCrashed();
    truncateSync(join(directory, FIRST));
    const left = readFiles(directory);
    const { code, stderr } = await runRolltape(["storage", "compact", directory, "--leave-out-damaged"]);
    expect(stderr).toContain("has lost values that a server needs to continue its sessions (identity). ");
    expect(code).toBe(1);
    expect(readFiles(directory)).toEqual(left);
  });
});
