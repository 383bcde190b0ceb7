import { z } from "zod";

export const quantitySchema = z.object({ value: z.number(), unit: z.string() });

/** A number of a table, and its unit. The unit is empty for a count. */
export type Quantity = z.infer<typeof quantitySchema>;

/** Not a digit of a name, a path or a version, such as those of p50, /v1 and 20.20.2. */
const NUMBER = String.raw`(?<![\w.,/-])(?<value>-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?)(?!\d|\.\d)`;
const UNIT = String.raw`(?: ?(?<unit>(?:[KMG]i?B|[KMG]|B|ms|µs|s|x|%)(?:\/s)?|\/s)(?!\w))?`;
const QUANTITY = new RegExp(NUMBER + UNIT, "g");
const IN_PARENTHESES = /\(([^()]+)\)\s*$/;

/**
 * Returns the numbers of a printed cell with their units: `1,372/s, p50 0.63 ms` are 1372 /s and 0.63 ms. So a result has exactly the
 * numbers that the table shows.
 *
 * @param header of the column. It gives the unit of numbers without one, if it ends with a unit in parentheses: `worst (ms)`
 */
export function readQuantities(text: string, header = ""): Quantity[] {
  const unitOfColumn = IN_PARENTHESES.exec(header)?.[1] ?? "";
  return [...text.matchAll(QUANTITY)].map(({ groups = {} }) => ({
    value: Number(groups["value"]?.replaceAll(",", "")),
    unit: groups["unit"] ?? unitOfColumn,
  }));
}
