import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { tableRows } from "../helpers/page.js";
import { filesIn, listFolders, readRepositoryFile } from "./repository.js";

const FOLDER = "src/model/output";
const BELOW = "all rooms below";
const ROOMS = listFolders(FOLDER);

/** Returns the modules that the files of a folder import, relative to src/model/output. */
function readImports(folder: string): string[] {
  return filesIn([folder], /\.ts$/).flatMap((file) =>
    [...readRepositoryFile(file).matchAll(/from "(\.[^"]+)"/g)].map(([, path = ""]) =>
      posix.relative(FOLDER, posix.join(posix.dirname(file), path)),
    ),
  );
}

/** The table of the README: what each room may import, in the order of its rows. */
function readTable(): Map<string, string[]> {
  const rows = tableRows(readRepositoryFile(`${FOLDER}/README.md`), "| room | what | may import |").map((row) => {
    const [room = "", , imports = ""] = row.slice(2, -2).split(" | ");
    return { room: room.replaceAll(/[`/]/g, ""), imports };
  });
  const names = rows.map(({ room }) => room);
  return new Map(
    rows.map(({ room, imports }, index) => [
      room,
      imports === BELOW ? names.slice(index + 1) : [...imports.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
    ]),
  );
}

describe("src/model/output/README.md", () => {
  const table = readTable();

  it("lists each room once", () => {
    expect([...table.keys()].toSorted()).toEqual(ROOMS.toSorted());
  });

  it.each(ROOMS)("lists what %s imports from other rooms", (room) => {
    const folders = readImports(`${FOLDER}/${room}`).map((path) => path.split("/", 1)[0] ?? "");
    const imported = new Set(ROOMS.filter((other) => other !== room && folders.includes(other)));
    expect([...imported].filter((other) => !table.get(room)?.includes(other))).toEqual([]);
  });

  it("says what the folder imports from outside", () => {
    const outside = readImports(FOLDER).filter((path) => path.startsWith("../"));
    expect(new Set(outside.map((path) => path.replace(/^(\.\.\/\.\.\/conversation)\/.*/, "$1")))).toEqual(
      new Set(["../../conversation", "../tokenizer/added-token.js"]),
    );
  });
});
