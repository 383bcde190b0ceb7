import type { Config } from "../config/index.js";
import type { Engine, ReadinessProblem } from "../engine/engine.js";
import { openServers } from "./open-engine.js";

/** Something that a server needs and that is not ready. */
export interface NotReady {
  /** The configuration key at fault. */
  readonly key: string;
  readonly message: string;
}

/** What the servers of an engine say of themselves. */
export interface EngineReadiness {
  /** One for each server that cannot serve calls. */
  readonly problems: readonly NotReady[];
  /** One for each healthy server that did not say in time whether it has the model. It is likely to be busy. */
  readonly warnings: readonly NotReady[];
  /** No server can serve calls. */
  readonly none: boolean;
}

/** An unreachable machine may never answer, not even with an error. */
const READINESS_SECONDS = 5;

/** Asks the servers of an engine whether they can serve calls. The embedded engine has no servers, and so no problems. */
export async function engineReadiness({ servers }: Engine, config: Config): Promise<EngineReadiness> {
  const answers = (await servers?.readiness(AbortSignal.timeout(READINESS_SECONDS * 1000))) ?? [];
  const [problems, warnings]: [NotReady[], NotReady[]] = [[], []];
  for (const { url, problem } of answers) {
    if (problem) (problem.about === "unanswered" ? warnings : problems).push(describe(url, problem, config));
  }
  return { problems, warnings, none: problems.length > 0 && problems.length === answers.length };
}

function describe(url: string, problem: ReadinessProblem, { engine }: Config): NotReady {
  const { origin } = new URL(url);
  const message =
    problem.about === "unanswered"
      ? `The engine could not be asked for its model within ${READINESS_SECONDS} s. It may be busy with a long prompt.`
      : problem.message;
  return { key: keyOf(problem, engine), message: message.includes(origin) ? message : `${origin}: ${message}` };
}

function keyOf({ about }: ReadinessProblem, engine: Config["engine"]): string {
  if (about === "key") return "engine.api_key";
  return about === "model" && engine.served_model !== null ? "engine.served_model" : "engine.urls";
}

/** Asks the engine servers that the configuration names, before a proxy is started. The embedded engine has no problems. */
export async function configuredReadiness(config: Config): Promise<EngineReadiness> {
  const engine = openServers(config);
  if (!engine) return { problems: [], warnings: [], none: false };
  try {
    return await engineReadiness(engine, config);
  } finally {
    await engine.close();
  }
}
