import { defineConfig } from "vitest/config";

/** The tests with a real Slurm, for scripts/slurm-test.sh. They share its two nodes. */
export default defineConfig({
  test: {
    include: ["test/**/*.slurm.ts"],
    globalSetup: ["test/helpers/build-dist.ts"],
    pool: "forks",
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
