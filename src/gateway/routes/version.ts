import { z } from "zod";
import { stampVersion, versionBody, type WeightVersion } from "../../control/weight-version.js";
import type { App } from "../../http/app-type.js";
import type { GatewayContext } from "../context.js";
import { namedRefusal, silentWorker } from "../fleet/failures.js";
import { noWorker } from "../forward.js";
import { jsonOf, relay } from "../relay.js";
import { credentials } from "../routing.js";
import type { UpstreamCall, UpstreamReply } from "../upstream.js";
import type { Worker } from "../worker-pool.js";

/** A process that is stopped, or a machine that hangs, takes a call and never answers it. */
const ANSWER_TIMEOUT_MS = 5_000;
/** A worker writes the version to a shared folder, which may be slow. */
const WRITE_TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 3;

const REPEAT = "Other workers may have the new version; repeat the call.";

const versionReply = z.object({ version: z.int() });

/**
 * Sets the weight version on every worker. A worker that joins later finds it in its folder, or gets it with its first
 * session. Idempotent: if one worker fails, the trainer repeats the call.
 */
export function versionRoutes(app: App, context: GatewayContext): void {
  app.post("/rl/set_version", { schema: { body: versionBody } }, async (request, reply) => {
    const { body } = request;
    for (let attempt = 1; ; attempt++) {
      const wanted = stampVersion(body.version, context.pool.newestVersion);
      const call = { path: "/rl/set_version", headers: credentials(request), body: { ...body, ...wanted } };
      const answers = await setEverywhere(context, wanted, call);
      const overruled = answers.find((each) => jsonOf(each, versionReply).version !== body.version);
      const outcome = overruled ?? answers[0];
      if (!outcome) throw noWorker();
      if (outcome !== overruled || attempt === MAX_ATTEMPTS) return relay(outcome, reply);
      // By a clock that runs ahead, the worker has a version that was set later. Its health says when.
      await context.pool.refresh();
    }
  });
}

/**
 * Calls every worker, those included that join while the others are called.
 *
 * @throws ApiError that names the first worker that refuses or does not answer
 */
async function setEverywhere(
  context: GatewayContext,
  wanted: WeightVersion,
  call: UpstreamCall,
): Promise<UpstreamReply[]> {
  const { pool } = context;
  const answers: UpstreamReply[] = [];
  const called = new Set<Worker>();
  for (let workers = pool.all(); workers.length > 0; workers = pool.all().filter((worker) => !called.has(worker))) {
    const awaited = workers.filter(({ state }) => state !== "down");
    const fresh = await callAll(context, workers, call);
    // Remembered from the first worker that takes it: the others must not begin a session with an older one.
    if (fresh.some((answer) => answer !== undefined && answer.status < 300)) pool.learnVersion(wanted);
    workers.forEach((worker, index) => {
      const answer = fresh[index];
      if (answer && answer.status >= 300) throw namedRefusal(worker, answer, REPEAT);
      if (answer) answers.push(answer);
      called.add(worker);
    });
    const silent = workers.find((worker, index) => fresh[index] === undefined && awaited.includes(worker));
    if (silent) throw silentWorker(silent, REPEAT);
    await pool.discover();
  }
  return answers;
}

/** A worker that was down when last heard of may be back: it is called too, but it need not answer. */
function callAll({ upstream }: GatewayContext, workers: readonly Worker[], call: UpstreamCall) {
  const callOne = ({ url, state }: Worker): Promise<UpstreamReply | undefined> => {
    const signal = AbortSignal.timeout(state === "down" ? ANSWER_TIMEOUT_MS : WRITE_TIMEOUT_MS);
    return upstream.call(url, { ...call, signal }).catch(() => undefined);
  };
  return Promise.all(workers.map(callOne));
}
