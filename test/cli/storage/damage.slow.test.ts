import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { compactFolder, inspectFolder } from "../../../src/cli/commands/storage.js";
import { exportStorage, type StorageExport } from "../../../src/cli/export/export-storage.js";
import { verifySessions } from "../../../src/session/stored/verify-sessions.js";
import { TABLES } from "../../../src/storage/changes.js";
import { prepareDataFile } from "../../../src/storage/data-file.js";
import { LmdbFile } from "../../../src/storage/database.js";
import { OfflineStorage } from "../../../src/storage/index.js";
import { refuseDamagedFile } from "../../../src/storage/intact-file.js";
import { HEADER_BYTES } from "../../../src/storage/pages/page-file.js";
import { LEAF } from "../../../src/storage/pages/page-nodes.js";
import { CodedError } from "../../../src/support/coded-error.js";
import { Proxy } from "../../helpers/proxy.js";
import { recordBranches } from "./stored-sessions.js";

/** No damage of the file ends a command or a start without a clear error, or loses what can be read. */

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

const PAGE = 4096;
/** Number of random places of which a bit is flipped. */
const FLIPS = 60;
/** Bytes of a meta page that have fields. */
const META_BYTES = 160;

/** A folder with five sessions, one of them in a held export. */
let original: Buffer;
/** Scratch folder of all tests. */
let root: string;
let folder: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "rolltape-damage-"));
  const directory = join(root, "original");
  const proxy = await Proxy.start({ storage: { directory } });
  const sessions = [];
  for (let i = 0; i < 5; i++) sessions.push(await recordBranches(proxy, `task-${i}`));
  const [held] = sessions;
  if (held) {
    await proxy.end(held);
    await proxy.post("/export_batch", { session_ids: [held.id], acknowledge: true });
  }
  await proxy.close();
  await fixLayout(directory);
  original = readFileSync(join(directory, "data.mdb"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  folder = mkdtempSync(join(root, "out-"));
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
});
afterEach(() => void vi.restoreAllMocks());

/**
 * Gives the file the same layout in every run: which pages a server's commits freed depends on how busy the machine was. Ends
 * with pages in use, and has free pages before them.
 */
async function fixLayout(directory: string): Promise<void> {
  await compactFolder(directory);
  const file = new LmdbFile({ path: join(directory, "data.mdb"), sync: false, readOnly: false });
  try {
    for (const table of TABLES) {
      const entries = [...file.range(table, Buffer.of())];
      for (const { key, value } of entries.slice(0, 1)) {
        file.commit([{ table, key: Buffer.from(key), value: Buffer.from(value) }]);
      }
    }
  } finally {
    await file.close();
  }
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
  using storage = OfflineStorage.open(directory);
  let problems = 0;
  verifySessions(storage, () => problems++);
  return problems;
}

/** Opens the file with LMDB after the checks of a server's start, and reads everything. Returns the number of entries. */
async function start(directory: string): Promise<number> {
  const path = join(directory, "data.mdb");
  await refuseDamagedFile(directory, path);
  await prepareDataFile(path);
  const file = new LmdbFile({ path, sync: false, readOnly: false });
  try {
    return TABLES.reduce((sum, table) => sum + [...file.range(table, Buffer.of())].length, 0);
  } finally {
    await file.close();
  }
}

function exportTo(directory: string, name: string): Promise<StorageExport | CodedError> {
  return attempt(() => exportStorage({ storage: directory, out: join(folder, name) }));
}

const count = (result: StorageExport | CodedError) =>
  result instanceof CodedError ? result.code : `${result.sessions} sessions, ${result.rows} rows`;

interface Outcome {
  readonly result: "intact" | "repaired" | "refused";
  /** What a command did that it must not do. */
  readonly defects: readonly string[];
}

/** Runs every command on a damaged folder. */
async function runAll(directory: string): Promise<Outcome> {
  const defects: string[] = [];
  const require = (isRight: boolean, defect: string) => void (isRight || defects.push(defect));
  const file = join(directory, "data.mdb");
  const damaged = readFileSync(file);
  const isSame = (name: string) => readFileSync(join(directory, name)).equals(damaged);

  const isIntact = (await attempt(() => verify(directory))) === 0;
  await attempt(() => inspectFolder(directory, { json: true }));
  const before = await exportTo(directory, "before");
  if (!isIntact) {
    const compacted = await attempt(() => compactFolder(directory));
    require(compacted instanceof CodedError, "compact copied a damaged file");
  }
  require(isSame("data.mdb"), "a command that reads changed the file");

  const started = await attempt(() => start(directory));
  require(!isIntact || typeof started === "number", `a file that verify accepts does not start: ${String(started)}`);
  // Opening a folder may change its file.
  writeFileSync(file, damaged);
  const compacted = await attempt(() => compactFolder(directory, { leaveOutDamaged: true }));
  if (compacted instanceof CodedError) {
    require(isSame("data.mdb"), "a refused compact changed the file");
    require(REFUSALS.test(compacted.message), compacted.message);
    return { result: "refused", defects };
  }
  require(isIntact || isSame("data.mdb.damaged"), "compact lost the damaged file");
  require(verify(directory) === 0, "the copy is damaged");
  const entries = await start(directory);
  require(!isIntact || entries === started, "the copy has other entries");
  const after = await exportTo(directory, "after");
  require(count(after) === count(before), `${count(before)} before, ${count(after)} after`);
  return { result: isIntact ? "intact" : "repaired", defects };
}

const REFUSALS = /has lost values that a server needs|has a file data\.mdb that cannot be read/;

function damage(change: (bytes: Buffer) => void): string {
  const directory = mkdtempSync(join(root, "damaged-"));
  const bytes = Buffer.from(original);
  change(bytes);
  writeFileSync(join(directory, "data.mdb"), bytes);
  return directory;
}

/** Returns the page with the newest meta page. */
function newestMeta(): number {
  const [first = 0n, second = 0n] = [0, 1].map((page) => original.readBigUInt64LE(page * PAGE + 152));
  return first > second ? 0 : 1;
}

/** Returns where the first node of each leaf page begins. */
function findFirstNodes(): number[] {
  const pages = Array.from({ length: original.length / PAGE }, (_, page) => page * PAGE);
  return pages
    .filter(
      (at) => original.readBigUInt64LE(at) === BigInt(at / PAGE) && (original.readUInt16LE(at + 18) & 0xfff) === LEAF,
    )
    .map((at) => at + HEADER_BYTES + original.readUInt16LE(at + HEADER_BYTES));
}

/** Returns the places of a text in pages. Free pages may have earlier copies of it. */
function findAll(text: string): number[] {
  const places: number[] = [];
  for (let at = original.indexOf(text); at >= 0; at = original.indexOf(text, at + 1)) places.push(at);
  return places;
}

function fillPages(bytes: Buffer, text: string, byte: number): void {
  for (const at of findAll(text)) bytes.fill(byte, at - (at % PAGE), at - (at % PAGE) + PAGE);
}

const KINDS: Readonly<Record<string, (bytes: Buffer) => void>> = {
  "a zeroed newest meta page": (bytes) => bytes.fill(0, newestMeta() * PAGE, (newestMeta() + 1) * PAGE),
  "another page size in the first meta page": (bytes) => bytes.writeUInt32LE(8192, 48),
  "a last page that is too high": (bytes) =>
    bytes.writeUInt8(bytes.readUInt8(newestMeta() * PAGE + 145) ^ 2, newestMeta() * PAGE + 145),
  "a wrong counter of leaf pages": (bytes) =>
    bytes.writeUInt8(bytes.readUInt8(newestMeta() * PAGE + 64) ^ 1, newestMeta() * PAGE + 64),
  "a transaction that went back": (bytes) => bytes.writeBigUInt64LE(2n, newestMeta() * PAGE + 152),
  "a map size that no machine has": (bytes) => bytes.writeBigUInt64LE(2n ** 62n, newestMeta() * PAGE + 40),
  "zeroed pages of records": (bytes) => fillPages(bytes, "a task-2", 0),
  "pages of heads filled with ones": (bytes) => fillPages(bytes, '"taskId":"task-1"', 0xff),
  "a changed message": (bytes) => {
    for (const at of findAll("b é 漢")) bytes.write("c", at);
  },
  "a changed value of the server": (bytes) => {
    for (const at of findAll('"workerTag"')) bytes.write("'", at);
  },
  "a zeroed second half": (bytes) => bytes.fill(0, original.length >> 1),
  "no pages but the meta pages": (bytes) => bytes.fill(0, 2 * PAGE),
  "both meta pages zeroed": (bytes) => bytes.fill(0, 0, 2 * PAGE),
  "text instead of LMDB": (bytes) => bytes.fill("rolltape "),
};

test.each(Object.entries(KINDS))("%s", async (_, change) => {
  const { result, defects } = await runAll(damage(change));
  expect(defects).toEqual([]);
  expect(result).not.toBe("intact");
});

test.each([0.1, 0.5, 0.9])("a file cut to %f of its length", async (part) => {
  const directory = damage(() => undefined);
  truncateSync(join(directory, "data.mdb"), Math.floor(original.length * part));
  const { result, defects } = await runAll(directory);
  expect(defects).toEqual([]);
  expect(result).not.toBe("intact");
});

test("a key without bytes", async () => {
  const found: string[] = [];
  const results = new Set<Outcome["result"]>();
  for (const node of findFirstNodes()) {
    const { result, defects } = await runAll(damage((bytes) => bytes.writeUInt16LE(0, node + 6)));
    results.add(result);
    found.push(...defects.map((defect) => `node ${node}: ${defect}`));
  }
  expect(found).toEqual([]);
  // Leaves with values of the server, with sessions, and free ones.
  expect([...results].sort()).toEqual(["intact", "refused", "repaired"]);
});

test("a bit flipped at random places", async () => {
  const results = { intact: 0, repaired: 0, refused: 0 };
  const found: string[] = [];
  let state = 20_261_123;
  const random = (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * limit);
  };
  for (let n = 0; n < FLIPS; n++) {
    // Every third flip in a meta page, whose counters have no checksum.
    const at = n % 3 === 0 ? random(2) * PAGE + random(META_BYTES) : random(original.length);
    const bit = random(8);
    const { result, defects } = await runAll(damage((bytes) => bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at)));
    results[result]++;
    found.push(...defects.map((defect) => `bit ${bit} of byte ${at}: ${defect}`));
  }
  expect(found).toEqual([]);
  expect(results.repaired).toBeGreaterThan(FLIPS / 10);
  expect(results.intact).toBeGreaterThan(FLIPS / 10);
});
