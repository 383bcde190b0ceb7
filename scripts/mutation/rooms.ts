import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Test folders of rooms that are tested in other folders too. */
const TESTED_ALSO: Readonly<Record<string, readonly string[]>> = {
  session: ["test/server"],
  server: ["test/client"],
  protocols: ["test/server", "test/e2e/clients"],
  http: ["test/server", "test/gateway"],
  control: ["test/server", "test/gateway", "test/client"],
  "model/output": ["test/model"],
};

export interface Room {
  readonly name: string;
  /** Relative to the repository, like the tests. */
  readonly sources: readonly string[];
  readonly tests: readonly string[];
}

/** @throws Error if there is no such folder in `src`, or it has no tests */
export function findRoom(root: string, name: string): Room {
  const folder = join("src", name);
  if (!existsSync(join(root, folder))) throw new Error(`\`ROOM\` must be a folder of src; received "${name}".`);
  const testFolders = [join("test", name), ...(TESTED_ALSO[name] ?? [])];
  const tests = new Set(testFolders.flatMap((each) => filesIn(root, each, ".test.ts")));
  if (tests.size === 0) throw new Error(`No tests of src/${name} are in ${testFolders.join(", ")}.`);
  return { name, sources: filesIn(root, folder, ".ts"), tests: [...tests] };
}

function filesIn(root: string, folder: string, ending: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(ending) && !file.endsWith(".d.ts"))
    .map((file) => join(folder, file))
    .toSorted();
}
