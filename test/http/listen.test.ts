import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/create-app.js";
import { listen } from "../../src/http/listen.js";
import { LENIENT_CONNECTIONS } from "../helpers/lenient-connections.js";

function createPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-listen-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "socket");
}

function start(socket: string | null) {
  const app = createApp({ maxBodyBytes: 100, connections: LENIENT_CONNECTIONS });
  onTestFinished(() => app.close());
  app.get("/", async () => ({ ok: true }));
  return { app, listening: listen(app, { host: "127.0.0.1", port: 0, socket }) };
}

const getOver = (socketPath: string) =>
  new Promise<string>((resolve, reject) => {
    const sent = request({ socketPath, path: "/", agent: false }, (answer) => resolve(text(answer)));
    sent.on("error", reject).end();
  });

it("opens a port, and returns its address", async () => {
  const url = await start(null).listening;
  expect(await (await fetch(url)).json()).toEqual({ ok: true });
});

it("serves the same routes on a Unix socket that only its user may open, and removes it at its end", async () => {
  const path = createPath();
  const { app, listening } = start(path);
  const url = await listening;
  expect(await getOver(path)).toBe('{"ok":true}');
  expect(await (await fetch(url)).json()).toEqual({ ok: true });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await app.close();
  expect(existsSync(path)).toBe(false);
});

it("closes the port if the path of the socket is another file, or in use", async () => {
  const file = createPath();
  writeFileSync(file, "");
  const first = start(file);
  await expect(first.listening).rejects.toThrow(`server.socket cannot be opened: ${file} exists and is not a socket`);
  expect(first.app.server.listening).toBe(false);
  const used = createPath();
  const server = createServer().listen(used);
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  await expect(start(used).listening).rejects.toThrow(`another process listens on ${used}`);
  await expect(start(join(file, "socket")).listening).rejects.toThrow("ENOTDIR");
});
