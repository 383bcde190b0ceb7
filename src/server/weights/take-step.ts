import type { StepBody } from "../../admin-api/weights/weight-steps.js";
import {
  type StepFailures,
  tryEach,
  type UpdateTarget,
  type WeightsCheck,
} from "../../admin-api/weights/weight-targets.js";
import { ApiError } from "../../http/errors.js";
import type { ServerWeights } from "./open-weights.js";

const NONE: StepFailures = new Map();

interface StepResult {
  readonly failures: StepFailures;
  /** The servers sleep and have lost their weights. */
  readonly lost: boolean;
}

/**
 * Takes one step of a weight update for a gateway. The gateway decides the order, and which worker tells which server.
 */
export async function takeStep(weights: ServerWeights, body: StepBody): Promise<StepResult> {
  const { step } = body;
  if (step === "sleep") return sleep(weights, body);
  return { failures: await takeOtherStep(weights, { ...body, step }), lost: false };
}

async function sleep({ targets, known, fence }: ServerWeights, body: StepBody): Promise<StepResult> {
  fence.admit(body);
  let lost = false;
  const failures = await tryEach(body.servers, async (url) => {
    if ((await targets.sleep?.(url, new AbortController().signal)) !== false) return;
    lost = true;
    known.forget(url);
  });
  return { failures, lost };
}

async function takeOtherStep(
  { targets, known, updates, fence }: ServerWeights,
  body: StepBody & { readonly step: Exclude<StepBody["step"], "sleep"> },
): Promise<StepFailures> {
  const { step, target, servers, known: knownServers, hold, update_id: id } = body;
  fence.admit(body);
  switch (step) {
    case "list":
    case "compare":
      return NONE;
    case "prepare":
      await targets.prepare?.(requireTarget(target), servers);
      return NONE;
    case "hold": {
      targets.check?.(requireTarget(target));
      // After a restart in the middle, this server has an update of its own that failed. It would refuse the version.
      updates.forget();
      const before = known.update?.id;
      await targets.begin({ ...requireTarget(target), id });
      fence.leave(before, id);
      return targets.pause([], servers);
    }
    case "pause":
      return targets.pause(servers, []);
    case "wake":
      return tryEach(servers, async (url) => targets.wake?.(url, new AbortController().signal));
    case "load":
      return tryEach(servers, async (url) => {
        known.forget(url);
        await targets.load(url, requireTarget(target), new AbortController().signal);
      });
    case "finish": {
      const { version, path } = requireTarget(target);
      return tryEach(servers, async (url) => {
        await targets.finish(url, version, new AbortController().signal);
        targets.note({ url, version, path, draining: false });
      });
    }
    case "drain":
      await targets.drain(servers);
      return NONE;
    case "resume":
      return targets.resume(servers);
    case "release": {
      const draining = false;
      await targets.release(
        knownServers.map((server) => ({ ...server, draining })),
        hold,
      );
      fence.leave(id);
      // If this server was restarted during the update, it has an update of its own that failed.
      updates.forget();
      return NONE;
    }
  }
}

/** @throws ApiError `weights_incomplete` */
export async function takeCompareStep(
  { targets }: ServerWeights,
  { step, target }: StepBody,
): Promise<WeightsCheck | null> {
  if (step !== "compare") return null;
  return (await targets.compare?.(requireTarget(target))) ?? null;
}

function requireTarget(target: UpdateTarget | undefined): UpdateTarget {
  if (target) return target;
  throw new ApiError("invalid_value", "`target` must be set for this step.", { param: "target" });
}
