import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Folders that git ignores and tests need. In a worktree they may be links, which git does not ignore. */
const LINKED = ["node_modules", "build"];

/**
 * Copies the working tree to a temporary folder, without what git ignores: mutants are written there only.
 *
 * @returns the folder and a function that removes it
 */
export function copyTree(root: string): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-mutation-"));
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  for (const file of listed.split("\0")) {
    if (file !== "" && !LINKED.includes(file) && existsSync(join(root, file)))
      cpSync(join(root, file), join(folder, file));
  }
  for (const name of LINKED) if (existsSync(join(root, name))) symlinkSync(join(root, name), join(folder, name));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
