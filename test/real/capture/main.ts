import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCheckpoints } from "./checkpoints.js";
import { type Capture, type CaptureRequest, exchange } from "./exchange.js";
import type { Script } from "./script.js";
import { SGLANG } from "./sglang.js";
import { VLLM } from "./vllm.js";

/**
 * Captures the answers of a real engine server as fixtures: `npm run test:real:capture -- vllm development URL MODEL`.
 * The flags of each server are in vllm.ts and sglang.ts.
 */

const ENGINES: Readonly<
  Record<string, { readonly folder: string; readonly scripts: Readonly<Record<string, Script>> }>
> = {
  vllm: { folder: "vllm-0.32", scripts: VLLM },
  sglang: { folder: "sglang-0.5.23", scripts: SGLANG },
};

/** Where the changed copies of the model are. The name appears in the captures. */
const CHECKPOINTS = "/tmp/rolltape-capture";

const FIXTURES = new URL("../../fixtures/engines/", import.meta.url).pathname;

async function main([
  engineName = "",
  scriptName = "",
  url = "",
  model = "",
  enginePid = "",
]: readonly string[]): Promise<void> {
  const engine = ENGINES[engineName];
  const script = engine?.scripts[scriptName];
  if (!engine || !script || !url || !model) throw new Error(usage());
  const folder = join(FIXTURES, engine.folder, scriptName);
  mkdirSync(folder, { recursive: true });
  const start = (name: string, request: CaptureRequest) => {
    const sent = exchange(url, request);
    const capture = sent.capture.then((taken) => {
      writeFileSync(join(folder, `${name}.json`), toText(taken));
      process.stdout.write(`${taken.status} ${name}\n`);
      return taken;
    });
    return { ...sent, capture };
  };
  const take = async (name: string, request: CaptureRequest) => void (await start(name, request).capture);
  const killEngine = () => void process.kill(Number(enginePid), "SIGKILL");
  await script.run({ folders: makeCheckpoints(model, CHECKPOINTS), start, take, killEngine });
}

/** One member per line. */
function toText(capture: Capture): string {
  const lines = Object.entries(capture).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

function usage(): string {
  const lines = Object.entries(ENGINES).flatMap(([engine, { scripts }]) =>
    Object.entries(scripts).map(
      ([name, { flags }]) => `  ${engine} ${name} URL MODEL [ENGINE_PID]   against: ${flags}`,
    ),
  );
  return `Usage: npm run test:real:capture -- ENGINE SCRIPT URL MODEL [ENGINE_PID]\n${lines.join("\n")}`;
}

await main(process.argv.slice(2));
