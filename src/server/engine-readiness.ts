import type { Config } from "../config/index.js";
import type { Engine, ReadinessProblem, ServerNeeds, ServerWarning } from "../engine/engine.js";
import { openServers } from "./open-engine.js";

/** A problem of one engine server. */
export interface NotReady {
  /** The configuration key at fault. */
  readonly key: string;
  readonly message: string;
}

/** The result of asking the servers of an engine whether they can serve calls. */
export interface EngineReadiness {
  /** One for each server that cannot serve calls. */
  readonly problems: readonly NotReady[];
  /** Limits of ready servers, and healthy servers that did not report their model in time. These are probably busy. */
  readonly warnings: readonly NotReady[];
  /** True if no server can serve calls. */
  readonly none: boolean;
}

/** A machine that cannot be reached may never answer, not even with an error. */
const READINESS_SECONDS = 5;

/**
 * Asks the servers of an engine whether they can serve calls. The embedded engine has no servers, and so no problems.
 *
 * @param needs asks ready servers for their flags too
 */
export async function engineReadiness(
  { servers }: Engine,
  config: Config,
  needs?: ServerNeeds,
): Promise<EngineReadiness> {
  const answers = (await servers?.readiness(AbortSignal.timeout(READINESS_SECONDS * 1000), needs)) ?? [];
  const problems: NotReady[] = [];
  const warnings: NotReady[] = [];
  for (const { url, problem, warnings: limits = [] } of answers) {
    warnings.push(...limits.map((warning) => describeWarning(url, warning, config)));
    if (!problem) continue;
    const list = problem.about === "unanswered" ? warnings : problems;
    list.push(describeProblem(url, problem, config));
  }
  return { problems, warnings, none: problems.length > 0 && problems.length === answers.length };
}

/** Asks the servers of an entry of `engines`, which is number `index` in the configuration. */
export async function namedReadiness(
  { engine }: { readonly engine: Engine },
  index: number,
  config: Config,
): Promise<EngineReadiness> {
  const entry = config.engines[index];
  if (!entry) return { problems: [], warnings: [], none: false };
  // The functions below name keys of the section `engine`.
  const section = { ...config.engine, ...entry, served_model: entry.served_model ?? null };
  const { problems, warnings, none } = await engineReadiness(engine, {
    ...config,
    engine: { ...section, context_length: entry.context_length ?? null, api_key: null, admin_api_key: null },
  });
  const rename = ({ key, message }: NotReady) => ({ key: key.replace(/^engine\./, `engines[${index}].`), message });
  return { problems: problems.map(rename), warnings: warnings.map(rename), none };
}

/** Joins the results of several engines. `none` is true if one of them has no server that can serve calls. */
export function joinReadiness(all: readonly EngineReadiness[]): EngineReadiness {
  return {
    problems: all.flatMap(({ problems }) => problems),
    warnings: all.flatMap(({ warnings }) => warnings),
    none: all.some(({ none }) => none),
  };
}

function describeProblem(url: string, problem: ReadinessProblem, { engine }: Config): NotReady {
  const { origin } = new URL(url);
  const message =
    problem.about === "unanswered"
      ? `The engine did not report its model within ${READINESS_SECONDS} s. It may be busy with a long prompt.`
      : problem.message;
  return { key: findConfigKey(problem, engine), message: message.includes(origin) ? message : `${origin}: ${message}` };
}

function describeWarning(url: string, { about, message }: ServerWarning, config: Config): NotReady {
  return { key: findWarningKey(about, config), message: `${new URL(url).origin}: ${message}` };
}

/** Returns the configuration key that belongs to a warning. */
function findWarningKey(about: ServerWarning["about"], { engine }: Config): string {
  switch (about) {
    case "flag":
      return "engine.urls";
    case "admin_key":
      return "engine.admin_api_key";
    case "tokenizer":
      return "model.path";
    case "context":
      return engine.context_length === null ? "rollout.agent.engine_max_tokens" : "engine.context_length";
  }
}

/** Returns the configuration key that the user must correct. */
function findConfigKey({ about }: ReadinessProblem, engine: Config["engine"]): string {
  if (about === "key") return "engine.api_key";
  return about === "model" && engine.served_model !== null ? "engine.served_model" : "engine.urls";
}

/** Asks the engine servers of a configuration, without starting a proxy. The embedded engine has no problems. */
export async function configuredReadiness(config: Config): Promise<EngineReadiness> {
  const engine = openServers(config);
  if (!engine) return { problems: [], warnings: [], none: false };
  try {
    return await engineReadiness(engine, config);
  } finally {
    await engine.close();
  }
}
