#!/usr/bin/env -S node --v8-pool-size=1
// Before other modules, so that it applies to their code too.
import "./heap-flags.js";
import { createProgram } from "./program.js";

try {
  await createProgram().parseAsync();
} catch (error) {
  const { reportFailure } = await import("./exit.js");
  // Engines or timers that were already started must not keep the process alive.
  process.exit(reportFailure(error));
}
