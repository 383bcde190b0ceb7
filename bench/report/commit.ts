import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { z } from "zod";

export const commitSchema = z.object({
  id: z.string(),
  /** True if files that can affect a benchmark differ from the commit. */
  changed: z.boolean(),
});

/** The commit that a benchmark measured. */
export type Commit = z.infer<typeof commitSchema>;

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ID_LENGTH = 8;
/** Written from the results of benchmarks. They affect none. */
const WRITTEN = ["bench/results", "docs"];

/** Returns the commit of the working tree; null if it is not a Git repository, or Git is missing. */
export function readCommit(): Commit | null {
  try {
    const id = git("rev-parse", `--short=${ID_LENGTH}`, "HEAD");
    const changes = git("status", "--porcelain", "--", ".", ...WRITTEN.map((path) => `:(exclude)${path}`));
    return { id, changed: changes !== "" };
  } catch {
    return null;
  }
}

export function formatCommit(commit: Commit | null): string {
  return commit === null ? "commit not recorded" : `commit ${commit.id}${commit.changed ? " + changes" : ""}`;
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}
