import { defineConfig } from "vitest/config";

/** The test of examples/ray with a Ray from PyPI: `npm run test:ray`. */
export default defineConfig({
  test: {
    include: ["test/**/*.ray.ts"],
    globalSetup: ["test/helpers/build-dist.ts"],
    pool: "forks",
    // Ray is installed, if the cache folder has none. On a busy machine, it takes minutes to start its processes.
    testTimeout: 1_200_000,
    hookTimeout: 120_000,
  },
});
