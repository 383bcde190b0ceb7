import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Compiles src/ to dist/ once before the tests, for those that run the command line as its users do. Types are not
 * checked: that is lint's work, and a slip in one room must not keep the tests of the others from running.
 */
export function setup(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const tsc = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--noCheck"], { cwd: root, stdio: "inherit" });
}
