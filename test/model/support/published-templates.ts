import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const LLAMA = join(ROOT, "node_modules/node-llama-cpp/llama");

/**
 * Returns the chat template of a published model.
 *
 * The templates belong to the models' authors, so they are not in this repository. llama.cpp collects them in
 * `models/templates`, and node-llama-cpp, a development dependency, ships llama.cpp as a git bundle.
 *
 * @param name file name without `.jinja`, a key of test/fixtures/conversation/jinja/published.digests.json
 */
export function publishedTemplate(name: string): string {
  folder ??= extractedFolder();
  return readFileSync(join(folder, `${name}.jinja`), "utf8");
}

let folder: string | undefined;

/** Extracts the templates on first use and keeps them below node_modules, because unpacking takes seconds. */
function extractedFolder(): string {
  const { tag } = JSON.parse(readFileSync(join(LLAMA, "llama.cpp.info.json"), "utf8")) as { tag: string };
  const target = join(ROOT, "node_modules/.cache/rolltape", `chat-templates-${tag}`);
  if (existsSync(target)) return target;
  mkdirSync(dirname(target), { recursive: true });
  const scratch = mkdtempSync(`${target}-`);
  try {
    const repository = join(scratch, "llama.cpp.git");
    git("clone", "--quiet", "--bare", join(LLAMA, "gitRelease.bundle"), repository);
    git(`--git-dir=${repository}`, `--work-tree=${scratch}`, "checkout", "--quiet", "HEAD", "--", "models/templates");
    renameUnlessThere(join(scratch, "models/templates"), target);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return target;
}

/** Renames a folder, unless another test process has extracted the same templates in the meantime. */
function renameUnlessThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}

/** Runs git without the variables that a surrounding git hook sets: they name another repository and its index. */
function git(...args: string[]): void {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
  execFileSync("git", args, { env, stdio: ["ignore", "ignore", "inherit"] });
}
