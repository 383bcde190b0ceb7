#!/usr/bin/env -S node --v8-pool-size=1
// Before other modules, so that it applies to their code too.
import "./heap-flags.js";
import { readOpenFileLimit } from "../support/open-file-limit.js";

/** Node opens the files of all modules at once, up to 200 of them. */
const MIN_OPEN_FILES = 256;

const limit = readOpenFileLimit() ?? MIN_OPEN_FILES;
if (limit < MIN_OPEN_FILES) {
  const advice = "Raise the limit (`ulimit -n 4096`, `LimitNOFILE` of systemd, `--ulimit nofile` of Docker).";
  process.stderr.write(
    `rolltape: this process may open ${limit} files, and needs at least ${MIN_OPEN_FILES}. ${advice}\n`,
  );
  process.exit(1);
}
try {
  const { createProgram } = await import("./program.js");
  await createProgram().parseAsync();
} catch (error) {
  const { reportFailure } = await import("./exit.js");
  // Engines or timers that were already started must not keep the process alive.
  process.exit(reportFailure(error));
}
