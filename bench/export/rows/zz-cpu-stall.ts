import { readFileSync } from "node:fs";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { Session } from "node:inspector/promises";
import { BodyReader } from "../body-reader.js";
import { DISCOUNT, makeLoad, recordedStore } from "../load.js";
import { collectGarbage } from "../measure.js";
import { exportOptions } from "../options.js";
import { ADMIN_KEY } from "../proxy.js";
import { createRecordedServer } from "../recorded-server.js";
const SHAPE = { sessions: 10_000, turns: 16, tokens: 64 };
const file = `/proc/self/task/${process.pid}/schedstat`;
const cpu = () => Number(readFileSync(file, "latin1").split(" ")[0]) / 1e6;
const S = new Session(); S.connect();
async function stall(work: () => Promise<unknown>, show: boolean) {
  const ticks: [number, number, number][] = []; const gcs: any[] = [];
  const ob = new PerformanceObserver((l) => gcs.push(...l.getEntries())); ob.observe({ entryTypes: ["gc"] });
  if (show) { await S.post("Profiler.enable"); await S.post("Profiler.setSamplingInterval", { interval: 250 }); await S.post("Profiler.start"); }
  const tick = () => ticks.push([performance.now(), cpu(), Number(process.hrtime.bigint() / 1000n)]);
  const timer = setInterval(tick, 1); await sleep(3); await work(); await sleep(3); clearInterval(timer);
  const prof: any = show ? (await S.post("Profiler.stop")).profile : undefined;
  await sleep(50); ob.disconnect();
  const gaps = ticks.slice(1).map((t, i) => ({ a: ticks[i]!, b: t, wall: t[0] - ticks[i]![0], cpu: t[1] - ticks[i]![1] })).sort((x, y) => y.wall - x.wall).slice(0, 3);
  for (const g of gaps) {
    const gc = gcs.filter((e) => e.startTime + e.duration > g.a[0] && e.startTime < g.b[0]).map((e) => `${e.detail.kind}:${e.duration.toFixed(1)}`).join(",");
    console.log("wall", g.wall.toFixed(1), "cpu", g.cpu.toFixed(1), "at", (g.a[0] - ticks[0]![0]).toFixed(0), "gc", gc);
    if (!prof) continue;
    const by = new Map<number, any>(prof.nodes.map((n: any) => [n.id, n])); const par = new Map<number, number>(); for (const n of prof.nodes) for (const c of n.children ?? []) par.set(c, n.id);
    const nm = (id: number) => { const f = by.get(id).callFrame; return `${f.functionName} ${f.url.split("/").slice(-2).join("/")}:${f.lineNumber}`; };
    let t = prof.startTime; const m = new Map<string, number>();
    for (let i = 0; i < prof.samples.length; i++) { t += prof.timeDeltas[i]; if (t < g.a[2] || t > g.b[2]) continue; const ch = []; for (let id: number | undefined = prof.samples[i]; id !== undefined; id = par.get(id)) ch.push(nm(id)); const k = ch.slice(0, 5).join(" < "); m.set(k, (m.get(k) ?? 0) + prof.timeDeltas[i]); }
    console.log([...m].sort((x, y) => y[1] - x[1]).slice(0, 6).map(([k, v]) => `      ${(v / 1000).toFixed(1)} ${k}`).join("\n"));
  }
}
const which = process.argv[2]; const rounds = Number(process.argv[3] ?? 6);
if (which === "lib") {
  const { store, ids } = recordedStore(makeLoad(SHAPE));
  for (let r = 0; r < rounds; r++) { collectGarbage(); await sleep(20); console.log("round", r); await stall(async () => { (await store.exportBatch(ids, exportOptions())).release(); }, r > 1); }
  store.close();
} else {
  const { app, ids } = await createRecordedServer(SHAPE, ADMIN_KEY);
  const url = await app.listen({ host: "127.0.0.1", port: 0 }); const reader = new BodyReader();
  const body = JSON.stringify({ session_ids: ids, discount: DISCOUNT });
  for (let r = 0; r < rounds; r++) { collectGarbage(); await sleep(20); console.log("round", r); await stall(() => reader.post(`${url}/export_batch`, body, ADMIN_KEY), r > 1); }
  await reader.close(); await app.close();
}
process.exit(0);
void constants;
