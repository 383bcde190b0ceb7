#!/usr/bin/env node
import { reportFailure } from "./exit.js";
import { createProgram } from "./program.js";

try {
  await createProgram().parseAsync();
} catch (error) {
  // Engines or timers that were already started must not keep the process alive.
  process.exit(reportFailure(error));
}
