import { defineConfig } from "vitest/config";

/** The tests with the API server of Kubernetes, which is compiled first if the cache folder has none: `npm run test:kubernetes`. */
export default defineConfig({
  test: {
    include: ["test/**/*.kubernetes.ts"],
    pool: "forks",
    testTimeout: 120_000,
    // 3 minutes on two idle cores, for the compiler.
    hookTimeout: 7_200_000,
  },
});
