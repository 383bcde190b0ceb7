/**
 * Opens a run of 10,000 episodes with `rolltape view` in Chromium: time from the start of the process until the overview is drawn. The
 * browser runs already.
 *
 *   npm run bench:view-start
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { HAS_CHROMIUM, launchBrowser } from "../../test/view/browser.js";
import { type Row, skipped } from "../export/row.js";
import { BenchReport } from "../kit/report.js";
import { QWEN3 } from "../qwen3.js";
import { sized } from "../sized.js";
import { median } from "../text.js";
import { generateRun } from "./generate-run.js";
import { LARGE_RUN, readAddress, readMemory, startViewer } from "./viewer-process.js";

const STARTS = sized(7, 1, 3);
const TARGET_MS = 1000;

/** Resolves with the time at which the frame with the first chart was drawn, in milliseconds since the Unix epoch. */
const WATCH = `window.drawn = new Promise((resolve) => {
  const look = () => requestAnimationFrame(() => {
    if (!document.querySelector(".plot canvas")) return look();
    requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now()));
  });
  look();
})`;

interface Start {
  readonly milliseconds: number;
  /** Milliseconds until the address was printed. */
  readonly address: number;
  /** Highest resident memory of the process, in MB. */
  readonly peak: number;
}

async function measureStart(browser: Browser, args: readonly string[]): Promise<Start> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  const started = Date.now();
  const child = startViewer(args);
  try {
    const url = await readAddress(child);
    const address = Date.now() - started;
    await page.goto(url);
    await page.waitForURL(new URL("/", url).href);
    const drawn: number = await page.evaluate("window.drawn");
    const [, peak] = readMemory(child);
    return { milliseconds: drawn - started, address, peak };
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
    await context.close();
  }
}

async function measure(browser: Browser, name: string, args: readonly string[]): Promise<Row> {
  const starts: Start[] = [];
  for (let i = 0; i < STARTS; i++) starts.push(await measureStart(browser, args));
  const middle = (read: (start: Start) => number) => median(starts.map(read));
  const value = middle(({ milliseconds }) => milliseconds);
  const all = starts.map(({ milliseconds }) => milliseconds.toFixed(0)).join(", ");
  return {
    what: `${name}: from the start of the process to the overview drawn`,
    measured: `median ${value.toFixed(0)} ms (${all})`,
    reference: `address ${middle(({ address }) => address)} ms, memory ${middle(({ peak }) => peak).toFixed(0)} MB`,
    verdict: { value, target: TARGET_MS, bound: "at most", unit: " ms" },
  };
}

const title = `${LARGE_RUN.episodes} episodes of ${LARGE_RUN.turns} turns`;
const report = new BenchReport();
if (!HAS_CHROMIUM) {
  report.addRows([skipped(title, "/usr/bin/chromium is missing (Debian's package chromium)")]);
  process.exit();
}
const folder = mkdtempSync(join(tmpdir(), "rolltape-bench-view-"));
const browser = await launchBrowser();
try {
  const transcript = await generateRun(folder, LARGE_RUN);
  report.addRows([
    await measure(browser, title, [transcript]),
    await measure(browser, "with Qwen3's tokenizer", [transcript, "--model", QWEN3]),
  ]);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
