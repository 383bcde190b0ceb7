import { existsSync, linkSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Rolltape, rolltape, temporaryFolder } from "../cli/rolltape.js";
import { HttpTrainer } from "../helpers/http-trainer.js";
import { sharedDirectory } from "../helpers/shared-directory.js";

/** What servers leave behind when they are killed: batches in shared memory, and registrations. Real processes. */

const TIMES = { timeout: 120_000 };
const ADMIN = "sk-admin-of-many-workers";

interface Held {
  readonly server: Rolltape;
  readonly tag: string;
  /** The file of a batch that no trainer has taken. */
  readonly path: string;
}

async function serve(tag: string, folder: string, directory: string): Promise<{ server: Rolltape; url: string }> {
  const server = rolltape(
    [
      "serve",
      "server.port=0",
      "server.shutdown_seconds=0",
      `server.worker_tag=${tag}`,
      `server.workers_folder=${folder}`,
      `server.shared_memory_directory=${directory}`,
    ],
    { ROLLTAPE_ADMIN_API_KEY: ADMIN },
  );
  const { url } = await server.ready();
  return { server, url };
}

async function serveWithBatch(tag: string, folder: string, directory: string): Promise<Held> {
  const { server, url } = await serve(tag, folder, directory);
  const trainer = new HttpTrainer(url, ADMIN);
  const id = await trainer.converse("hello", 1, { max_tokens: 2 });
  const reply = await trainer.post("/export_batch", { session_ids: [id], transport: "shm" });
  const { path } = (await reply.json()) as { path: string };
  return { server, tag, path };
}

async function kill({ server }: { server: Rolltape }, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  server.process.kill(signal);
  await server.ended;
}

it(
  "removes the files of dead servers when a server starts and when it stops, and keeps those of living servers",
  TIMES,
  async () => {
    const folder = join(temporaryFolder(), "workers");
    const directory = sharedDirectory();
    const [dead, living] = [
      await serveWithBatch("dead", folder, directory),
      await serveWithBatch("living", folder, directory),
    ];
    const taken = join(directory, "taken.safetensors");
    linkSync(dead.path, taken);
    const bytes = readFileSync(living.path);
    const elsewhere = { url: "http://10.0.0.1:8090", tag: "elsewhere", host: "another", pid: 1 };
    writeFileSync(join(folder, "elsewhere.json"), JSON.stringify(elsewhere));
    await kill(dead, "SIGKILL");
    expect([existsSync(dead.path), existsSync(join(folder, "dead.json"))]).toEqual([true, true]);

    const next = await serve("next", folder, directory);
    const registrations = () => readdirSync(folder).filter((name) => name.endsWith(".json"));
    expect(registrations().toSorted()).toEqual(["elsewhere.json", "living.json", "next.json"]);
    const pools = () => readdirSync(directory).filter((name) => name.startsWith("rolltape-"));
    expect(pools().filter((name) => name.startsWith(`rolltape-${dead.server.process.pid}-`))).toEqual([]);
    expect(readFileSync(living.path).equals(bytes)).toBe(true);
    expect(existsSync(taken)).toBe(true);

    await kill(living, "SIGKILL");
    await kill(next, "SIGTERM");
    expect(registrations()).toEqual(["elsewhere.json"]);
    expect(pools()).toEqual([]);
    expect(existsSync(taken)).toBe(true);
  },
);
