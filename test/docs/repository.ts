import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Paths of this file are relative to the repository root. */
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export function isInRepository(path: string): boolean {
  return existsSync(join(ROOT, path));
}

export function readRepositoryFile(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** Returns the files of these folders whose path matches. */
export function filesIn(folders: readonly string[], pattern: RegExp): string[] {
  return folders.filter(isInRepository).flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => pattern.test(path))
      .map((path) => `${folder}/${path}`),
  );
}

export function listFolders(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

export const PAGES: readonly string[] = filesIn(["docs"], /\.md$/);
