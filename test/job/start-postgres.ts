import { onTestFinished } from "vitest";
import { temporaryFolder } from "../cli/rolltape.js";
import { PostgresServer } from "../helpers/postgres-server.js";

/** Starts a PostgreSQL server on loopback that ends with the test. */
export async function startPostgres(): Promise<PostgresServer> {
  const server = await PostgresServer.start({ data: temporaryFolder() });
  onTestFinished(() => server.kill());
  return server;
}
