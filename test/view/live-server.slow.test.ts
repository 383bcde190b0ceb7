import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Rolltape, rolltape } from "../cli/rolltape.js";
import { HAS_CHROMIUM, launchBrowser } from "./browser.js";

const KEY = "sk-admin-0123456789abcdef";
const HOSTILE = "<img src=x onerror='window.harmed = 1'>";

interface Control {
  readonly url: string;
  readonly server: Rolltape;
  readonly post: <T>(path: string, body: object, key?: string) => Promise<T>;
}

/** Starts a server with the embedded tiny model. */
async function serve(...overrides: string[]): Promise<Control> {
  const server = rolltape(["serve", "server.port=0", "server.access_log=true", ...overrides], {
    ROLLTAPE_ADMIN_API_KEY: KEY,
  });
  const { url } = await server.ready();
  const post = async <T>(path: string, body: object, key = KEY): Promise<T> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const reply = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${path}: ${await reply.text()}`);
    return (await reply.json()) as T;
  };
  return { url, server, post };
}

/** Evaluates to everything that a script of the page can read, and to the address. */
const READ_STORES = "JSON.stringify([document.cookie, { ...localStorage }, location.href, history.length])";

/** The text of the dialog that asks for the key. */
const messageOf = (page: Page): Promise<string> => page.locator("dialog p").first().innerText();

async function enterKey(page: Page, key: string): Promise<void> {
  const field = page.getByRole("textbox", { name: "Key" });
  await expect.poll(() => field.inputValue()).toBe("");
  await field.fill(key);
  await page.getByRole("button", { name: "Continue" }).click();
}

describe.skipIf(!HAS_CHROMIUM)("/ui of a server, in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it("asks for the admin key, shows a session as it appears, and its episode", async () => {
    const { url, server, post } = await serve("server.ui=true");
    const context = await browser.newContext();
    const page = await context.newPage();
    const asked: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("pageerror", ({ message }) => complaints.push(message));

    await page.goto(`${url}/ui`);
    expect(page.url()).toBe(`${url}/ui/`);
    await expect.poll(() => messageOf(page)).toBe("Enter the admin key of this server.");
    await enterKey(page, "wrong-key");
    await expect.poll(() => messageOf(page)).toBe("The key is unknown or was revoked.");
    await enterKey(page, KEY);
    await page.getByText("The run has no episodes yet.").waitFor();

    await post("/grant_capacity", { slots: 1 });
    const session = await post<{ session_id: string; api_key: string }>("/rl/start_session", {
      task_id: "task-7",
    });
    const call = { model: "m", max_tokens: 8, messages: [{ role: "user", content: `Say hello. ${HOSTILE}` }] };
    await post("/v1/chat/completions", call, session.api_key);
    // Without a reload: the page waits for changes.
    await page.locator(".counts").waitFor();
    await page.getByRole("link", { name: "Episodes", exact: true }).click();
    const row = page.locator(".table-body .row");
    await expect.poll(() => row.count()).toBe(1);
    expect(await row.innerText()).toContain("task-7");
    await row.locator("a").click();
    await page.locator(".turn-card").first().waitFor();
    await expect.poll(() => page.locator(".turn-card").first().innerText()).toContain(`Say hello. ${HOSTILE}`);
    await page.locator(".turn-head .button", { hasText: "Tokens" }).first().click();
    await page.locator(".tokens [data-token]").first().waitFor();
    expect(await page.evaluate("window.harmed")).toBeUndefined();

    const stores = await page.evaluate<string>(READ_STORES);
    for (const text of [stores, ...asked]) {
      expect(text).not.toContain(KEY);
      expect(text).not.toContain("wrong-key");
    }
    expect(await context.cookies()).toEqual([]);
    expect(asked.filter((each) => !each.startsWith(`${url}/ui`))).toEqual([]);
    expect(complaints).toEqual([]);

    // Another tab of the same browser does not have the key. A key of the wrong kind can be replaced, too.
    const other = await context.newPage();
    await other.goto(`${url}/ui/`);
    await enterKey(other, session.api_key);
    await expect.poll(() => messageOf(other)).toContain("requires the admin key; received a session key");
    await enterKey(other, KEY);
    await other.locator(".counts").waitFor();
    await context.close();

    server.process.kill("SIGTERM");
    const { stderr } = await server.ended;
    expect(stderr).toContain('"path":"/ui/api/overview"');
    expect(stderr).not.toContain(KEY);
  });

  it("answers /ui/ with 404 without server.ui", async () => {
    const { url } = await serve();
    const page = await browser.newPage();
    const answer = await page.goto(`${url}/ui/`);
    expect(answer?.status()).toBe(404);
    expect(await page.locator("#app").count()).toBe(0);
    await page.close();
  });
});
