import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const BUILT = "ROLLTAPE_TEST_BUILT";

/**
 * Compiles src/ to dist/, and builds the viewer's page and the bundle of llama.cpp, once before the tests, for tests that run
 * the command line as users do. Types are not checked, because lint checks them, and a type error in one room must not block
 * the tests of other rooms.
 */
export function setup(): void {
  // Each project of vitest.config.ts calls this.
  if (process.env[BUILT]) return;
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const tsc = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
  const vite = fileURLToPath(new URL("../../node_modules/vite/bin/vite.js", import.meta.url));
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--noCheck"], { cwd: root, stdio: "inherit" });
  for (const config of ["vite.page.config.ts", "vite.llama.config.ts"])
    execFileSync(process.execPath, [vite, "build", "--config", config], { cwd: root, stdio: "inherit" });
  process.env[BUILT] = "yes";
}
