import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/helpers/build-dist.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What passes quickly must not be missed between two looks, and a busy machine takes its time.
    expect: { poll: { interval: 2, timeout: 10_000 } },
  },
});
