import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty home, an empty Git repository and an empty folder for temporary files. They are removed when the test ends. */
export class Workspace {
  readonly home: string;
  readonly project: string;
  readonly temporary: string;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), "rolltape-program-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    this.home = join(folder, "home");
    this.project = join(folder, "project");
    this.temporary = join(folder, "tmp");
    for (const path of [this.home, this.project, this.temporary]) mkdirSync(path);
    execFileSync("git", ["init", "--quiet"], { cwd: this.project });
  }

  /** Writes a file of the home, as JSON if it is an object. */
  configure(path: string, content: string | object): void {
    const file = join(this.home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  }

  /** Writes files of the project. */
  add(files: Readonly<Record<string, Uint8Array>>): void {
    for (const [path, content] of Object.entries(files)) writeFileSync(join(this.project, path), content);
  }

  /** Returns the content of a file of the project; undefined if it does not exist. */
  read(path: string): string | undefined {
    try {
      return readFileSync(join(this.project, path), "utf8");
    } catch {
      return undefined;
    }
  }
}
