import { defineConfig } from "vitest/config";

/** These tests watch memory and drivers of a whole process, so each file needs a process of its own. */
const ISOLATED = ["test/native/**/*.test.ts", "test/**/*.slow.test.ts"];

export default defineConfig({
  test: {
    globalSetup: ["test/helpers/build-dist.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A shared machine may hold a process for seconds. What passes only at the second try is marked in the output.
    retry: process.env["CI"] === undefined ? 0 : 1,
    // What passes quickly must not be missed between two looks, and a busy machine takes its time.
    expect: { poll: { interval: 2, timeout: 10_000 } },
    projects: [
      { extends: true, test: { name: "isolated", include: ISOLATED } },
      // Files share a process, so that each does not load the sources again: this halves the time of a run.
      {
        extends: true,
        test: {
          name: "shared",
          include: ["test/**/*.test.ts"],
          exclude: [...ISOLATED, "node_modules"],
          isolate: false,
        },
      },
    ],
  },
});
