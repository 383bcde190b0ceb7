import { z } from "zod";
import { controlBody } from "../http/control-body.js";
import { batchOptionsSchema, exportFields, type TrajectoryOptions } from "../session/batch/batch-options.js";
import { refuseConflicts } from "../session/batch/option-conflicts.js";
import { arealExportFields } from "./areal-fields.js";
import { exportRuleFields } from "./batch-request.js";

export const trajectoriesBody = controlBody({
  session_id: z.string(),
  style: exportFields.style,
  discount: exportFields.discount,
  concat_reward: exportFields.concatReward,
  include_undelivered: exportFields.includeUndelivered,
  on_mismatch: exportFields.onMismatch,
  models: exportFields.models,
  exclude_models: exportFields.excludeModels,
  tags: exportFields.tags,
  roots: exportFields.roots,
  overlong: exportFields.overlong,
  format: z.enum(["json", "safetensors"]).default("json"),
  include: z
    .array(z.enum(["messages"]))
    .default([])
    .describe("`messages` adds the messages of each interaction. Their text comes from agents and is untrusted."),
  ...exportRuleFields,
  ...arealExportFields,
});

/** @throws SessionError `invalid_value` if options contradict each other */
export function toTrajectoryOptions(body: z.output<typeof trajectoriesBody>): TrajectoryOptions {
  const options = {
    style: body.style,
    discount: body.discount,
    concatReward: body.concat_reward,
    onMismatch: body.on_mismatch,
    includeUndelivered: body.include_undelivered,
    models: body.models,
    excludeModels: body.exclude_models,
    tags: body.tags,
    roots: body.roots,
    overlong: body.overlong,
  };
  refuseConflicts(batchOptionsSchema.parse(options));
  return options;
}
