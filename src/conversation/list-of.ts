import { z } from "zod";

/**
 * An array that is checked element by element up to the first that is wrong. zod's own arrays collect an issue for every
 * element, which makes gigabytes of a hostile body.
 */
export function listOf<T extends z.ZodType>(element: T, { min = 0, max = Number.POSITIVE_INFINITY } = {}) {
  return z
    .array(z.unknown())
    .meta({ items: z.toJSONSchema(element, { io: "input", unrepresentable: "any" }), ...bounds(min, max) })
    .transform((items, context): z.output<T>[] => {
      if (items.length < min) context.addIssue(`must hold at least ${min}`);
      if (items.length > max) context.addIssue(`must hold at most ${max}`);
      if (items.length < min || items.length > max) return z.NEVER;
      return checked(items, element, context);
    });
}

function checked<T extends z.ZodType>(items: readonly unknown[], element: T, context: z.RefinementCtx): z.output<T>[] {
  const values: z.output<T>[] = [];
  for (const [i, item] of items.entries()) {
    const result = element.safeParse(item);
    if (!result.success) {
      for (const issue of result.error.issues) {
        context.issues.push({ ...issue, path: [i, ...issue.path] } as z.core.$ZodRawIssue);
      }
      return z.NEVER;
    }
    values.push(result.data);
  }
  return values;
}

function bounds(min: number, max: number) {
  return { ...(min > 0 ? { minItems: min } : {}), ...(Number.isFinite(max) ? { maxItems: max } : {}) };
}
