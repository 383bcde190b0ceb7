import { ensureTinyModel } from "../../src/engine/index.js";
import { loadChatModel } from "../../src/model/load-chat-model.js";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { checkBatch } from "./check/check-batch.js";
import { FINDINGS, Findings } from "./check/findings.js";
import { FaultyEngine } from "./engine/faulty-engine.js";
import { findLeftovers } from "./leftovers.js";
import type { SoakOptions } from "./options.js";
import type { SoakResult } from "./report.js";
import { ResourceWatch } from "./resources.js";
import { type SoakServers, startBehindGateway, startDirect } from "./servers.js";
import { soak } from "./soak.js";
import { Tally } from "./tally.js";

/** Descriptors that a server may have opened for good, such as those of threads that it started during the load. */
const SPARE_DESCRIPTORS = 8;

/** Starts engine and servers, runs the load, and checks every export. */
export async function runSoak(
  options: SoakOptions,
  onProgress: (line: string) => void = () => {},
): Promise<SoakResult> {
  const decode = await loadDecoder();
  const engine = await FaultyEngine.start(options.seed);
  const servers = await (options.gateway ? startBehindGateway : startDirect)(engine.urls);
  const watches = servers.processes.map(({ name, pid }) => new ResourceWatch(name, pid));
  const [tally, findings] = [new Tally(), new Findings(FINDINGS)];
  const context = { log: engine.log, findings, decode };
  const progress = setInterval(() => {
    const { calls, sessions, exported } = tally;
    onProgress(`${calls} calls, ${sessions} sessions, ${exported.rows} rows checked, ${findings.total} wrong`);
  }, 5000);
  try {
    const updates = await soak({ url: servers.url, adminKey: ADMIN_KEY }, engine, options, {
      onAttempt: (attempt) => tally.addAttempt(attempt),
      onSession: () => void tally.sessions++,
      onBatch: (evidence) => tally.addBatch(checkBatch(evidence, context)),
    });
    await engine.close();
    const leftovers = options.settleSeconds > 0 ? await listLeftovers(servers, options.settleSeconds) : [];
    await Promise.all(watches.map((watch) => watch.stop(options.settleSeconds)));
    const problems = findings.examples();
    if (tally.exported.rows === 0) problems.push("no row was exported");
    if (options.settleSeconds > 0) problems.push(...leftovers, ...findLeaks(watches));
    return { tally, log: engine.log, updates, findings, watches, problems };
  } finally {
    clearInterval(progress);
    await engine.close();
    for (const watch of watches) watch.cancel();
    await servers.stop();
  }
}

/** Returns a function that writes tokens as the text that an agent reads. */
export async function loadDecoder(): Promise<(ids: readonly number[]) => string> {
  const model = await loadChatModel((await ensureTinyModel()).folder);
  return (ids) => model.decode(Int32Array.from(ids), { skipSpecialTokens: true });
}

async function listLeftovers({ processes }: SoakServers, settleSeconds: number): Promise<string[]> {
  const found = await Promise.all(
    processes.map(async ({ name, url }) =>
      (await findLeftovers(url, settleSeconds)).map((left) => `the ${name} still holds ${left}`),
    ),
  );
  return found.flat();
}

function findLeaks(watches: readonly ResourceWatch[]): string[] {
  return watches.flatMap(({ name, start, end }) => {
    const more = end.descriptors - start.descriptors;
    return more > SPARE_DESCRIPTORS ? [`the ${name} has ${more} file descriptors more than at its start`] : [];
  });
}
