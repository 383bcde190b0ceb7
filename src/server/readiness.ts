import type { Config } from "../config/index.js";
import type { Engine } from "../engine/engine.js";
import { openServers } from "./open-engine.js";

/** Something that a server needs and that is not ready. */
export interface NotReady {
  /** The configuration key at fault. */
  readonly key: string;
  readonly message: string;
}

/** The problems of an engine's servers, one for each server that cannot serve calls. */
export interface EngineReadiness {
  readonly problems: readonly NotReady[];
  /** No server can serve calls. */
  readonly none: boolean;
}

/** An unreachable machine may never answer, not even with an error. */
const READINESS_MS = 5_000;

/** Asks the servers of an engine whether they can serve calls. The embedded engine has no servers, and so no problems. */
export async function engineReadiness({ servers }: Engine, config: Config): Promise<EngineReadiness> {
  const answers = (await servers?.readiness(AbortSignal.timeout(READINESS_MS))) ?? [];
  const problems = answers.flatMap(({ url, problem }): NotReady[] => {
    if (problem === undefined) return [];
    const named = problem.about === "model" && config.engine.served_model !== null;
    const { origin } = new URL(url);
    const message = problem.message.includes(origin) ? problem.message : `${origin}: ${problem.message}`;
    return [{ key: named ? "engine.served_model" : "engine.urls", message }];
  });
  return { problems, none: problems.length > 0 && problems.length === answers.length };
}

/** Asks the engine servers that the configuration names, before a proxy is started. The embedded engine has no problems. */
export async function configuredReadiness(config: Config): Promise<EngineReadiness> {
  const engine = openServers(config);
  if (!engine) return { problems: [], none: false };
  try {
    return await engineReadiness(engine, config);
  } finally {
    await engine.close();
  }
}
