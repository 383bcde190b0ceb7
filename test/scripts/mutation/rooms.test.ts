import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { equivalents, MAX_EQUIVALENTS } from "../../../scripts/mutation/equivalents.js";
import { findRoom, listRooms } from "../../../scripts/mutation/rooms.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const rooms = listRooms(ROOT).map((name) => findRoom(ROOT, name));

it.each(rooms.map((room) => [room.name, room] as const))("%s has sources, and tests unless it is C++", (name, room) => {
  expect(room.sources).not.toEqual([]);
  expect(room.tests.length === 0).toBe(name.startsWith("native/"));
});

it("a folder inside a room is a room", () => {
  expect(findRoom(ROOT, "native/core/session").sources).toContain("native/core/session/session.cc");
  expect(() => findRoom(ROOT, "nothing")).toThrow('received "nothing"');
});

it("a room's own quick tests come first, and slow ones last", () => {
  const [own, others, slow] = findRoom(ROOT, "session").tests;
  expect(own).toContain("test/session/delivery/attempts.test.ts");
  expect(others).toContain("test/server/export.test.ts");
  expect(slow).toContain("test/session/export/export-batch.slow.test.ts");
  expect(slow).toContain("test/cli/storage/verify-sessions.slow.test.ts");
  expect([...(own ?? []), ...(others ?? [])].filter((file) => file.includes(".slow."))).toEqual([]);
});

describe("equivalent mutants", () => {
  it.each(rooms.map(({ name, sources }) => [name, sources] as const))("are few in %s", (_, sources) => {
    const own = equivalents.filter(({ file }) => sources.includes(file));
    expect(own.length).toBeLessThanOrEqual(MAX_EQUIVALENTS);
  });

  it("are of lines that the sources have", () => {
    for (const { file, source } of equivalents) {
      const lines = readFileSync(`${ROOT}/${file}`, "utf8").split("\n");
      expect(lines.map((line) => line.trim())).toContain(source);
    }
  });
});
