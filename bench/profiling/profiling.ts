import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface Profiles {
  /** Of this process. */
  readonly own: Profiler.Profile;
  readonly proxy: Profiler.Profile;
}

/** Profiles a proxy and this process at once. */
export class Profiling {
  readonly #folder = mkdtempSync(join(tmpdir(), "rolltape-profile-"));
  readonly #file = join(this.#folder, "proxy.cpuprofile");

  /** Arguments of Node with which the proxy must be started. */
  get nodeArguments(): readonly string[] {
    return ["--import", new URL("profile-on-signal.mjs", import.meta.url).href];
  }

  get env(): NodeJS.ProcessEnv {
    return { BENCH_PROFILE: this.#file };
  }

  /** Profiles the main threads of both while this work is done. */
  async during(proxyPid: number, work: () => Promise<unknown>): Promise<Profiles> {
    using session = ownProfiler();
    process.kill(proxyPid, "SIGUSR2");
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    await work();
    const { profile: own } = await session.post("Profiler.stop");
    process.kill(proxyPid, "SIGUSR2");
    while (!existsSync(this.#file)) await sleep(50);
    const proxy = JSON.parse(readFileSync(this.#file, "utf8")) as Profiler.Profile;
    return { own, proxy };
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function ownProfiler(): Session & Disposable {
  const session = new Session();
  session.connect();
  return Object.assign(session, { [Symbol.dispose]: () => session.disconnect() });
}
