import { copyFileSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openPath } from "../../../src/view/sources/find-source.js";
import { temporaryFolder } from "../../cli/rolltape.js";
import { encode, episode, RUN } from "../../transcript/lines.js";
import { oneBatch } from "../one-batch.js";

/** A folder with batches, the oldest first. */
async function createFolder(...names: string[]): Promise<string> {
  const folder = temporaryFolder();
  const batch = await oneBatch();
  for (const [at, name] of names.entries()) {
    writeFileSync(join(folder, name), batch);
    utimesSync(join(folder, name), at + 1, at + 1);
  }
  return folder;
}

async function show(path: string, notices?: readonly string[]) {
  await using source = await openPath(path, notices ? { notices } : {});
  const { name, notices: shown } = await source.overview();
  return { name, notices: shown };
}

it("opens the newest tensor file of a folder without transcripts, and names the others", async () => {
  const folder = await createFolder("b.safetensors", "c.safetensors", "a.safetensors", "d.txt");
  writeFileSync(join(folder, "tasks.jsonl"), '{"question":"1+1?"}\n');
  const { name, notices } = await show(folder, ["first"]);
  expect(name).toBe("a.safetensors");
  expect(notices).toContain("This is the newest file of the folder. Others: c.safetensors, b.safetensors.");
  expect(notices).toContain("first");
});

it("opens the first by name of files of the same time, and names at most ten others", async () => {
  const names = ["e", "a", "k", "c", "h", "b", "j", "d", "g", "f", "i"].map((name) => `${name}.safetensors`);
  const folder = await createFolder(...names);
  for (const name of names) utimesSync(join(folder, name), 9, 9);
  const others = names.toSorted().slice(1).join(", ");
  const shown = await show(folder);
  expect(shown.name).toBe("a.safetensors");
  expect(shown.notices).toContain(`This is the newest file of the folder. Others: ${others}.`);
  copyFileSync(join(folder, "a.safetensors"), join(folder, "A.safetensors"));
  mkdirSync(join(folder, "folder.safetensors"));
  symlinkSync(join(folder, "nothing"), join(folder, "link.safetensors"));
  const more = await show(folder);
  expect(more.name).toBe("A.safetensors");
  expect(more.notices.join()).toContain(", j.safetensors and 1 more.");
});

it("opens the transcript of a folder that also has a tensor file of another job", async () => {
  const folder = await createFolder("b.safetensors");
  const { transcript, index } = encode([RUN, episode()]);
  writeFileSync(join(folder, "a.jsonl"), transcript);
  writeFileSync(join(folder, "a.jsonl.index"), index);
  utimesSync(join(folder, "a.jsonl"), 0, 0);
  expect((await show(folder)).name).toBe("a.jsonl");
});

it("says nothing of others if there is one file", async () => {
  const folder = await createFolder("b.safetensors");
  const { name, notices } = await show(folder);
  expect([name, notices.filter((notice) => notice.includes("newest"))]).toEqual(["b.safetensors", []]);
});

it.each([
  ["whose eighth byte is 0", [1, 2, 3, 4, 5, 6, 7, 0, 8, 9]],
  ["whose ninth byte is a brace", [...Buffer.from("12345678{}")]],
  ["of eight bytes", [1, 2, 3, 4, 5, 6, 7, 0]],
])("takes a file %s for no tensor file", async (_, bytes) => {
  const path = join(temporaryFolder(), "a");
  writeFileSync(path, Buffer.from(bytes));
  await expect(openPath(path)).rejects.toMatchObject({ code: "not_a_transcript" });
});

it("says why a folder has nothing to view", async () => {
  const folder = await createFolder();
  await expect(openPath(folder)).rejects.toMatchObject({
    code: "nothing_to_view",
    message: `${folder} has no transcript (.jsonl) and no tensor file (.safetensors).`,
  });
  writeFileSync(join(folder, "tasks.jsonl"), '{"question":"1+1?"}\n');
  await expect(openPath(folder)).rejects.toMatchObject({ code: "not_a_transcript" });
  await expect(openPath(join(folder, "none"))).rejects.toThrow(/none cannot be read: Error: ENOENT/);
  await expect(openPath("/dev/null")).rejects.toThrow("/dev/null is neither a file nor a folder.");
});
