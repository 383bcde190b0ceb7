import type { Config } from "../config/index.js";
import type { Engine } from "../engine/engine.js";
import { openServers } from "./open-engine.js";

/** Something that a server needs and that is not there yet. */
export interface NotReady {
  /** Key of the configuration that it is about. */
  readonly key: string;
  readonly message: string;
}

/** Servers of the engine that cannot serve calls. */
export interface EngineReadiness {
  readonly problems: readonly NotReady[];
  /** Every server has a problem. */
  readonly none: boolean;
}

/** A dead address on another machine answers nothing at all. */
const READINESS_MS = 5_000;

/** Asks the servers of an engine whether they can serve calls. An engine of this process can: it has loaded its model. */
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

/** The same before a server is started. An engine that runs in the server's process has no problem yet. */
export async function configuredReadiness(config: Config): Promise<EngineReadiness> {
  const engine = openServers(config);
  if (!engine) return { problems: [], none: false };
  try {
    return await engineReadiness(engine, config);
  } finally {
    await engine.close();
  }
}
