/**
 * The page with 10,000 episodes of 64 turns in Chromium: time until the overview is drawn, work of the main thread for
 * each frame while the list is scrolled, filtered and sorted, and long tasks. `--episodes=1000` changes the size.
 */
import { parseArgs } from "node:util";
import type { CDPSession, Page } from "playwright-core";
import { HAS_CHROMIUM, launchBrowser } from "../../test/view/browser.js";
import { startFixtureServer } from "../../test/view/fixture-server.js";
import { type Row, skipped } from "../export/row.js";
import { BenchReport } from "../kit/report.js";
import { sized } from "../sized.js";

const FRAMES = sized(300, 10);
const FRAME_TARGET_MS = 8;
const { values } = parseArgs({ options: { episodes: { type: "string", default: String(sized(10_000, 100)) } } });
const episodes = Number(values.episodes);
const report = new BenchReport();

if (!HAS_CHROMIUM) {
  report.addRows([
    skipped(`the page with ${episodes} episodes`, "/usr/bin/chromium is missing (Debian's package chromium)"),
  ]);
  process.exit();
}

const rows: Row[] = [];

await using server = await startFixtureServer({ shape: { seed: 1, episodes, turns: 64, episodesPerStep: 128 } });
const browser = await launchBrowser();
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
await page.addInitScript(`
  window.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
`);
const client = await page.context().newCDPSession(page);
// Time of the thread, not of the clock: the browser shares the machine with others.
await client.send("Performance.enable", { timeDomain: "threadTicks" });

/** Milliseconds that the main thread worked so far. */
async function readWork(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
}

async function measureScroll(target: Page, pixels: number): Promise<void> {
  const before = await readWork(client);
  const longest: number = await target.evaluate(`new Promise((resolve) => {
    const table = document.querySelector(".table");
    longTasks.length = 0;
    let [left, last, longest] = [${FRAMES}, performance.now(), 0];
    const frame = (now) => {
      longest = Math.max(longest, now - last);
      last = now;
      table.scrollTop += ${pixels};
      if (--left > 0) requestAnimationFrame(frame); else resolve(longest);
    };
    requestAnimationFrame(frame);
  })`);
  const work = (await readWork(client)) - before;
  const longTasks: number = await target.evaluate("longTasks.length");
  rows.push({
    what: `scroll by ${pixels} pixels a frame: main thread`,
    measured: `${(work / FRAMES).toFixed(2)} ms a frame`,
    reference: `longest frame ${longest.toFixed(1)} ms, ${longTasks} long tasks`,
    verdict: { value: work / FRAMES, target: FRAME_TARGET_MS, bound: "at most", unit: " ms" },
  });
}

async function measureStep(name: string, step: () => Promise<void>): Promise<void> {
  const before = await readWork(client);
  await step();
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
  const measured = `${((await readWork(client)) - before).toFixed(0)} ms`;
  rows.push({ what: `${name}: main thread`, measured, reference: "" });
}

const started = performance.now();
await page.goto(server.url);
await page.locator(".plot canvas").first().waitFor();
rows.push({
  what: `overview of ${episodes} episodes, from the navigation`,
  measured: `${(performance.now() - started).toFixed(0)} ms`,
  reference: "",
});

await measureStep("open the list", async () => {
  await page.getByRole("link", { name: "Episodes", exact: true }).click();
  await page.locator(".row[aria-rowindex='2']").waitFor();
});
await measureScroll(page, 40);
await measureScroll(page, 200);
await measureScroll(page, 900);
await measureStep("sort by reward", () => page.getByRole("button", { name: "Reward" }).click());
await measureStep("type a filter", () => page.locator("#search").pressSequentially("parser"));
await browser.close();
report.addRows(rows);
