import { ObjectStore } from "../../storage/archive/object-store.js";
import { ViewError } from "../../view/errors.js";

export interface FoundBatch {
  readonly address: string;
  /** Number of the other batches. */
  readonly others: number;
}

/**
 * Finds the batch that an `s3://` address means: the batch itself, or the newest one of an archive.
 *
 * @throws ViewError `nothing_to_view`, ArchiveError
 */
export async function findBatch(address: string): Promise<FoundBatch> {
  if (address.endsWith(".safetensors")) return { address, others: 0 };
  const store = await ObjectStore.open(address);
  try {
    const batches = [];
    for await (const batch of store.list("batches/")) if (batch.name.endsWith(".safetensors")) batches.push(batch);
    const [newest, ...others] = batches.toSorted((a, b) => b.changedAt - a.changedAt || (a.name < b.name ? 1 : -1));
    if (newest) return { address: store.address(newest.name), others: others.length };
    throw new ViewError(
      "nothing_to_view",
      `${address} has no batch. Name a batch, or a prefix with a folder batches/.`,
    );
  } finally {
    store.close();
  }
}
