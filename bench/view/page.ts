/**
 * The page with 10,000 episodes of 64 turns in Chromium: time until the overview is drawn, work of the main thread for
 * each frame while the list is scrolled, filtered and sorted, and long tasks. `--episodes=1000` changes the size.
 */
import { parseArgs } from "node:util";
import type { CDPSession, Page } from "playwright-core";
import { HAS_CHROMIUM, launchBrowser } from "../../test/view/browser.js";
import { startFixtureServer } from "../../test/view/fixture-server.js";

const FRAMES = 300;
const { values } = parseArgs({ options: { episodes: { type: "string", default: "10000" } } });
const episodes = Number(values.episodes);

if (!HAS_CHROMIUM) {
  console.log("skipped: /usr/bin/chromium is missing (Debian's package chromium)");
  process.exit();
}

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
  console.log(
    `scroll by ${pixels} pixels a frame: main thread ${(work / FRAMES).toFixed(2)} ms a frame, longest frame ${longest.toFixed(1)} ms, ${longTasks} long tasks`,
  );
}

async function measureStep(name: string, step: () => Promise<void>): Promise<void> {
  const before = await readWork(client);
  await step();
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
  console.log(`${name}: main thread ${((await readWork(client)) - before).toFixed(0)} ms`);
}

const started = performance.now();
await page.goto(server.url);
await page.locator(".plot canvas").first().waitFor();
console.log(
  `overview of ${episodes} episodes: ${(performance.now() - started).toFixed(0)} ms after the navigation began`,
);

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
