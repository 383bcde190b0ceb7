import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Compiles src/ to dist/ once before the tests, for tests that run the command line as users do. Types are not
 * checked, because lint checks them, and a type error in one room must not block the tests of other rooms.
 */
export function setup(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const tsc = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--noCheck"], { cwd: root, stdio: "inherit" });
}
