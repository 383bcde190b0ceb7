import type { Session } from "../session.js";
import type { BatchOptions } from "./batch-options.js";

/**
 * Returns the maximum length of the row of each interaction, by index. A row that is truncated within an image ends before the image: a
 * model refuses an image with some of its tokens. Returns undefined if the limit is the same for all rows.
 */
export function findImageLimits(
  session: Session,
  { maxLength, overflow }: Pick<BatchOptions, "maxLength" | "overflow">,
): Uint32Array | undefined {
  if (maxLength === undefined || overflow !== "truncate" || session.data.images.isEmpty) return undefined;
  let limits: Uint32Array | undefined;
  for (let index = 0; index < session.interactionCount; index++) {
    const { images = [] } = session.interaction(index);
    const cut = images.find(({ offset, length }) => offset < maxLength && offset + length > maxLength);
    if (!cut) continue;
    limits ??= new Uint32Array(session.interactionCount).fill(maxLength);
    limits[index] = cut.offset;
  }
  return limits;
}
