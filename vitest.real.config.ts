import { defineConfig } from "vitest/config";

/** Tests against unmodified engines: `npm run test:real`, which sets the engine's address. */
export default defineConfig({
  test: {
    include: ["test/real/**/*.real.ts"],
    globalSetup: ["test/helpers/build-dist.ts"],
    pool: "forks",
    fileParallelism: false,
    testTimeout: 300_000,
    // Starts another engine server.
    hookTimeout: 900_000,
    // A shared machine may hold a process for seconds, as vitest.config.ts says.
    retry: process.env["CI"] === undefined ? 0 : 1,
    expect: { poll: { interval: 20, timeout: 60_000 } },
  },
});
