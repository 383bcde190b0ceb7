import { renameSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";

/**
 * Preloaded into a process whose time is to be split: the first SIGUSR2 starts V8's CPU profiler, the next stops it and
 * writes the profile to the file that BENCH_PROFILE names, and so on.
 */

const file = process.env.BENCH_PROFILE;
const session = new Session();
session.connect();
let profiling = false;

process.on("SIGUSR2", async () => {
  profiling = !profiling;
  if (profiling) {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    return;
  }
  const { profile } = await session.post("Profiler.stop");
  writeFileSync(`${file}.partial`, JSON.stringify(profile));
  renameSync(`${file}.partial`, file);
});
