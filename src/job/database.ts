/** A value of a row. Databases agree on these; other types are written as text. */
export type SqlValue = string | number | null;

export type DatabaseRow = Readonly<Record<string, SqlValue>>;

/** Runs a statement of a transaction. Values stand in the text as `?`. Returns the rows of a `select` or `returning`. */
export type RunStatement = <R extends DatabaseRow = DatabaseRow>(
  text: string,
  ...values: readonly SqlValue[]
) => Promise<R[]>;

/** Runs transactions one after the other. */
export class TransactionQueue {
  /** The transaction that runs, or the last one. */
  #last: Promise<unknown> = Promise.resolve();

  /** See {@link JobDatabase.transaction}. */
  run<T>(transaction: () => Promise<T>, committed?: (result: T) => void): Promise<T> {
    const next = this.#last.then(async () => {
      const result = await transaction();
      committed?.(result);
      return result;
    });
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** Resolves when all transactions so far have ended. */
  async ended(): Promise<void> {
    await this.#last;
  }
}

/** The database of one job. Its transactions run one after the other, whichever process they come from. */
export interface JobDatabase extends AsyncDisposable {
  /**
   * Resolves with what `work` returns once its changes are durable. If it throws, nothing is changed.
   *
   * @param committed is called with the result before the next transaction of this process begins
   */
  transaction<T>(work: (query: RunStatement) => Promise<T>, committed?: (result: T) => void): Promise<T>;
}
