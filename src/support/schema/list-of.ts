import { z } from "zod";
import { endSliceInTime, resultsInSlices } from "./sliced-check.js";

/** Checking this many elements again takes less time than remembering their results. */
const FEW_ELEMENTS = 8;

export interface ListOptions {
  readonly min?: number;
  readonly max?: number;
  /**
   * Checks each object of a list with more than {@link FEW_ELEMENTS} elements once. An object that occurs again, in a list that
   * continues an earlier one, gets the earlier result. The elements must not be changed after the check.
   */
  readonly once?: boolean;
}

/**
 * Returns the schema of an array that is checked up to its first invalid element. zod's own arrays collect an issue for
 * every element, which turns a hostile body into gigabytes of issues.
 */
export function listOf<T extends z.ZodType>(
  element: T,
  { min = 0, max = Number.POSITIVE_INFINITY, once = false }: ListOptions = {},
) {
  // Remembers the results of objects, for later lists that contain them. A WeakMap, because the schema lives as long as
  // the process: a Map would keep every message of every request in memory.
  const known: Known<T> | undefined = once ? new WeakMap() : undefined;
  return z
    .array(z.unknown())
    .meta({ items: z.toJSONSchema(element, { io: "input", unrepresentable: "any" }), ...bounds(min, max) })
    .transform((items, context): z.output<T>[] => {
      if (items.length < min) context.addIssue(`must hold at least ${min}`);
      if (items.length > max) context.addIssue(`must hold at most ${max}`);
      if (items.length < min || items.length > max) return z.NEVER;
      const remembered = items.length > FEW_ELEMENTS ? known : undefined;
      return checkElements(items, { element, known: remembered ?? resultsInSlices(element) }, context);
    });
}

/** Results of elements that were checked before. */
type Known<T extends z.ZodType> = Pick<WeakMap<object, z.output<T>>, "get" | "set">;

interface Elements<T extends z.ZodType> {
  readonly element: T;
  readonly known: Known<T> | undefined;
}

function checkElements<T extends z.ZodType>(
  items: readonly unknown[],
  { element, known }: Elements<T>,
  context: z.RefinementCtx,
): z.output<T>[] {
  const values: z.output<T>[] = [];
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    const object = typeof item === "object" && item !== null ? item : undefined;
    const earlier = object && known?.get(object);
    if (earlier !== undefined) {
      values.push(earlier);
      continue;
    }
    const result = element.safeParse(item);
    if (!result.success) {
      for (const issue of result.error.issues) {
        context.issues.push({ ...issue, path: [i, ...issue.path] } as z.core.$ZodRawIssue);
      }
      return z.NEVER;
    }
    values.push(result.data);
    if (!object || !known) continue;
    known.set(object, result.data);
    endSliceInTime();
  }
  return values;
}

function bounds(min: number, max: number) {
  return { ...(min > 0 ? { minItems: min } : {}), ...(Number.isFinite(max) ? { maxItems: max } : {}) };
}
