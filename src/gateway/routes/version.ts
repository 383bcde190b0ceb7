import { z } from "zod";
import type { App } from "../../server/app-type.js";
import { versionBody } from "../../server/routes/control.js";
import { setAfter, type WeightVersion } from "../../server/weight-version.js";
import type { GatewayContext } from "../context.js";
import { noWorker, workerUnavailable } from "../forward.js";
import { jsonOf, relay } from "../relay.js";
import { credentials } from "../routing.js";
import type { UpstreamCall, UpstreamReply } from "../upstream.js";
import type { Worker } from "../worker-pool.js";

/** A process that is stopped, or a machine that hangs, takes a call and never answers it. */
const ANSWER_TIMEOUT_MS = 5_000;
const MAX_ATTEMPTS = 3;

const versionReply = z.object({ version: z.int() });

/**
 * Sets the weight version on every worker. A worker that joins later finds it in its folder, or gets it with its first
 * session. Idempotent: if one worker fails, the trainer repeats the call.
 */
export function versionRoutes(app: App, context: GatewayContext): void {
  app.post("/rl/set_version", { schema: { body: versionBody } }, async (request, reply) => {
    const { body } = request;
    for (let attempt = 1; ; attempt++) {
      const wanted = setAfter(body.version, context.pool.newestVersion);
      const call = { path: "/rl/set_version", headers: credentials(request), body: { ...body, ...wanted } };
      const answers = await setEverywhere(context, wanted, call);
      const refusal = answers.find(({ status }) => status >= 300);
      const overruled = answers.find((each) => each !== refusal && jsonOf(each, versionReply).version !== body.version);
      const outcome = refusal ?? overruled ?? answers[0];
      if (!outcome) throw noWorker();
      if (outcome !== overruled || attempt === MAX_ATTEMPTS) return relay(outcome, reply);
      // By a clock that runs ahead, the worker has a version that was set later. Its health says when.
      await context.pool.refresh();
    }
  });
}

/** Calls every worker, those included that join while the others are called. Ends at the first refusal. */
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
    answers.push(...fresh.filter((answer) => answer !== undefined));
    if (answers.some(({ status }) => status >= 300)) return answers;
    const silent = workers.find((worker, index) => fresh[index] === undefined && awaited.includes(worker));
    if (silent) throw workerUnavailable(silent.tag);
    for (const worker of workers) called.add(worker);
    await pool.discover();
  }
  return answers;
}

/** A worker that was down when last heard of may be back: it is called too, but it need not answer. */
function callAll({ upstream }: GatewayContext, workers: readonly Worker[], call: UpstreamCall) {
  const callOne = ({ url, state }: Worker): Promise<UpstreamReply | undefined> => {
    const limit = state === "down" ? { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) } : {};
    return upstream.call(url, { ...call, ...limit }).catch(() => undefined);
  };
  return Promise.all(workers.map(callOne));
}
