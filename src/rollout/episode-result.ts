import type {
  AcceptedEpisode,
  EpisodeOptions,
  EpisodeResult,
  RejectedEpisode,
  RolloutEngine,
  RolloutWorkflow,
} from "./contract.js";
import { Rejection } from "./rejection.js";

const EXPECTED = "arunEpisode resolves with { accepted, rejected }";

/** Runs a workflow, which may be a program of the user's own. Where it throws, or gives no result, its episode is rejected. */
export async function runWorkflow<Data>(
  workflow: RolloutWorkflow<Data>,
  engine: RolloutEngine,
  data: Data,
  options: EpisodeOptions,
): Promise<EpisodeResult> {
  try {
    return checkedResult(await workflow.arunEpisode(engine, data, options));
  } catch (error) {
    const reason = Rejection.from("workflow_error", error);
    return { accepted: [], rejected: [{ groupId: options.groupId, reason }] };
  }
}

/** @throws Rejection `workflow_error` where it is not what the contract says */
function checkedResult(result: unknown): EpisodeResult {
  if (typeof result !== "object" || result === null) throw refusal(`got ${shown(result)}`);
  const { accepted, rejected } = fieldsOf(result);
  if (!Array.isArray(accepted)) throw wrong("accepted", "an array", accepted);
  if (!Array.isArray(rejected)) throw wrong("rejected", "an array", rejected);
  for (const [i, episode] of accepted.entries()) checkAccepted(fieldsOf(episode), `accepted[${i}]`);
  for (const [i, episode] of rejected.entries()) checkRejected(fieldsOf(episode), `rejected[${i}]`);
  return result as EpisodeResult;
}

function checkAccepted(episode: Partial<Record<keyof AcceptedEpisode, unknown>>, path: string): void {
  const { sessionId, url, interactionCount, rewards } = episode;
  if (typeof sessionId !== "string") throw wrong(`${path}.sessionId`, "text", sessionId);
  if (typeof url !== "string") throw wrong(`${path}.url`, "the address of the session's proxy", url);
  if (!Number.isInteger(interactionCount) || Number(interactionCount) < 1) {
    throw wrong(`${path}.interactionCount`, "a positive integer", interactionCount);
  }
  if (!(rewards instanceof Map)) throw wrong(`${path}.rewards`, "a Map of interaction ids to numbers", rewards);
}

function checkRejected({ reason }: Partial<Record<keyof RejectedEpisode, unknown>>, path: string): void {
  if (!(reason instanceof Rejection)) throw wrong(`${path}.reason`, "a Rejection", reason);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function wrong(field: string, expected: string, given: unknown): Rejection {
  return refusal(`${field}: expected ${expected}, got ${shown(given)}`);
}

const refusal = (what: string): Rejection => new Rejection("workflow_error", `${EXPECTED}; ${what}.`);

function shown(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return `an object of ${value.constructor?.name ?? "no class"}`;
  return typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : String(value);
}
