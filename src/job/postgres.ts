import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type DatabaseRow, type JobDatabase, type RunStatement, TransactionQueue } from "./database.js";

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with `?schema=NAME` if not `rolltape`. A schema has one job. */
  readonly url: string;
  /** Called with the reason of each wait: another controller has the job, or the database does not answer. */
  readonly onWait?: ((why: string) => void) | undefined;
  /** Seconds to wait for a database that does not answer while it is opened. Default 0: it must answer at once. */
  readonly waitSeconds?: number | undefined;
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

  #lost: Error | undefined;

  private constructor(client: pg.Client) {
    this.#client = client;
    client.on("error", (error) => (this.#lost = error));
  }

  /**
   * Waits until no other controller has the job.
   *
   * @throws Error if the database cannot be reached or used
   */
  static async open({ url, onWait, waitSeconds = 0, signal }: PostgresOptions): Promise<PostgresDatabase> {
    const address = readUrl(url);
    const told = new Set<string>();
    const wait = async (why: string) => {
      if (!told.has(why)) onWait?.(why);
      told.add(why);
      await sleep(POLL_MS, undefined, { signal });
    };
    let silentSince: number | undefined;
    const waitForOther = () => {
      silentSince = undefined;
      return wait("another controller has the job");
    };
    for (;;) {
      try {
        return new PostgresDatabase(await connect(address, waitForOther));
      } catch (error) {
        silentSince ??= performance.now();
        if (!isAbsent(error) || performance.now() - silentSince >= waitSeconds * 1000) throw error;
        await wait(`the database does not answer (${error.message})`);
      }
    }
  }

  transaction<T>(work: (query: RunStatement) => Promise<T>, committed?: (result: T) => void): Promise<T> {
    return this.#transactions.run(() => this.#run(work), committed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transactions.ended();
    await this.#client.end().catch(() => undefined);
  }

  async #run<T>(work: (query: RunStatement) => Promise<T>): Promise<T> {
    try {
      await this.#client.query("begin");
      const result = await work(this.#query);
      await this.#client.query("commit");
      return result;
    } catch (error) {
      // If the connection is lost, the server has rolled it back.
      await this.#client.query("rollback").catch(() => undefined);
      throw this.#lost ? lostError(this.#lost) : error;
    }
  }

  readonly #query: RunStatement = async <R extends DatabaseRow>(
    text: string,
    ...values: readonly unknown[]
  ): Promise<R[]> => {
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

/** Connects and takes the lock of the job. While another controller has the lock, calls `waitForOther` before each retry. */
async function connect({ connectionString, schema }: Address, waitForOther: () => Promise<void>): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    application_name: "rolltape",
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
  });
  // Without a listener, a lost connection would end the process. The next query fails with the error.
  client.on("error", () => undefined);
  try {
    await client.connect();
    const name = pg.escapeIdentifier(schema);
    await client.query(`set tcp_keepalives_idle = ${KEEPALIVE_SECONDS}`);
    await client.query(`set tcp_keepalives_interval = 1`);
    await client.query(`set tcp_keepalives_count = ${KEEPALIVE_SECONDS}`);
    await client.query(`create schema if not exists ${name}`);
    await client.query(`set search_path to ${name}`);
    const lock = "select pg_try_advisory_lock(hashtext('rolltape'), hashtext($1)) as locked";
    while (!(await client.query<{ locked: boolean }>(lock, [schema])).rows[0]?.locked) await waitForOther();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

/** Codes that PostgreSQL reports while it starts or stops. */
const STOPPED_STATES: ReadonlySet<string> = new Set(["57P01", "57P02", "57P03"]);
const ABSENT_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** Returns true if the database may answer later. */
function isAbsent(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  if (STOPPED_STATES.has(code) || ABSENT_CODES.has(code)) return true;
  // The driver's own errors of a connection that ended or took too long have no code.
  return code === "" && /connection|timeout|not queryable/i.test(error.message);
}

function lostError(cause: Error): Error {
  const advice = "Another controller takes the job over. If there is none, start this command again with --resume";
  return new Error(`The connection to the job's database was lost (${cause.message}). ${advice}.`, { cause });
}

interface Address {
  readonly connectionString: string;
  readonly schema: string;
}

/** @throws Error if it is no URL of PostgreSQL */
function readUrl(url: string): Address {
  const parsed = new URL(url);
  if (parsed.protocol !== "postgres:" && parsed.protocol !== "postgresql:") {
    throw new Error(`The database of a job must be a postgres:// URL; received one of ${parsed.protocol}//.`);
  }
  const schema = parsed.searchParams.get("schema") ?? "rolltape";
  parsed.searchParams.delete("schema");
  return { connectionString: parsed.href, schema };
}
