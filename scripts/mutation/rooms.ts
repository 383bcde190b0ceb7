import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Test folders of rooms that are tested in other folders too. */
const TESTED_ALSO: Readonly<Record<string, readonly string[]>> = {
  "batch-file": ["test/view", "test/cli/inspect"],
  session: ["test/server"],
  server: ["test/client"],
  protocols: ["test/server", "test/e2e/clients"],
  http: ["test/server", "test/gateway"],
  "admin-api": ["test/server", "test/gateway", "test/client"],
  "model/output": ["test/model"],
  support: ["test/config", "test/http", "test/session", "test/client"],
  view: ["test/server/ui", "test/cli/view"],
  storage: ["test/session/stored", "test/server/storage", "test/cli/storage"],
};

/** Folders whose slow tests start programs or servers of this room: a session or a folder that was stored is read by another process. */
const SLOW_ALSO: Readonly<Record<string, readonly string[]>> = {
  session: ["test/server/storage", "test/cli/storage"],
  storage: ["test/server/storage", "test/cli/storage"],
};

/** The folders of C++ that GoogleTest tests. The addon's own files are tested by `test/native` only. */
export const NATIVE_ROOMS: readonly string[] = ["native/core", "native/memory"];

export interface Room {
  readonly name: string;
  /** Relative to the repository, like the tests. */
  readonly sources: readonly string[];
  /**
   * Test files in groups: those of its own folder, those of other folders, and slow ones, its own first. A mutant that one group
   * does not notice is tried with the next. Empty for a room of C++: its tests are one program.
   */
  readonly tests: readonly (readonly string[])[];
}

/** Lists the names of all rooms: the folders of `src`, and those of C++. */
export function listRooms(root: string): string[] {
  const folders = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [...folders.map(({ name }) => name).toSorted(), ...NATIVE_ROOMS];
}

/** @throws Error if there is no such folder in `src` or `native`, or it has no tests */
export function findRoom(root: string, name: string): Room {
  const native = NATIVE_ROOMS.find((room) => name === room || name.startsWith(`${room}/`));
  const folder = native === undefined ? join("src", name) : name;
  if (!existsSync(join(root, folder))) {
    throw new Error(`\`ROOM\` must be a folder of src, or in ${NATIVE_ROOMS.join(" or ")}; received "${name}".`);
  }
  if (native !== undefined) return { name, sources: filesIn(root, folder, [".cc", ".h"]), tests: [] };
  const own = filesIn(root, join("test", name), [".test.ts"]);
  const others = (TESTED_ALSO[name] ?? []).flatMap((each) => filesIn(root, each, [".test.ts"]));
  const quick = own.filter((file) => !isSlow(file));
  const slow = [...own, ...(SLOW_ALSO[name] ?? []).flatMap((each) => filesIn(root, each, [".test.ts"]))].filter(isSlow);
  const tests = [quick, others.filter((file) => !isSlow(file) && !quick.includes(file)), slow];
  if (tests.flat().length === 0) throw new Error(`No tests of src/${name} are in ${join("test", name)}.`);
  return { name, sources: filesIn(root, folder, [".ts"]), tests };
}

const isSlow = (file: string): boolean => file.endsWith(".slow.test.ts");

function filesIn(root: string, folder: string, endings: readonly string[]): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => endings.some((ending) => file.endsWith(ending)) && !file.endsWith(".d.ts"))
    .map((file) => join(folder, file))
    .toSorted();
}
