import { z } from "zod";
import { BENCH_SIZES } from "../sized.js";
import { commitSchema } from "./commit.js";
import { machineSchema } from "./machine.js";
import { quantitySchema } from "./quantities.js";

/** Of the format. It changes if a reader of the previous version would misread a result. */
export const RESULT_SCHEMA = 1;

const verdictSchema = z.object({
  /** Null: a machine that was too busy gave no number. */
  value: z.number().nullable(),
  target: z.number(),
  bound: z.enum(["at least", "at most"]),
  /** Of value and target. */
  unit: z.string(),
  met: z.boolean(),
});

const rowSchema = z.object({
  /** The row's first cell: what was measured. */
  name: z.string(),
  /** Printed text of each column. */
  cells: z.array(z.string()),
  /** Numbers in the cells by column, with the precision that is printed. Columns without numbers are absent. */
  quantities: z.record(z.string(), z.array(quantitySchema)),
  /** What was measured, divided by its reference. Absent without a reference of the same unit. */
  ratio: z.number().optional(),
  /** The measured value with full precision, and its target. Absent without a target. */
  verdict: verdictSchema.optional(),
});

const tableSchema = z.object({
  /** Of the marker in a page: `bench:NAME`. */
  name: z.string().regex(/^[a-z-]+(\/[a-z-]+)?$/),
  columns: z.array(z.string()).min(1),
  rows: z.array(rowSchema),
});

/** The JSON file of one run of a benchmark. */
export const resultSchema = z
  .object({
    schema: z.literal(RESULT_SCHEMA),
    /** Name of its npm script, without `bench:`. */
    bench: z.string(),
    /** When it ended, in ISO 8601. */
    date: z.iso.datetime(),
    seconds: z.number().nonnegative().nullable(),
    commit: commitSchema.nullable(),
    machine: machineSchema,
    options: z.object({ size: z.enum(BENCH_SIZES), arguments: z.array(z.string()) }),
    tables: z.array(tableSchema).min(1),
  })
  .refine(
    ({ tables }) => tables.every(({ columns, rows }) => rows.every(({ cells }) => cells.length === columns.length)),
    {
      message: "A row has another number of cells than its table has columns.",
    },
  );

export type BenchResult = z.infer<typeof resultSchema>;
export type ResultTable = z.infer<typeof tableSchema>;
export type ResultRow = z.infer<typeof rowSchema>;
