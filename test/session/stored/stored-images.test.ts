import { expect, test } from "vitest";
import type { PlacedImage } from "../../../src/conversation/content.js";
import type { Message } from "../../../src/conversation/message.js";
import type { Session } from "../../../src/session/session.js";
import { SessionRegistry } from "../../../src/session/session-registry.js";
import { writeSessions } from "../../../src/session/stored/file/write-sessions.js";
import { decodeImages, encodeImages } from "../../../src/session/stored/image-record.js";
import { recordKey } from "../../../src/session/stored/keys.js";
import { readHeads, readOffline } from "../../../src/session/stored/offline-sessions.js";
import { SessionRecords } from "../../../src/session/stored/session-records.js";
import type { StoredProblem } from "../../../src/session/stored/stored-problem.js";
import { verifySessions } from "../../../src/session/stored/verify-sessions.js";
import { compactStorage, Storage, StorageReader } from "../../../src/storage/index.js";
import { runAtOnce } from "../../../src/support/async/steps.js";
import { changeStored, flipBit, newFolder } from "../../cli/storage/stored-sessions.js";
import { digestOf, makePng } from "../../helpers/images.js";
import { recordTurn } from "../../helpers/record-turn.js";
import { readSessionsFile } from "../../helpers/sessions-file.js";

/** The files of images in a storage folder. */

const DARK = Uint8Array.from(makePng(4, 3, 30));
const LIGHT = Uint8Array.from(makePng(300, 200, 255));
const files = new Map([DARK, LIGHT].map((file) => [digestOf(file), file]));

const place = (file: Uint8Array, offset: number): PlacedImage => ({
  sha256: digestOf(file),
  mediaType: "image/png",
  width: file === DARK ? 4 : 300,
  height: file === DARK ? 3 : 200,
  offset,
  length: 2,
});

const asks = (content: string): Message => ({ role: "user", content });
const says = (content: string): Message => ({ role: "assistant", content });

/** Records three calls: with a red image, with both, and with the same two. */
function recordImages(session: Session): void {
  const messages: Message[] = [];
  const prompts: [ids: number[], images: PlacedImage[]][] = [
    [[1, 9, 9], [place(DARK, 1)]],
    [
      [1, 9, 9, 2, 9, 9],
      [place(DARK, 1), place(LIGHT, 4)],
    ],
    [
      [1, 9, 9, 2, 9, 9, 3],
      [place(DARK, 1), place(LIGHT, 4)],
    ],
  ];
  for (const [index, [ids, images]] of prompts.entries()) {
    messages.push(asks(`question ${index}`));
    const prompt = { pieces: [Int32Array.from(ids)], images };
    recordTurn(session, { messages: [...messages] }, { output: [says("ok")], images: files }, prompt);
    messages.push(says("ok"));
  }
}

async function withRegistry<T>(
  directory: string,
  use: (registry: SessionRegistry, storage: Storage) => Promise<T>,
): Promise<T> {
  const storage = await Storage.open({ directory, durability: "call" });
  const records = new SessionRecords(storage);
  const registry = new SessionRegistry({
    adminKey: "sk-admin-0123456789",
    timeoutMilliseconds: 60_000,
    retention: { milliseconds: 60_000, bytes: 1e9 },
    records,
    digestKey: new Uint8Array(16),
  });
  registry.restore();
  try {
    return await use(registry, storage);
  } finally {
    await records.committed();
    await storage.close();
  }
}

/** Leaves a session with images in a folder. Returns its id. */
const leaveImages = (directory: string): Promise<string> =>
  withRegistry(directory, (registry) => {
    registry.grant(1);
    const { session } = registry.start({});
    recordImages(session);
    session.end();
    return Promise.resolve(session.id);
  });

const IMAGES = [[place(DARK, 1)], [place(DARK, 1), place(LIGHT, 4)], [place(DARK, 1), place(LIGHT, 4)]];

function expectImages(session: Session): void {
  const images = [0, 1, 2].map((index) => session.interaction(index).images);
  expect(images).toEqual(IMAGES);
  expect(images[2]).toBe(images[1]);
  expect(images[1]?.[0]).toBe(images[0]?.[0]);
  for (const [sha256, file] of files) expect(session.imageFile(sha256)).toEqual(file);
}

test("a restarted server has the images of a session and their files", async () => {
  const directory = newFolder();
  const id = await leaveImages(directory);
  await withRegistry(directory, async (registry) => {
    const session = registry.get(id);
    expect(session.imageFile(digestOf(DARK))).toBeUndefined();
    await registry.wake(session);
    expectImages(session);
    const { bytes } = session.data.size;
    session.data.unload();
    expect(session.data.size.bytes).toBeLessThan(bytes - LIGHT.length - DARK.length);
    expect(session.imageFile(digestOf(DARK))).toBeUndefined();
    await registry.wake(session);
    expectImages(session);
    expect(session.data.size.bytes).toBe(bytes);
  });
});

test("each file is written once, before the first interaction that shows it, and removed with the session", async () => {
  await withRegistry(newFolder(), async (registry, storage) => {
    registry.grant(1);
    const { session } = registry.start({});
    recordImages(session);
    await registry.flushed();
    const read = (index: number) => storage.get("records", recordKey(0, "images", index));
    expect(read(0)).toEqual(encodeImages([{ sha256: digestOf(DARK), bytes: DARK }]));
    expect(read(1)).toEqual(encodeImages([{ sha256: digestOf(LIGHT), bytes: LIGHT }]));
    expect(read(2)).toBeUndefined();
    session.free("expired");
    await registry.flushed();
    expect([...storage.keys("records")]).toEqual([]);
  });
});

test("a compacted folder has them, and offline commands read them", async () => {
  const directory = newFolder();
  await leaveImages(directory);
  {
    using storage = StorageReader.openForChange(directory);
    await compactStorage(storage, { keepOriginal: false });
  }
  using storage = StorageReader.open(directory);
  for (const head of readHeads(storage, () => undefined)) expectImages(readOffline(storage, head));
  const problems: StoredProblem[] = [];
  expect(verifySessions(storage, (problem) => problems.push(problem)).sessions).toBe(1);
  expect(problems).toEqual([]);
});

test.each([false, true])("a sessions file has them, also with only what a batch needs (%s)", async (forBatch) => {
  await withRegistry(newFolder(), async (registry) => {
    registry.grant(2);
    const sessions = [registry.start({}).session, registry.start({}).session];
    for (const session of sessions) recordImages(session);
    const chunks: Buffer[] = [];
    for await (const chunk of writeSessions(sessions, undefined, { forBatch })) chunks.push(chunk);
    const read = await readSessionsFile(Buffer.concat(chunks));
    expect(read).toHaveLength(2);
    for (const { session } of read) expectImages(session);
    const [first, second] = read.map(({ session }) => session.imageFile(digestOf(LIGHT)));
    expect(second).toBe(first);
  });
});

async function verifyDamaged(change: Parameters<typeof changeStored>[1]) {
  const directory = newFolder();
  const id = await leaveImages(directory);
  await changeStored(directory, change);
  using storage = StorageReader.open(directory);
  const problems: StoredProblem[] = [];
  const { damaged } = verifySessions(storage, (problem) => problems.push(problem));
  return { id, directory, problems, damaged: [...damaged.sessions] };
}

test("a session with a damaged file is damaged, and its record is named", async () => {
  const { id, directory, problems, damaged } = await verifyDamaged((storage) => [
    flipBit(storage, "records", recordKey(0, "images", 1)),
  ]);
  expect(problems).toEqual([{ what: `images 1 of session ${id}`, reason: "its checksum is wrong" }]);
  expect(damaged).toEqual([0]);
  await withRegistry(directory, async (registry) => {
    const message = `Session ${id} is damaged: images 1: its checksum is wrong.`;
    await expect(registry.wake(registry.get(id))).rejects.toMatchObject({ code: "session_damaged", message });
  });
});

test("a session without the file of one of its images is damaged, and the interaction that shows it first is named", async () => {
  const { id, problems, damaged } = await verifyDamaged(() => [
    { table: "records", key: recordKey(0, "images", 1), value: undefined },
  ]);
  const reason = `the file of image ${digestOf(LIGHT)} is missing`;
  expect(problems).toEqual([{ what: `interaction 1 of session ${id}`, reason, dependents: 1 }]);
  expect(damaged).toEqual([0]);
});

test("a record of files is refused if any bit of it is changed, or if its end is missing", () => {
  const record = encodeImages([DARK, LIGHT].map((bytes) => ({ sha256: digestOf(bytes), bytes })));
  const read = (bytes: Buffer) => runAtOnce(decodeImages(bytes));
  expect(read(record)).toEqual([DARK, LIGHT].map((bytes) => ({ sha256: digestOf(bytes), bytes })));
  for (let bit = 0; bit < 8 * record.length; bit += 7) {
    const changed = Buffer.from(record);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => read(changed)).toThrow(/^its checksum is wrong$|^it is truncated$/);
  }
  for (let length = record.length - 1; length > record.length - LIGHT.length - 36; length--)
    expect(() => read(record.subarray(0, length))).toThrow("it is truncated");
});
