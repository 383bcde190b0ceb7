import { z } from "zod";

export interface ListOptions {
  readonly min?: number;
  readonly max?: number;
  /**
   * Elements are objects that nobody changes, read once: an object that comes again, in a list that goes on from an
   * earlier one, is what it was then.
   */
  readonly once?: boolean;
}

/**
 * An array that is checked element by element up to the first that is wrong. zod's own arrays collect an issue for every
 * element, which makes gigabytes of a hostile body.
 */
export function listOf<T extends z.ZodType>(
  element: T,
  { min = 0, max = Number.POSITIVE_INFINITY, once = false }: ListOptions = {},
) {
  const known = once ? new WeakMap<object, z.output<T>>() : undefined;
  return z
    .array(z.unknown())
    .meta({ items: z.toJSONSchema(element, { io: "input", unrepresentable: "any" }), ...bounds(min, max) })
    .transform((items, context): z.output<T>[] => {
      if (items.length < min) context.addIssue(`must hold at least ${min}`);
      if (items.length > max) context.addIssue(`must hold at most ${max}`);
      if (items.length < min || items.length > max) return z.NEVER;
      return checked(items, { element, known }, context);
    });
}

interface Elements<T extends z.ZodType> {
  readonly element: T;
  readonly known: WeakMap<object, z.output<T>> | undefined;
}

function checked<T extends z.ZodType>(
  items: readonly unknown[],
  { element, known }: Elements<T>,
  context: z.RefinementCtx,
): z.output<T>[] {
  const values: z.output<T>[] = [];
  for (const [i, item] of items.entries()) {
    const object = typeof item === "object" && item !== null ? item : undefined;
    const before = object && known?.get(object);
    if (before !== undefined) {
      values.push(before);
      continue;
    }
    const result = element.safeParse(item);
    if (!result.success) {
      for (const issue of result.error.issues) {
        context.issues.push({ ...issue, path: [i, ...issue.path] } as z.core.$ZodRawIssue);
      }
      return z.NEVER;
    }
    if (object) known?.set(object, result.data);
    values.push(result.data);
  }
  return values;
}

function bounds(min: number, max: number) {
  return { ...(min > 0 ? { minItems: min } : {}), ...(Number.isFinite(max) ? { maxItems: max } : {}) };
}
