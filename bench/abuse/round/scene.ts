import type { Pool } from "undici";
import type { Verdict } from "../../export/row.js";
import type { Work } from "../honest-agents.js";

/** Processes under attack. */
export interface Scene {
  /** The address that honest agents call. */
  readonly url: string;
  readonly adminKey: string;
  /** Attacks until the signal aborts. */
  attack(signal: AbortSignal): Promise<void>;
  /** Says how the attack was answered. */
  describe(): string;
  /** @param work the honest calls during the attack */
  judge(work: Work): Verdict;
  stop(): Promise<void>;
}

/** An attack on processes that are started for it. */
export interface Scenario {
  readonly name: string;
  /** What is judged. */
  readonly figure: string;
  /**
   * @param build folder of the compiled program
   * @returns a sentence if this machine cannot run the scenario
   */
  start(build: string): Promise<Scene | string>;
}

/** Starts a session and returns its key. */
export async function startSession(pool: Pool, adminKey: string): Promise<string> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${adminKey}` };
  const post = async (path: string) => (await pool.request({ path, method: "POST", headers, body: "{}" })).body.json();
  await post("/grant_capacity");
  return ((await post("/rl/start_session")) as { session_api_key: string }).session_api_key;
}
