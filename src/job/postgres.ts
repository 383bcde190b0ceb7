import pg from "pg";
import { type JobDatabase, type Query, type Row, TransactionQueue } from "./database.js";

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with `?schema=NAME` if not `rolltape`. A schema has one job. */
  readonly url: string;
  /** Is told once if another controller has the job, which is waited for. */
  readonly onWait?: (() => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How often a controller that waits asks again. */
const POLL_MS = 500;
/** A controller whose network was cut ends after this time. */
const QUERY_MS = 30_000;
const CONNECT_MS = 10_000;
/** After this time without an answer, the server notices that a controller's machine is gone, and gives the job to the next one. */
const KEEPALIVE_SECONDS = 5;

/**
 * A schema of a PostgreSQL database. One controller has it at a time; others wait until its connection ends.
 *
 * The connection that holds the lock runs all transactions. So a controller that has lost the lock, for example because its network was
 * cut, cannot write any more, and ends.
 */
export class PostgresDatabase implements JobDatabase {
  readonly #client: pg.Client;
  readonly #texts = new Map<string, string>();
  readonly #transactions = new TransactionQueue();

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /**
   * Waits until no other controller has the job.
   *
   * @throws Error if the database cannot be reached or used
   */
  static async open({ url, onWait, signal }: PostgresOptions): Promise<PostgresDatabase> {
    const { connectionString, schema } = readUrl(url);
    const client = new pg.Client({
      connectionString,
      application_name: "rolltape",
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: QUERY_MS,
    });
    const database = new PostgresDatabase(client);
    // The transaction that meets the lost connection reports it.
    client.on("error", () => undefined);
    try {
      await client.connect();
      const name = pg.escapeIdentifier(schema);
      await client.query(`set tcp_keepalives_idle = ${KEEPALIVE_SECONDS}`);
      await client.query(`set tcp_keepalives_interval = 1`);
      await client.query(`set tcp_keepalives_count = ${KEEPALIVE_SECONDS}`);
      await client.query(`create schema if not exists ${name}`);
      await client.query(`set search_path to ${name}`);
      await waitForLock(client, schema, { onWait, signal });
      return database;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  transaction<T>(work: (query: Query) => Promise<T>, committed?: (result: T) => void): Promise<T> {
    return this.#transactions.run(() => this.#run(work), committed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transactions.ended();
    await this.#client.end().catch(() => undefined);
  }

  async #run<T>(work: (query: Query) => Promise<T>): Promise<T> {
    await this.#client.query("begin");
    try {
      const result = await work(this.#query);
      await this.#client.query("commit");
      return result;
    } catch (error) {
      // If the connection is lost, the server has rolled it back.
      await this.#client.query("rollback").catch(() => undefined);
      throw error;
    }
  }

  readonly #query: Query = async <R extends Row>(text: string, ...values: readonly unknown[]): Promise<R[]> => {
    const { rows } = await this.#client.query<R>(this.#translate(text), [...values]);
    return rows;
  };

  /** Returns the statement with its values as `$1`, `$2`, … */
  #translate(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    let number = 0;
    const translated = text.replace(/\?/g, () => `$${++number}`);
    this.#texts.set(text, translated);
    return translated;
  }
}

async function waitForLock(
  client: pg.Client,
  schema: string,
  { onWait, signal }: Pick<PostgresOptions, "onWait" | "signal">,
): Promise<void> {
  const text = "select pg_try_advisory_lock(hashtext('rolltape'), hashtext($1)) as locked";
  for (let tries = 0; ; tries++) {
    signal?.throwIfAborted();
    const { rows } = await client.query<{ locked: boolean }>(text, [schema]);
    if (rows[0]?.locked) return;
    if (tries === 0) onWait?.();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** @throws Error if it is no URL of PostgreSQL */
function readUrl(url: string): { readonly connectionString: string; readonly schema: string } {
  const parsed = new URL(url);
  if (parsed.protocol !== "postgres:" && parsed.protocol !== "postgresql:") {
    throw new Error(`The database of a job must be a postgres:// URL; received one of ${parsed.protocol}//.`);
  }
  const schema = parsed.searchParams.get("schema") ?? "rolltape";
  parsed.searchParams.delete("schema");
  return { connectionString: parsed.href, schema };
}
