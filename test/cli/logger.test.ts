import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

const LOGGER = new URL("../../dist/cli/logger.js", import.meta.url).href;

/** Standard error of a process that makes the logger and runs `code`. */
function captureStderr(code: string, level = "info"): string {
  const script = `
    const { createLogger } = await import(${JSON.stringify(LOGGER)});
    const logger = createLogger({ server: { log_level: ${JSON.stringify(level)} } });
    ${code}`;
  return spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" }).stderr;
}

it("writes Node's warnings as log lines", () => {
  const lines = captureStderr('process.emitWarning("careful", "DeprecationWarning", "DEP0");').trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      level: "warn",
      msg: "careful",
      err: expect.objectContaining({ code: "DEP0" }) as unknown,
    }),
  ]);
});

it("writes a line even if the process ends directly afterwards", () => {
  expect(captureStderr('logger.fatal("last words"); process.exit(1);')).toContain('"msg":"last words"');
});

it("writes no line below the configured level", () => {
  expect(captureStderr('logger.info("a"); logger.warn("b");', "warn")).not.toContain('"msg":"a"');
  expect(captureStderr('logger.fatal("a");', "silent")).toBe("");
});
