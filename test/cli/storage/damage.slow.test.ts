import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { compactFolder, inspectFolder } from "../../../src/cli/commands/storage.js";
import { exportStorage } from "../../../src/cli/export/export-storage.js";
import { verifySessions } from "../../../src/session/stored/verify-sessions.js";
import { TABLES } from "../../../src/storage/changes.js";
import { StorageReader } from "../../../src/storage/index.js";
import { PAGE_BYTES } from "../../../src/storage/log/record.js";
import { CodedError } from "../../../src/support/coded-error.js";
import { Proxy } from "../../helpers/proxy.js";
import { fillPages, recordBranches } from "./stored-sessions.js";

/** No damage of a file ends a command or a start without a clear error, or loses what can be read. */

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

/** Number of random places of each folder of which a bit is flipped. */
const FLIPS = 40;
/** Bytes of a segment from which places are chosen. An open segment has zeros behind its records. */
const MAX_BYTES = 80_000;

const FIRST = "segment-00000001.log";
const SECOND = "segment-00000002.log";

/** Scratch folder of all tests. */
let root: string;
/** Folders with two segments and six sessions, one of them in a held export. */
const originals = { closed: "", killed: "" };
/** A folder of another server. */
let other: string;
let results: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "rolltape-damage-"));
  for (const name of ["closed", "killed", "other"] as const) {
    const served = join(root, `${name}-served`);
    await serve(served, [0, 1, 2]).then((proxy) => proxy.close());
    cpSync(join(served, "manifest"), join(root, `${name}-earlier-manifest`));
    const proxy = await serve(served, [3, 4, 5]);
    if (name !== "killed") await proxy.close();
    cpSync(served, join(root, name), { recursive: true });
    await proxy.close();
  }
  originals.closed = join(root, "closed");
  originals.killed = join(root, "killed");
  other = join(root, "other");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  results = mkdtempSync(join(root, "out-"));
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
});
afterEach(() => void vi.restoreAllMocks());

/** Records sessions, and holds the first one for an export. */
async function serve(directory: string, tasks: readonly number[]): Promise<Proxy> {
  const proxy = await Proxy.start({ storage: { directory } });
  const sessions = [];
  for (const task of tasks) sessions.push(await recordBranches(proxy, `task-${task}`));
  const [held] = sessions;
  if (held) {
    await proxy.end(held);
    await proxy.post("/export_batch", { session_ids: [held.id], acknowledge: true });
  }
  return proxy;
}

/** Returns what a step returns, or the error with a code that it threw. Other errors are defects. */
async function attempt<T>(run: () => T | Promise<T>): Promise<T | CodedError> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
}

/** Returns the number of problems. */
function verify(directory: string): number {
  using storage = StorageReader.open(directory);
  let problems = 0;
  verifySessions(storage, () => problems++);
  return problems;
}

/** Starts a server with a copy of a folder. Returns its error. */
async function start(directory: string): Promise<Error | undefined> {
  const copy = mkdtempSync(join(root, "started-"));
  cpSync(directory, copy, { recursive: true });
  try {
    const proxy = await Proxy.start({ storage: { directory: copy } });
    await proxy.close();
    return undefined;
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** Returns the number of values of an intact folder. */
function countValues(directory: string): number {
  using storage = StorageReader.open(directory);
  return TABLES.reduce((sum, table) => sum + [...storage.range(table)].length, 0);
}

/** Exports everything. Returns the exported file, or the code of the error. */
async function exportTo(directory: string, name: string): Promise<string> {
  const out = join(results, name);
  const exported = await attempt(() => exportStorage({ storage: directory, out }));
  return exported instanceof CodedError ? exported.code : readFileSync(out, "latin1");
}

/** Returns the content of the files of a folder by their names. */
const readFiles = (directory: string) =>
  new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))]));

const isSame = (a: ReadonlyMap<string, Buffer>, b: ReadonlyMap<string, Buffer>) =>
  a.size === b.size && [...a].every(([name, bytes]) => b.get(name)?.equals(bytes));

interface Outcome {
  readonly result: "intact" | "repaired" | "refused";
  /** What a command did that it must not do. */
  readonly defects: readonly string[];
}

const LOST_SERVER = "has lost values that a server needs";

/** Runs every command on a damaged folder. */
async function runAll(directory: string): Promise<Outcome> {
  const defects: string[] = [];
  const require = (isRight: boolean, defect: string) => void (isRight || defects.push(defect));
  const damaged = readFiles(directory);
  const isUnchanged = () => isSame(damaged, readFiles(directory));

  const problems = await attempt(() => verify(directory));
  const isIntact = problems === 0;
  require(typeof problems === "number", `verify ended early: ${String(problems)}`);
  await attempt(() => inspectFolder(directory, { json: true }));
  const before = await exportTo(directory, "before");
  if (!isIntact) {
    const compacted = await attempt(() => compactFolder(directory));
    require(compacted instanceof CodedError, "compact copied a damaged folder");
  }
  const started = await start(directory);
  require(!isIntact || started === undefined, `a folder that verify accepts does not start: ${String(started)}`);
  const values = isIntact ? countValues(directory) : undefined;
  require(isUnchanged(), "a command that reads changed the folder");

  const compacted = await attempt(() => compactFolder(directory, { leaveOutDamaged: true }));
  if (compacted instanceof CodedError) {
    require(isUnchanged(), "a refused compact changed the folder");
    require(compacted.message.includes(LOST_SERVER), compacted.message);
    return { result: "refused", defects };
  }
  if (!isIntact) {
    const left = [...readFiles(directory).values()];
    const isKept = [...damaged.values()].every((bytes) => left.some((each) => each.equals(bytes)));
    require(isKept, "compact lost a damaged file");
  }
  require(verify(directory) === 0, "the copy is damaged");
  const copied = countValues(directory);
  require(!isIntact || copied === values, "the copy has other values");
  require((await start(directory)) === undefined, "the copy does not start");
  const after = await exportTo(directory, "after");
  require(after === before, `${before.length} bytes exported before, ${after.length} after`);
  return { result: isIntact ? "intact" : "repaired", defects };
}

type Damage = (directory: string) => void;

function damage(original: string, change: Damage): string {
  const directory = mkdtempSync(join(root, "damaged-"));
  cpSync(original, directory, { recursive: true });
  change(directory);
  return directory;
}

/** Changes the bytes of a file. */
const changing =
  (name: string, change: (bytes: Buffer) => unknown): Damage =>
  (directory) => {
    const bytes = readFileSync(join(directory, name));
    change(bytes);
    writeFileSync(join(directory, name), bytes);
  };

const replaceText = (bytes: Buffer, text: string, other: string) => {
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) bytes.write(other, at);
};

const KINDS: Readonly<Record<string, Damage>> = {
  "zeroed pages of records": (directory) => fillPages(directory, "a task-2", 0),
  "pages of heads filled with ones": (directory) => fillPages(directory, '"taskId":"task-1"', 0xff),
  "a changed message": changing(FIRST, (bytes) => replaceText(bytes, "b é 漢", "c")),
  "a changed value of the server": changing(FIRST, (bytes) => replaceText(bytes, '"workerTag"', "'")),
  "a zeroed second half of a segment": changing(FIRST, (bytes) => bytes.fill(0, bytes.length >> 1)),
  "a first record of zeros": changing(SECOND, (bytes) => bytes.fill(0, 0, PAGE_BYTES)),
  "text instead of a segment": changing(FIRST, (bytes) => bytes.fill("rolltape ")),
  "text instead of a manifest": changing("manifest", (bytes) => bytes.fill("rolltape ")),
  "an empty manifest": (directory) => truncateSync(join(directory, "manifest")),
  "a segment of another folder": (directory) => cpSync(join(other, FIRST), join(directory, FIRST)),
  "a manifest of another folder": (directory) => cpSync(join(other, "manifest"), join(directory, "manifest")),
  "swapped segments": (directory) => {
    cpSync(join(directory, FIRST), join(directory, "first"));
    cpSync(join(directory, SECOND), join(directory, FIRST));
    cpSync(join(directory, "first"), join(directory, SECOND));
    rmSync(join(directory, "first"));
  },
};

const KINDS_OF_LAST: Readonly<Record<string, Damage>> = {
  "text instead of the last segment": changing(SECOND, (bytes) => bytes.fill("rolltape ")),
  "a last segment of another folder": (directory) => cpSync(join(other, SECOND), join(directory, SECOND)),
};

async function expectNoticed(directory: string): Promise<void> {
  const { result, defects } = await runAll(directory);
  expect(defects).toEqual([]);
  expect(result).not.toBe("intact");
}

describe.each(["closed", "killed"] as const)("the folder of a server that was %s", (name) => {
  test.each(Object.entries(KINDS))("%s", (_, change) => expectNoticed(damage(originals[name], change)));

  // The space for further records has zeros, so nothing that begins otherwise can be a record that was being written at a crash.
  test.each(Object.entries(KINDS_OF_LAST))("%s", (_, change) => expectNoticed(damage(originals[name], change)));

  // The copy takes the name of the segment that the manifest does not know.
  test("a manifest of an earlier moment", async () => {
    const earlier = join(root, `${name}-earlier-manifest`);
    await expectNoticed(damage(originals[name], (directory) => cpSync(earlier, join(directory, "manifest"))));
  });

  test.each([0.1, 0.5, 0.9])("any file cut to %f of its length", async (part) => {
    const found: string[] = [];
    for (const [file, { length }] of readFiles(originals[name])) {
      const cut = (directory: string) => truncateSync(join(directory, file), Math.floor(length * part));
      const { result, defects } = await runAll(damage(originals[name], cut));
      found.push(...defects.map((defect) => `${file}: ${defect}`));
      // The list of a segment can be made again, and the last segment of a killed server ends anywhere.
      const isNoticed = file === FIRST || file === "manifest" || (file === SECOND && name === "closed");
      if (isNoticed && result === "intact") found.push(`${file}: not noticed`);
    }
    expect(found).toEqual([]);
  });

  test("a bit flipped at random places", async () => {
    const counts = { intact: 0, repaired: 0, refused: 0 };
    const found: string[] = [];
    let state = 20_261_123;
    const random = (limit: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((state / 2 ** 31) * limit);
    };
    const files = [...readFiles(originals[name])].filter(([, { length }]) => length > 0);
    for (let n = 0; n < FLIPS; n++) {
      const [file, { length }] = files[n % files.length] as [string, Buffer];
      const [at, bit] = [random(Math.min(length, MAX_BYTES)), random(8)];
      const flip = changing(file, (bytes) => bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at));
      const { result, defects } = await runAll(damage(originals[name], flip));
      counts[result]++;
      found.push(...defects.map((defect) => `bit ${bit} of byte ${at} of ${file}: ${defect}`));
    }
    expect(found).toEqual([]);
    expect(counts.repaired).toBeGreaterThan(FLIPS / 10);
    expect(counts.intact).toBeGreaterThan(FLIPS / 10);
  });
});
