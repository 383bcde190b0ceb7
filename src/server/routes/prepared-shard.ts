import type { z } from "zod";
import { answerBatches } from "../../admin-api/batch-answer.js";
import { EXPORT_ID, refuseDuplicates, toBatchOptions } from "../../admin-api/batch-request.js";
import { type episodesAnswer, shardBody } from "../../admin-api/shard-request.js";
import type { App } from "../../http/app-type.js";
import { disconnectSignal, onResponseClose } from "../../http/disconnect.js";
import { type Batch, packShards, planEpisodes, type WholeExport } from "../../session/batch/batch.js";
import type { ExportSummary } from "../../session/batch/batch-metadata.js";
import type { OtherEpisode } from "../../session/batch/plan.js";
import type { Session } from "../../session/session.js";
import type { Slices } from "../../support/async/run-steps.js";
import type { ExportServices } from "../services.js";
import { toExportRules } from "./export-rules.js";

type ShardRequest = z.output<typeof shardBody>;
type PackRequest = NonNullable<ShardRequest["pack"]>;

/** Packs a shard of this worker's sessions, or describes them for the worker that packs. The sessions are exported once it is settled. */
export function prepareShard(app: App, services: ExportServices): void {
  app.post(
    "/export_batch/prepare_shard",
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: {
        summary: "A shard of sessions of one worker; the sessions are exported once it is settled",
        body: shardBody,
      },
    },
    async ({ body }, reply) => {
      const { exporter, preparedExports, sharedExports, metrics, origin } = services;
      const { session_ids, shards, shard, pack, hold_seconds } = body;
      await refuseDuplicates(session_ids);
      const options = toBatchOptions(body);
      const rules = toExportRules(body, services, disconnectSignal(reply));
      const part = shard === undefined ? undefined : { shards, shard };
      const work = async (sessions: Session[], slices: Slices): Promise<Batch | z.input<typeof episodesAnswer>> => {
        if (pack) return metrics.exports.time(() => packOne(sessions, body, pack, services, slices));
        const episodes = await slices.run(planEpisodes(sessions, options, origin));
        return { episodes: episodes.map(toEpisodeRecord) };
      };
      const prepared = await exporter.prepare(session_ids, rules, work, part);
      const { packed } = prepared;
      const id = preparedExports.hold(
        {
          ...prepared,
          settle: (outcome) => {
            prepared.settle(outcome);
            if (outcome === "left" && pack) sharedExports.withdraw(pack.id);
          },
        },
        hold_seconds * 1000,
      );
      onResponseClose(reply, (complete) => {
        if (!complete) preparedExports.settle(id, "left");
      });
      void reply.header(EXPORT_ID, id);
      if (!pack || "episodes" in packed) return reply.send(packed);
      const request = { ...pack, session_ids, acknowledge: false };
      return answerBatches(
        [{ id: pack.id, batch: packed, part: part ?? { shards: 1, shard: 0 } }],
        request,
        reply,
        services,
      );
    },
  );
}

async function packOne(
  sessions: readonly Session[],
  body: ShardRequest,
  { shards, shard, others, transport }: PackRequest,
  { sharedMemory, origin, metrics }: ExportServices,
  slices: Slices,
): Promise<Batch> {
  const memory = transport === "shm" ? sharedMemory.pool : "heap";
  const within: WholeExport = {
    shards: body.shards,
    shard: body.shard ?? 0,
    others: others.map(({ session_id, group_id, has_reward, discounted_return, ...episode }) => ({
      ...episode,
      id: session_id,
      groupId: group_id ?? undefined,
      hasReward: has_reward,
      discountedReturn: discounted_return,
    })),
  };
  // Every summary is that of all sessions of this worker. Count it once.
  const onPlanned = (summary: ExportSummary) => shard === 0 && metrics.exports.count(summary);
  const options = toBatchOptions(body);
  const target = { memory, origin, slices, onPlanned } as const;
  const [batch] = await packShards(sessions, options, { shards, shard, within }, target);
  if (!batch) throw new RangeError(`Shard ${shard} was not packed.`);
  return batch;
}

function toEpisodeRecord({
  id,
  groupId,
  hasReward,
  rows,
  reward,
  discountedReturn,
}: Omit<OtherEpisode, "position">): z.input<typeof episodesAnswer>["episodes"][number] {
  return {
    session_id: id,
    group_id: groupId ?? null,
    has_reward: hasReward,
    rows,
    reward,
    discounted_return: discountedReturn,
  };
}
