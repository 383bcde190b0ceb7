import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BatchFile } from "../../../src/batch-file/batch-file.js";
import { exportFrom } from "../../../src/cli/export/export-from.js";
import { writeExport } from "../../../src/cli/export/write-export.js";
import { type BatchOptionsInput, batchOptionsSchema } from "../../../src/session/batch/batch-options.js";
import { Session } from "../../../src/session/session.js";
import { LocalSession } from "../../../src/session/trajectory-store.js";
import { digestOf, makePng } from "../../helpers/images.js";
import { turn, user } from "../../helpers/turn.js";
import { newFolder } from "../storage/stored-sessions.js";

/** `rolltape export --image-bytes files`: the image files of a batch, in a folder beside it. */

const DARK = makePng(4, 3, 30);
const LIGHT = makePng(8, 6, 255);
const NAMES = [DARK, LIGHT].map((file) => `${digestOf(file)}.png`);
const ALL = Object.fromEntries([DARK, LIGHT].map((file, i) => [NAMES[i], file]));

const SESSION = recordSession();

/** Records a session that shows one image twice, and another. */
function recordSession(): Session {
  const session = new Session({ id: "s", taskId: "task" });
  for (const [index, file] of [DARK, LIGHT, DARK].entries()) {
    const images = [{ offset: 0, length: 2, bytes: file }];
    new LocalSession(session).record({ ...turn([user(String(index))], [9, 9, index], [7]), images });
  }
  session.end();
  return session;
}

async function write(out: string, options: BatchOptionsInput): Promise<string> {
  await writeExport(out, [SESSION], batchOptionsSchema.parse(options), undefined);
  return out;
}

/** Returns the files of the folder by name. */
function readFolder(batch: string): Record<string, Buffer> {
  const folder = `${batch}.images`;
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
}

const newBatch = (): string => join(newFolder(), "batch.safetensors");

test("writes each file once, and not again in another export", async () => {
  const out = await write(newBatch(), { imageBytes: "files" });
  expect(readFolder(out)).toEqual(ALL);
  const [kept = "", damaged = ""] = NAMES.map((name) => join(`${out}.images`, name));
  utimesSync(kept, 1, 1);
  writeFileSync(damaged, LIGHT.subarray(0, 9));
  await write(out, { imageBytes: "files" });
  expect(readFolder(out)).toEqual(ALL);
  expect(statSync(kept).mtimeMs).toBe(1000);
});

test("a batch without images has no folder", async () => {
  const out = await write(newBatch(), { imageBytes: "files", maxLength: 1, overflow: "truncate" });
  expect(() => readFolder(out)).toThrow("ENOENT");
});

test.each([{}, { layout: "packed" }] as const)("the images of a batch are moved to files (%j)", async (options) => {
  const from = await write(newBatch(), {});
  const out = newBatch();
  await exportFrom({ from, out, imageBytes: "files", ...options });
  const direct = await write(newBatch(), { imageBytes: "files", ...options });
  expect(readFileSync(out).equals(readFileSync(direct))).toBe(true);
  expect(readFolder(out)).toEqual(ALL);
});

test("a batch with files keeps them in another layout", async () => {
  const from = await write(newBatch(), { imageBytes: "files" });
  const out = newBatch();
  await exportFrom({ from, out, layout: "packed" });
  expect(readFolder(out)).toEqual(ALL);
  expect(BatchFile.fromBytes(readFileSync(out)).names).not.toContain("image_bytes");
});

test("refuses to make a tensor of files without the records of the sessions", async () => {
  const from = await write(newBatch(), { imageBytes: "files" });
  const exported = exportFrom({ from, out: newBatch(), imageBytes: "tensor" });
  await expect(exported).rejects.toThrow("--image-bytes needs the records of the sessions");
});

test.each([
  ["is missing", (path: string) => rmSync(path), "cannot be read: ENOENT"],
  ["was changed", (path: string) => writeFileSync(path, LIGHT), "does not have the SHA-256 of its name"],
])("an export from a batch fails if a file %s", async (_, damage, message) => {
  const from = await write(newBatch(), { imageBytes: "files" });
  damage(join(`${from}.images`, NAMES[0] ?? ""));
  await expect(exportFrom({ from, out: newBatch(), layout: "packed" })).rejects.toThrow(message);
});

test("fails the export and leaves no batch if a file cannot be written", async () => {
  const out = newBatch();
  mkdirSync(join(`${out}.images`, NAMES[0] ?? ""), { recursive: true });
  await expect(write(out, { imageBytes: "files" })).rejects.toThrow("cannot be written");
  expect(() => readFileSync(out)).toThrow("ENOENT");
});
