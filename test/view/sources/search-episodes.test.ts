import { expect, it } from "vitest";
import type { FileAccess } from "../../../src/support/file-access.js";
import { searchEpisodes } from "../../../src/view/sources/search-episodes.js";

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

it("ends when the signal aborts, and closes the file", async () => {
  const { search, counts } = open(["{}"]);
  await expect(search("a", AbortSignal.abort(new Error("no longer")))).rejects.toThrow("no longer");
  expect(counts).toEqual({ reads: 0, open: 0 });
});
