import type { z } from "zod";

/** One row of a table: a fact that is recorded of a call. */
export interface Fact {
  /** Name in JSON, and of its row column. */
  readonly json: string;
  /** Accepts a value, whoever gives it. Undefined is null in JSON. */
  readonly schema: z.ZodType;
  /** Accepts what a trainer bridge may record, if its engine takes more values than a request may ask for. */
  readonly recorded?: z.ZodType;
  /** The value of calls that were recorded without the fact. */
  readonly missing?: number | boolean | string | undefined;
  /** Its row column. Absent: it has none. */
  readonly column?: FactColumn;
}

/** A tensor of a batch with one value per row and per turn. */
export interface FactColumn {
  readonly dtype: "I32" | "F32" | "BOOL";
  /**
   * Position among the words that are stored of a call, or, of a column of texts, among its labels. It never changes, because calls
   * are stored with it: a new fact takes the next one.
   */
  readonly slot: number;
  /** The value of `undefined`, and of calls that were stored without the fact. */
  readonly none: number;
  /** Of a column of texts: those that have the codes 0, 1, 2, … in every batch. */
  readonly labels?: readonly string[];
  /** The text of docs/reference/batch-format.md, also printed by `rolltape inspect`. */
  readonly meaning: string;
}

export const f32 = (slot: number, meaning: string): FactColumn => ({ dtype: "F32", slot, meaning, none: 0 });
export const i32 = (slot: number, meaning: string, none = 0): FactColumn => ({ dtype: "I32", slot, meaning, none });
export const bool = (slot: number, meaning: string): FactColumn => ({ dtype: "BOOL", slot, meaning, none: 0 });
export const label = (slot: number, meaning: string, labels: readonly string[] = []): FactColumn => ({
  dtype: "I32",
  slot,
  meaning,
  none: -1,
  labels,
});

/** The values of a table, by the names of its rows. */
export type FactValues<Table extends Record<string, Fact>> = {
  readonly [Name in keyof Table]: z.output<Table[Name]["schema"]>;
};

/** Returns the values of a call that was recorded without any of these facts. */
export function missingValues<Table extends Record<string, Fact>>(table: Table): FactValues<Table> {
  return Object.fromEntries(Object.entries(table).map(([name, { missing }]) => [name, missing])) as FactValues<Table>;
}
