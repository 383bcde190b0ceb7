/** A value of a row. Databases agree on these; other types are written as text. */
export type SqlValue = string | number | null;

export type Row = Readonly<Record<string, SqlValue>>;

/** Runs a statement of a transaction. Values stand in the text as `?`. Returns the rows of a `select` or `returning`. */
export type Query = <R extends Row = Row>(text: string, ...values: readonly SqlValue[]) => Promise<R[]>;

/** The database of one job. Its transactions run one after the other, whichever process they come from. */
export interface JobDatabase extends AsyncDisposable {
  /**
   * Resolves with what `work` returns once its changes are durable. If it throws, nothing is changed.
   *
   * @param committed is called with the result before the next transaction of this process begins
   */
  transaction<T>(work: (query: Query) => Promise<T>, committed?: (result: T) => void): Promise<T>;
}
