import { afterEach, expect, it, vi } from "vitest";
import type { FileAccess } from "../../../src/support/file-access.js";
import { searchEpisodes } from "../../../src/view/sources/search-episodes.js";
import { episode } from "../../transcript/lines.js";

afterEach(() => {
  vi.restoreAllMocks();
});

/** A file in memory, and the number of times that it is read. */
function open(lines: readonly string[]) {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  const counts = { reads: 0, open: 0 };
  const files: FileAccess = {
    find: async () => undefined,
    async open() {
      counts.open++;
      return {
        async read(into, offset, length, position) {
          counts.reads++;
          return { bytesRead: bytes.copy(into, offset, position, position + length) };
        },
        stat: async () => ({ size: bytes.length, ino: 1, mtimeMs: 0 }),
        close: async () => void counts.open--,
      };
    },
  };
  let offset = 0;
  const places = lines.map((line) => {
    const place = { offset, length: Buffer.byteLength(line) };
    offset += place.length + 1;
    return place;
  });
  const search = (text: string, signal = new AbortController().signal) =>
    searchEpisodes(files, "x", places, text, signal);
  return { search, counts };
}

it("reads only the lines that may contain the text", async () => {
  const { search, counts } = open(Array.from({ length: 100 }, (_, at) => `{"type":"other","text":"Line ${at}."}`));
  expect(await search("é absent é")).toEqual({ episodes: [], complete: true });
  expect(counts).toEqual({ reads: 1, open: 0 });
  await search("line 7.");
  expect(counts).toEqual({ reads: 3, open: 0 });
});

const LINE = JSON.stringify(episode({ task_id: "The task" }));

it("finds the lines of episodes that contain the text, and no others", async () => {
  const other = JSON.stringify(episode({ task_id: "another" }));
  const { search } = open([LINE, other, "The task", '{"type":"step","text":"the task"}', LINE]);
  expect(await search("THE Task")).toEqual({ episodes: [0, 4], complete: true });
  expect(await search("")).toEqual({ episodes: [], complete: true });
});

it("returns at most 10,000 episodes, and says that there may be more", async () => {
  vi.spyOn(performance, "now").mockReturnValue(0);
  const { search, counts } = open(Array.from({ length: 10_001 }, () => LINE));
  const { episodes, complete } = await search("the task");
  expect([episodes.length, episodes.at(-1), complete]).toEqual([10_000, 9999, false]);
  expect(counts.open).toBe(0);
});

it("returns what it has found after two seconds", async () => {
  const now = vi.spyOn(performance, "now");
  for (const time of [5, 5, 2005, 2006]) now.mockReturnValueOnce(time);
  expect(await open([LINE, LINE, LINE, LINE]).search("the task")).toEqual({ episodes: [0, 1], complete: false });
});

it("ends when the signal aborts, and closes the file", async () => {
  const { search, counts } = open(["{}"]);
  await expect(search("a", AbortSignal.abort(new Error("no longer")))).rejects.toThrow("no longer");
  expect(counts).toEqual({ reads: 0, open: 0 });
});
