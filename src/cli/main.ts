#!/usr/bin/env node
import { reportFailure } from "./exit.js";
import { createProgram } from "./program.js";

try {
  await createProgram().parseAsync();
} catch (error) {
  // What was half started (engines, timers) must not keep a process alive that serves nobody.
  process.exit(reportFailure(error));
}
