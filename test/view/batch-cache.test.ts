import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FileAccess, LOCAL_FILES } from "../../src/support/file-access.js";
import { BatchCache, isFileName } from "../../src/view/tokens/batch-cache.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { oneBatch } from "./one-batch.js";

/** A folder with batches, and a cache that notes what it opens and closes. */
async function open(count: number) {
  const folder = temporaryFolder();
  const bytes = await oneBatch();
  const write = (name: string) => writeFileSync(join(folder, name), bytes);
  for (let number = 0; number < count; number++) write(`${number}`);
  const events: string[] = [];
  const asked: unknown[] = [];
  const files: FileAccess = {
    find: (inside, name) => LOCAL_FILES.find(inside, name),
    async open(path) {
      asked.push(path);
      const [name, file] = [path.slice(-1), await LOCAL_FILES.open(path)];
      events.push(`open ${name}`);
      const close = () => (events.push(`close ${name}`), file.close());
      return { read: file.read.bind(file), stat: file.stat.bind(file), close };
    },
  };
  const cache = new BatchCache(files, folder);
  const use = (...names: string[]) => cache.use(names, async (batches) => batches.length);
  return { folder, write, events, asked, cache, use };
}

describe("the batches of a run", () => {
  it("stay open for the next use, at most four of them: the one that was not used for longest is closed", async () => {
    const { events, use, cache } = await open(5);
    expect(await use("0", "1")).toBe(2);
    expect(await use("2", "3")).toBe(2);
    expect(await use("0")).toBe(1);
    expect(events.splice(0).toSorted()).toEqual(["open 0", "open 1", "open 2", "open 3"]);
    await use("4");
    expect(events.splice(0)).toEqual(["open 4", "close 1"]);
    await use("1", "0");
    expect(events.splice(0)).toEqual(["open 1", "close 2"]);
    await cache[Symbol.asyncDispose]();
    expect(events.splice(0).toSorted()).toEqual(["close 0", "close 1", "close 3", "close 4"]);
    await cache[Symbol.asyncDispose]();
    expect(events).toEqual([]);
  });

  it("are not closed while they are used", async () => {
    const { events, use, cache } = await open(6);
    const names = ["0", "1", "2", "3", "4", "5"];
    await cache.use(names, async (batches) => {
      expect(batches).toHaveLength(6);
      await use("0");
      expect(events.filter((event) => event.startsWith("close"))).toEqual([]);
    });
    expect(events.filter((event) => event.startsWith("close"))).not.toEqual([]);
    await cache[Symbol.asyncDispose]();
    expect(events.filter((event) => event.startsWith("close"))).toHaveLength(
      events.filter((event) => event.startsWith("open")).length,
    );
  });

  it("are looked for again if they were missing or cannot be read", async () => {
    const { folder, write, use, cache, events, asked } = await open(1);
    writeFileSync(join(folder, "8"), "no tensors");
    // Calls that come together, too.
    expect(await Promise.all([use("0", "8", "9", "../0"), use("8", "9"), use("8")])).toEqual([1, 0, 0]);
    expect(asked).toEqual([join(folder, "0"), join(folder, "8")]);
    write("8");
    write("9");
    expect(await use("0", "8", "9")).toBe(3);
    expect([await cache.find("9"), await cache.find("x"), await cache.find("../0")]).toEqual([
      expect.stringMatching(/\/9$/),
      undefined,
      undefined,
    ]);
    await cache[Symbol.asyncDispose]();
    // The one that could not be read, too.
    expect(events.toSorted()).toEqual([
      "close 0",
      "close 8",
      "close 8",
      "close 9",
      "open 0",
      "open 8",
      "open 8",
      "open 9",
    ]);
  });

  it.each([
    ["a", true],
    ["a.b-c d", true],
    ["...", true],
    ["", false],
    [".", false],
    ["..", false],
    ["a/b", false],
    ["a\\b", false],
    ["a\0b", false],
    ["a\n/b", false],
  ])("may have the name %j: %s", (name, isName) => {
    expect(isFileName(name)).toBe(isName);
  });
});
