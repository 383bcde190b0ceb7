import { defineConfig } from "vitest/config";

/** Runs of published agent programs, which are installed from npm: `npm run test:programs [-- NAME…]`. */
export default defineConfig({
  test: {
    include: ["test/programs/*.program.ts"],
    globalSetup: ["test/helpers/build-dist.ts"],
    pool: "forks",
    fileParallelism: false,
    testTimeout: 600_000,
    // Installs the program.
    hookTimeout: 600_000,
  },
});
