import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type Libsql from "libsql";
import { unusableFolderError } from "../storage/errors.js";
import { type DatabaseRow, type JobDatabase, type RunStatement, TransactionQueue } from "./database.js";
import { LastCommit } from "./last-commit.js";

const FILE = "job.db";

interface CommitRow {
  readonly number: number;
}

export interface SqliteOptions {
  /** Folder of the database; absent: it is in memory and ends with this process. */
  readonly directory?: string | undefined;
  /** False: commits are not forced to the disk. They survive the death of the process, but not that of the machine. */
  readonly synced?: boolean | undefined;
}

/**
 * A database in a folder, which one process has open at a time, or in memory.
 *
 * SQLite drops the end of a log that is damaged, and says nothing. So each transaction has a number, the last one is also
 * noted in a file of its own, and a database that ends before it is refused.
 */
export class SqliteDatabase implements JobDatabase {
  readonly #database: Libsql.Database;
  readonly #statements = new Map<string, Libsql.Statement>();
  readonly #lastCommit: LastCommit | undefined;
  /** True if the transaction that runs has a statement other than `select`. */
  #writes = false;
  readonly #transactions = new TransactionQueue();

  /** @throws StorageError `storage_unusable` if the folder cannot be used, or its database is damaged or open elsewhere */
  constructor({ directory, synced = true }: SqliteOptions = {}) {
    this.#database = openDatabase(directory);
    if (directory === undefined) return;
    try {
      // One process works on a job. Its lock ends with it, however it ends.
      for (const pragma of [
        "locking_mode = exclusive",
        "journal_mode = wal",
        `synchronous = ${synced ? "full" : "normal"}`,
      ])
        this.#database.pragma(pragma);
      this.#database.exec("create table if not exists commits (number integer not null)");
      this.#check();
      this.#lastCommit = new LastCommit(directory);
      this.#lastCommit.require(this.#readCommits());
    } catch (error) {
      this.#close();
      this.#lastCommit?.close();
      throw toFolderError(directory, error);
    }
  }

  transaction<T>(work: (query: RunStatement) => Promise<T>, committed?: (result: T) => void): Promise<T> {
    return this.#transactions.run(() => this.#run(work), committed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transactions.ended();
    this.#close();
    this.#lastCommit?.close();
  }

  /** libsql keeps a connection with its locks until its statements are collected as garbage, so the locks are given up first. */
  #close(): void {
    try {
      if (!this.#database.memory) {
        for (const pragma of ["journal_mode = delete", "locking_mode = normal"]) this.#database.pragma(pragma);
        this.#database.exec("select * from commits");
      }
    } catch {
      // A disk that fails keeps the locks until this process ends.
    }
    this.#database.close();
  }

  async #run<T>(work: (query: RunStatement) => Promise<T>): Promise<T> {
    this.#database.exec("begin immediate");
    this.#writes = false;
    try {
      const result = await work(this.#query);
      // A transaction that only reads has nothing to be lost, and is not written to the disk.
      const number = this.#writes && this.#lastCommit ? this.#countCommit() : undefined;
      this.#database.exec("commit");
      if (number !== undefined) this.#lastCommit?.note(number);
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec("rollback");
      throw error;
    }
  }

  readonly #query: RunStatement = async <R extends DatabaseRow>(
    text: string,
    ...values: readonly unknown[]
  ): Promise<R[]> => {
    const statement = this.#prepare(text);
    if (!text.startsWith("select")) this.#writes = true;
    if (statement.reader) return statement.all(...values) as R[];
    statement.run(...values);
    return [];
  };

  #prepare(text: string): Libsql.Statement {
    const known = this.#statements.get(text) ?? this.#database.prepare(text);
    this.#statements.set(text, known);
    return known;
  }

  #countCommit(): number {
    const [row] = this.#prepare("update commits set number = number + 1 returning number").all() as [CommitRow];
    return row.number;
  }

  #readCommits(): number {
    const row = this.#prepare("select number from commits").get() as CommitRow | undefined;
    if (row) return row.number;
    this.#database.exec("insert into commits values (0)");
    return 0;
  }

  /** @throws Error if a page of the database is damaged */
  #check(): void {
    const [row] = this.#prepare("pragma quick_check(1)").all() as { quick_check: string }[];
    if (row?.quick_check !== "ok") throw new Error(`it is damaged: ${row?.quick_check ?? "unreadable"}`);
  }
}

function openDatabase(directory: string | undefined): Libsql.Database {
  // Loaded when the first job opens, because a program that runs none needs no database.
  const Database = createRequire(import.meta.url)("libsql") as typeof Libsql;
  if (directory === undefined) return new Database(":memory:");
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return new Database(join(directory, FILE));
  } catch (error) {
    throw toFolderError(directory, error);
  }
}

function toFolderError(directory: string, error: unknown): Error {
  const reason = isBusy(error) ? "is in use by another process" : `cannot be used: ${(error as Error).message}`;
  return unusableFolderError(directory, reason, error);
}

function isBusy(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === "SQLITE_BUSY" || code === "SQLITE_LOCKED";
}

/** Returns true if a folder could not be opened because another process has it. */
export function isInUse(error: unknown): boolean {
  return error instanceof Error && isBusy(error.cause ?? {});
}
