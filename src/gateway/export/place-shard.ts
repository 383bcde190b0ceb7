import { ApiError } from "../../http/errors.js";

/** Where a shard is packed. */
export interface ShardPlace {
  /** Index of the worker. */
  readonly worker: number;
  /** Index of the shard among those of the worker. */
  readonly shard: number;
  /** Number of shards of each worker. */
  readonly shards: number;
}

/**
 * Chooses the worker of each shard. A reader gets a shard of a worker on its machine as long as there is one; the other shards go to the
 * other readers in order. The same arguments have the same result, so that each reader can ask alone.
 *
 * @param machines of the workers
 * @param readers the machine of the reader of each shard, if they are known
 * @throws ApiError `invalid_value` if workers would have different numbers of shards
 */
export function placeShards(
  machines: readonly (string | undefined)[],
  shards: number,
  readers: readonly string[] = [],
): ShardPlace[] {
  if (shards % machines.length !== 0) throw notDivisible(machines.length, shards);
  const each = shards / machines.length;
  const free = machines.flatMap((machine, worker) =>
    Array.from({ length: each }, (_, shard) => ({ machine, place: { worker, shard, shards: each } })),
  );
  const take = (index: number) => free.splice(index, 1)[0]?.place;
  const places = Array.from({ length: shards }, (_, reader) => {
    const host = readers[reader];
    const index = host === undefined ? -1 : free.findIndex(({ machine }) => machine === host);
    return index < 0 ? undefined : take(index);
  });
  return places.flatMap((place) => place ?? take(0) ?? []);
}

function notDivisible(workers: number, shards: number): ApiError {
  const message =
    `\`shards\` must be a multiple of the number of workers that have these sessions (${workers}), because \`shard_by\` is workers; ` +
    `received ${shards}. Use \`shard_by: tokens\`, or another number of shards.`;
  return new ApiError("invalid_value", message, { param: "shards", details: { workers } });
}
