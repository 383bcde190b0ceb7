import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rolltape, runRolltape } from "../cli/rolltape.js";
import { HAS_CHROMIUM, launchBrowser } from "./browser.js";
import { recordRun, testFolder } from "./recorded-run.js";

const HOSTILE = `</script><script>window.harmed = 1</script><img src=x onerror="window.harmed = 1">`;
/** Fields whose values decide how a line is read, or name things that must match. */
const KEPT: ReadonlySet<string> = new Set(["type", "role", "file", "session_id", "session_ids", "id"]);

/** Appends the hostile text to the texts of a line. */
function poison(value: unknown, key = ""): unknown {
  if (KEPT.has(key)) return value;
  if (typeof value === "string") return value + HOSTILE;
  if (Array.isArray(value)) return value.map((inner) => poison(inner, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, poison(inner, name)]));
}

/** Writes a run whose texts are hostile. Its index is older, so it is not used. */
async function recordHostile() {
  const run = await recordRun({ layout: "tree" });
  const lines = readFileSync(run.transcript, "utf8").trimEnd().split("\n");
  const poisoned = lines.map((line) => `${JSON.stringify(poison(JSON.parse(line)))}\n`);
  writeFileSync(run.transcript, poisoned.join(""));
  return run;
}

/** Starts the viewer, and returns the address that it prints. */
async function startView(args: readonly string[]): Promise<string> {
  const viewer = rolltape(["view", ...args]);
  let output = "";
  viewer.process.stdout.on("data", (text: string) => (output += text));
  // The command writes this after the address.
  await viewer.logged("Ctrl-C stops the viewer");
  await expect.poll(() => output).toContain("\n");
  return output.trim();
}

describe.skipIf(!HAS_CHROMIUM)("rolltape view, in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  async function open(url: string) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("pageerror", ({ message }) => complaints.push(message));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await page.goto(url);
    await page.locator(".counts").first().waitFor();
    return { page, complaints };
  }

  /** Opens an episode and the tokens of its last turn. */
  async function openTokens(page: Page, address: string): Promise<string> {
    await page.goto(`${address}#/episodes/1`);
    await page.locator(".turn-card").first().waitFor();
    await page.locator(".turn-head .button", { hasText: "Tokens" }).first().click();
    await expect.poll(() => page.locator(".loading").count()).toBe(0);
    await expect.poll(() => page.locator(".turn-card").first().innerText()).toContain("201");
    return page.locator("body").innerText();
  }

  it("shows hostile texts as texts, and the address works once", async () => {
    const run = await recordHostile();
    const url = await startView([run.transcript]);
    const { page, complaints } = await open(url);
    const origin = new URL(url).origin;
    expect(page.url()).toBe(`${origin}/`);
    expect(await openTokens(page, `${origin}/`)).toContain("<script>window.harmed = 1</script>");
    expect(await page.evaluate("[window.harmed, document.images.length]")).toEqual([undefined, 0]);
    expect(complaints).toEqual([]);
    expect((await fetch(url)).status).toBe(403);
    expect((await fetch(`${origin}/api/overview`)).status).toBe(403);
  });

  it("writes one file that shows the same without a server", async () => {
    const run = await recordHostile();
    const out = join(testFolder(), "episodes.html");
    const { code, stdout } = await runRolltape(["view", run.folder, "--html", out]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^wrote .*: 2 episodes, 2 with messages, 2 with tokens/)]);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const address = pathToFileURL(out).href;
    const { page, complaints } = await open(address);
    expect(await openTokens(page, address)).toContain("<script>window.harmed = 1</script>");
    expect(await page.evaluate("[window.harmed, document.images.length]")).toEqual([undefined, 0]);
    expect(complaints).toEqual([]);
  });
});

describe("rolltape view", () => {
  it.each([
    [["/nowhere"], 1, /nowhere cannot be read/],
    [["http://127.0.0.1:1"], 2, /ROLLTAPE_ADMIN_API_KEY must be set/],
    [["http://127.0.0.1:1", "--model", "/m"], 2, /--model is for files/],
    [[".", "--max-bytes", "10"], 2, /--max-bytes is for --html/],
    [[".", "--html", "a.html", "--port", "1"], 2, /cannot be used together/],
  ])("%j ends with status %i and a reason", async (args, status, reason) => {
    const { code, stderr } = await runRolltape(["view", ...args]);
    expect(code).toBe(status);
    expect(stderr).toMatch(reason);
  });

  it("stops on SIGTERM", async () => {
    const run = await recordRun();
    const viewer = rolltape(["view", run.transcript]);
    await viewer.logged("Ctrl-C stops the viewer");
    viewer.process.kill("SIGTERM");
    expect((await viewer.ended).code).toBe(0);
  });
});
