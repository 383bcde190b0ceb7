import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A statement as PostgreSQL receives it. */
export interface Statement {
  readonly text: string;
  readonly values: readonly string[];
}

export type Answer =
  | { readonly rows: readonly Readonly<Record<string, string | boolean>>[] }
  | { readonly code: string; readonly message: string }
  /** Closes the connection without an answer. */
  | "closed";

const OIDS = { boolean: 16, string: 25 } as const;

const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`);

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

const READY = message("Z", Buffer.from("I"));

/** A server that speaks PostgreSQL's protocol and answers each statement as the test says. It stores nothing. */
export class ScriptedPostgres {
  /** Statements of all connections, in the order in which they came. */
  readonly statements: Statement[] = [];
  /** Settings of each connection, such as `application_name`. */
  readonly startups: Record<string, string>[] = [];
  /** Number of connections that their client ended in order. */
  ended = 0;
  /** Default: no rows. */
  answer: (statement: Statement) => Answer | Promise<Answer> = () => ({ rows: [] });
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** @param port default: any */
  static async start(port = 0): Promise<ScriptedPostgres> {
    const server = new ScriptedPostgres();
    server.#server.listen(port, "127.0.0.1");
    await once(server.#server, "listening");
    onTestFinished(() => server.stop());
    return server;
  }

  get url(): string {
    return `postgres://rolltape@127.0.0.1:${(this.#server.address() as AddressInfo).port}/postgres`;
  }

  /** Cuts all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  stop(): void {
    this.cut();
    this.#server.close();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => this.#sockets.delete(socket));
    void this.#answerAll(socket).catch(() => socket.destroy());
  }

  async #answerAll(socket: Socket): Promise<void> {
    let received: Buffer = Buffer.alloc(0);
    let isStarted = false;
    const parsed = { text: "", values: [] as string[] };
    for await (const bytes of socket as AsyncIterable<Buffer>) {
      received = Buffer.concat([received, bytes]);
      for (;;) {
        const head = isStarted ? 1 : 0;
        if (received.length < head + 4 || received.length < head + received.readInt32BE(head)) break;
        const end = head + received.readInt32BE(head);
        const [type, body] = [
          isStarted ? String.fromCharCode(received[0] ?? 0) : "start",
          received.subarray(head + 4, end),
        ];
        received = received.subarray(end);
        isStarted = true;
        if (type === "start") await this.#start(socket, body);
        if (type === "P") parsed.text = body.toString().split("\0")[1] ?? "";
        if (type === "B") parsed.values = readValues(body);
        if (type === "S") await this.#run(socket, { ...parsed }, [message("1"), message("2")]);
        if (type === "Q") await this.#run(socket, { text: body.toString("utf8", 0, body.length - 1), values: [] }, []);
        if (type === "X") this.ended++;
      }
    }
  }

  async #start(socket: Socket, body: Buffer): Promise<void> {
    const parts = body.subarray(4).toString().split("\0");
    const pairs = parts.flatMap((name, i) => (i % 2 === 0 && name !== "" ? [[name, parts[i + 1] ?? ""] as const] : []));
    this.startups.push(Object.fromEntries(pairs));
    await this.#reply(socket, { text: "connect", values: [] }, () => [message("R", int32(0))]);
  }

  async #run(socket: Socket, statement: Statement, before: readonly Buffer[]): Promise<void> {
    this.statements.push(statement);
    await this.#reply(socket, statement, (rows) => [...before, ...describeRows(rows), message("C", text("DONE"))]);
  }

  async #reply(
    socket: Socket,
    statement: Statement,
    toMessages: (rows: readonly Readonly<Record<string, string | boolean>>[]) => readonly Buffer[],
  ): Promise<void> {
    const answer = await this.answer(statement);
    if (answer === "closed") socket.destroy();
    else if ("rows" in answer) socket.write(Buffer.concat([...toMessages(answer.rows), READY]));
    else {
      const fields = [`SERROR`, `C${answer.code}`, `M${answer.message}`].map(text);
      socket.write(Buffer.concat([message("E", ...fields, Buffer.from([0])), READY]));
    }
  }
}

function readValues(body: Buffer): string[] {
  let at = body.indexOf(0, body.indexOf(0) + 1) + 1;
  at += 2 + 2 * body.readInt16BE(at);
  const count = body.readInt16BE(at);
  at += 2;
  return Array.from({ length: count }, () => {
    const length = body.readInt32BE(at);
    at += 4 + Math.max(0, length);
    return length < 0 ? "null" : body.toString("utf8", at - length, at);
  });
}

function describeRows(rows: readonly Readonly<Record<string, string | boolean>>[]): Buffer[] {
  const [first] = rows;
  if (!first) return [message("n")];
  const columns = Object.entries(first).map(([name, value]) =>
    Buffer.concat([
      text(name),
      int32(0),
      int16(0),
      int32(typeof value === "boolean" ? OIDS.boolean : OIDS.string),
      int16(8),
      int32(0),
      int16(0),
    ]),
  );
  const cell = (value: string | boolean) => {
    const bytes = Buffer.from(typeof value === "boolean" ? (value ? "t" : "f") : value);
    return Buffer.concat([int32(bytes.length), bytes]);
  };
  return [
    message("T", int16(columns.length), ...columns),
    ...rows.map((row) => message("D", int16(columns.length), ...Object.values(row).map(cell))),
  ];
}
