import { describe, expect, it } from "vitest";
import { PostgresDatabase, type PostgresOptions } from "../../src/job/postgres.js";
import { findFreePort } from "../../src/scheduler/free-port.js";
import { createDeferred } from "../../src/support/async/deferred.js";
import { type Answer, ScriptedPostgres, type Statement } from "./scripted-postgres.js";

const LOCK = "select pg_try_advisory_lock(hashtext('rolltape'), hashtext($1)) as locked";

/** Answers of a server whose lock is free, unless `special` has another one. */
const answering = (special: (statement: Statement) => Answer | undefined) => (statement: Statement) =>
  special(statement) ?? { rows: statement.text === LOCK ? [{ locked: true }] : [] };

async function start(special: (statement: Statement) => Answer | undefined = () => undefined) {
  const server = await ScriptedPostgres.start();
  server.answer = answering(special);
  const waits: string[] = [];
  const open = (options: Partial<PostgresOptions> = {}) =>
    PostgresDatabase.open({ url: server.url, onWait: (why) => waits.push(why), ...options });
  return { server, waits, open };
}

/** Answers the first connections with these, and later ones as usual. */
function firstConnections(...answers: Answer[]) {
  return ({ text }: Statement) => (text === "connect" ? answers.shift() : undefined);
}

describe("a PostgreSQL database that is opened", () => {
  it("takes the lock of its schema, and notices a dead connection soon", async () => {
    const { server, open, waits } = await start();
    await using _database = await open();
    expect(server.startups).toMatchObject([{ user: "rolltape", database: "postgres", application_name: "rolltape" }]);
    expect(server.statements).toEqual(
      [
        ["set tcp_keepalives_idle = 5"],
        ["set tcp_keepalives_interval = 1"],
        ["set tcp_keepalives_count = 5"],
        ['create schema if not exists "rolltape"'],
        ['set search_path to "rolltape"'],
        [LOCK, "rolltape"],
      ].map(([text, ...values]) => ({ text, values })),
    );
    expect(waits).toEqual([]);
  });

  it("uses the schema of its address", async () => {
    const { server, open } = await start();
    await using _database = await open({ url: `${server.url.replace("postgres:", "postgresql:")}?schema=my%20"job"` });
    expect(server.statements.slice(-2)).toEqual([
      { text: 'set search_path to "my ""job"""', values: [] },
      { text: LOCK, values: ['my "job"'] },
    ]);
    expect(Object.keys(server.startups[0] ?? {})).not.toContain("schema");
  });

  it("waits while another controller has the job, and says so once", async () => {
    const locks = [false, false, true];
    const { open, waits, server } = await start(({ text }) =>
      text === LOCK ? { rows: [{ locked: locks.shift() ?? true }] } : undefined,
    );
    await using _database = await open();
    expect([waits, locks, server.startups.length]).toEqual([["another controller has the job"], [], 1]);
  });

  it("stops waiting when its signal aborts, and leaves no connection", async () => {
    const { open, server } = await start(({ text }) => (text === LOCK ? { rows: [{ locked: false }] } : undefined));
    const stopping = new AbortController();
    const opened = open({ onWait: () => stopping.abort(), signal: stopping.signal, waitSeconds: 60 });
    await expect(opened).rejects.toMatchObject({ name: "AbortError" });
    await expect.poll(() => server.ended).toBe(1);
  });

  it("waits for a server that starts, stops or closes connections, with the reason", async () => {
    const stopped = { code: "57P03", message: "the database system is starting up" };
    const { open, waits } = await start(firstConnections(stopped, stopped, "closed"));
    await using database = await open({ waitSeconds: 60 });
    expect(waits).toEqual([
      "the database does not answer (the database system is starting up)",
      "the database does not answer (Connection terminated unexpectedly)",
    ]);
    expect(await database.transaction((query) => query("select 1"))).toEqual([]);
  });

  it.each([
    "57P01",
    "57P02",
    "57P03",
    "ECONNREFUSED",
    "ECONNRESET",
    "EPIPE",
    "ETIMEDOUT",
    "EHOSTUNREACH",
    "ENETUNREACH",
  ])("waits after error %s", async (code) => {
    const { open } = await start(firstConnections({ code, message: "not now" }));
    const stopping = new AbortController();
    const waits: string[] = [];
    const onWait = (why: string) => {
      waits.push(why);
      stopping.abort();
    };
    const opened = open({ onWait, signal: stopping.signal, waitSeconds: 60 });
    await expect(opened).rejects.toMatchObject({ name: "AbortError" });
    expect(waits).toEqual(["the database does not answer (not now)"]);
  });

  it("waits for a server that does not listen yet", async () => {
    const port = await findFreePort();
    let late: Promise<unknown> | undefined;
    const onWait = (why: string) => {
      expect(why).toMatch(/^the database does not answer \(.*ECONNREFUSED/);
      late = ScriptedPostgres.start(port).then((server) => {
        server.answer = answering(() => undefined);
      });
    };
    const url = `postgres://rolltape@127.0.0.1:${port}/postgres`;
    await using _database = await PostgresDatabase.open({ url, onWait, waitSeconds: 60 });
    await late;
  });

  it("is refused at once with an error that waiting does not mend, and leaves no connection", async () => {
    const message = "permission denied for database postgres";
    const { open, waits, server } = await start(({ text }) =>
      text.startsWith("create schema") ? { code: "42501", message } : undefined,
    );
    await expect(open({ waitSeconds: 60 })).rejects.toThrow(message);
    expect(waits).toEqual([]);
    await expect.poll(() => server.ended).toBe(1);
  });

  it("is refused at once if its server does not run or answer, unless it is to wait", async () => {
    const url = `postgres://rolltape@127.0.0.1:${await findFreePort()}/postgres`;
    await expect(PostgresDatabase.open({ url })).rejects.toThrow(/ECONNREFUSED/);
    const { open, waits } = await start(firstConnections("closed"));
    await expect(open()).rejects.toThrow("Connection terminated unexpectedly");
    expect(waits).toEqual([]);
  });

  it("is refused at another kind of address", async () => {
    await expect(PostgresDatabase.open({ url: "mysql://localhost/x" })).rejects.toThrow(
      "The database of a job must be a postgres:// URL; received one of mysql://.",
    );
  });
});

describe("a transaction in PostgreSQL", () => {
  it("is committed with its values, before its listener is called", async () => {
    const { open, server } = await start(({ text }) =>
      text.startsWith("select") && text !== LOCK ? { rows: [{ a: "x" }] } : undefined,
    );
    await using database = await open();
    server.statements.length = 0;
    const texts = () => server.statements.map(({ text }) => text);
    const heard: unknown[] = [];
    const work = () =>
      database.transaction(
        (query) => query("select a from t where a = ? and b = ?", "x", 3),
        (rows) => heard.push(rows, texts().at(-1)),
      );
    expect(await work()).toEqual([{ a: "x" }]);
    await work();
    expect(heard.slice(0, 2)).toEqual([[{ a: "x" }], "commit"]);
    const select = { text: "select a from t where a = $1 and b = $2", values: ["x", "3"] };
    const [begin, commit] = [
      { text: "begin", values: [] },
      { text: "commit", values: [] },
    ];
    expect(server.statements).toEqual([begin, select, commit, begin, select, commit]);
  });

  it("is rolled back if it throws, or the server refuses a statement", async () => {
    const { open, server } = await start(({ text }) =>
      text === "wrong" ? { code: "42601", message: "syntax error" } : undefined,
    );
    await using database = await open();
    server.statements.length = 0;
    await expect(database.transaction(() => Promise.reject(new Error("not now")))).rejects.toThrow("not now");
    await expect(database.transaction((query) => query("wrong"))).rejects.toThrow("syntax error");
    const texts = server.statements.map(({ text }) => text);
    expect(texts).toEqual(["begin", "rollback", "begin", "wrong", "rollback"]);
  });

  it("fails with advice once the connection is lost", async () => {
    const { open, server } = await start();
    const database = await open();
    server.cut();
    const failed = database.transaction((query) => query("select 1"));
    await expect(failed).rejects.toThrow(
      /^The connection to the job's database was lost \(.*\)\. Another controller takes the job over\. If there is none, start this command again with --resume\.$/,
    );
    await database[Symbol.asyncDispose]();
  });

  it("ends before its database is closed", async () => {
    const { open, server } = await start();
    const database = await open();
    const gate = createDeferred<void>();
    const running = database.transaction(() => gate.promise);
    const closed = database[Symbol.asyncDispose]();
    await expect.poll(() => server.statements.at(-1)?.text).toBe("begin");
    expect(server.ended).toBe(0);
    gate.resolve();
    await running;
    await closed;
    expect(server.statements.at(-1)?.text).toBe("commit");
    await expect.poll(() => server.ended).toBe(1);
    await expect(database.transaction((query) => query("select 1"))).rejects.toThrow(/closed/);
  });
});
