import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { episodeLine } from "../../../src/transcript/schema.js";
import type { TokenSlice } from "../../../src/view/api.js";
import { ServerSource } from "../../../src/view/sources/server-source.js";
import { numbers, type WireExport } from "../../helpers/export-json.js";
import { digestOf, makePng, PNG_HEADERS } from "../../helpers/images.js";
import { ADMIN_KEY } from "../../helpers/proxy.js";
import { IMAGE_TOKEN } from "../../helpers/vision-files.js";
import { sendImage, startVisionProxy } from "../../helpers/vision-proxy.js";

/** 100 x 60 pixels are 2 x 4 tokens of 28 pixels. */
const FILE = makePng(100, 60);
const FILE_TOKENS = 8;
const OTHER = makePng(40, 200);

const path = (episode: number, file: Uint8Array): string => `/ui/api/episodes/${episode}/images/${digestOf(file)}`;

describe("the images of /ui", () => {
  it("are those of the session, and need the admin key", async () => {
    const proxy = await startVisionProxy();
    const [session, other] = [await proxy.session(), await proxy.session()];
    await sendImage(proxy, session, FILE);
    await sendImage(proxy, other, OTHER);
    const answer = await proxy.request({ url: path(0, FILE) });
    expect([answer.status, digestOf(answer.raw)]).toEqual([200, digestOf(FILE)]);
    expect(answer.headers).toMatchObject(PNG_HEADERS);
    expect((await proxy.request({ url: path(0, FILE) }, null)).refusal).toBe("401 missing_api_key");
    for (const { key } of [session, other]) {
      expect((await proxy.request({ url: path(0, FILE) }, key)).refusal).toBe("403 wrong_key_kind");
    }
    // The file of another session, and an episode that does not exist.
    for (const url of [path(0, OTHER), path(1, FILE), path(2, FILE), path(0, Buffer.of(1))]) {
      const refused = await proxy.request({ url });
      expect(refused.refusal).toBe("404 not_found");
      expect(refused.headers["cache-control"]).toBe("no-store");
    }
    await proxy.request({ method: "DELETE", url: `/rl/sessions/${session.id}` });
    expect((await proxy.request({ url: path(0, FILE) })).refusal).toBe("404 not_found");
  });

  it("are read by a viewer of the server", async () => {
    const proxy = await startVisionProxy();
    await sendImage(proxy, await proxy.session(), FILE);
    const url = await proxy.app.listen({ host: "127.0.0.1", port: 0 });
    await using source = new ServerSource(url, ADMIN_KEY);
    const sha256 = digestOf(FILE);
    expect(digestOf(await source.image({ episode: 0, sha256 }))).toBe(sha256);
    for (const place of [
      { episode: 0, sha256: digestOf(OTHER) },
      { episode: 7, sha256 },
    ]) {
      await expect(source.image(place)).rejects.toMatchObject({ code: "not_found" });
    }
  });

  it("are parts of the transcript, and have their tokens", async () => {
    const proxy = await startVisionProxy();
    const session = await proxy.session();
    await sendImage(proxy, session, FILE);
    const part = { sha256: digestOf(FILE), width: 100, height: 60 };
    const messages = [
      {
        role: "user",
        content: [
          { type: "text", text: "Before " },
          { type: "image", mediaType: "image/png", ...part },
          { type: "text", text: " after" },
        ],
      },
    ];
    const shown = episodeLine.parse((await proxy.request({ url: "/ui/api/episodes/0" })).json());
    expect(shown.interactions).toMatchObject([{ messages }]);
    const transcript = await proxy.request({ url: `/rl/sessions/${session.id}/transcript` });
    expect(transcript.json()).toMatchObject({ interactions: [{ messages }] });
    const { ids, images } = (await proxy.request({ url: "/ui/api/episodes/0/tokens/0" })).json<TokenSlice>();
    expect(images).toEqual([{ from: ids.indexOf(IMAGE_TOKEN), count: FILE_TOKENS, ...part }]);
    const found = await proxy.request({ url: "/ui/api/episodes?text=BEFORE" });
    expect(found.json()).toEqual({ episodes: [0], complete: true });
  });

  it("are named in JSON exports, with their tokens", async () => {
    const proxy = await startVisionProxy();
    const session = await proxy.session();
    await sendImage(proxy, session, FILE);
    await proxy.post("/v1/chat/completions", { messages: [{ role: "user", content: "Text" }] }, session.key);
    await proxy.post("/rl/end_session", {}, session.key);
    const { interactions } = (await proxy.export(session)).json<WireExport>();
    const [first, second] = Object.values(interactions);
    const ids = first ? numbers(first, "input_ids") : [];
    const part = { sha256: digestOf(FILE), media_type: "image/png", width: 100, height: 60 };
    expect(first).toMatchObject({ images: [{ offset: ids.indexOf(IMAGE_TOKEN), length: FILE_TOKENS, ...part }] });
    expect(second).not.toHaveProperty("images");
  });

  it("are those of a session that is on disk only", async () => {
    const directory = mkdtempSync(join(tmpdir(), "rolltape-ui-images-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const proxy = await startVisionProxy({ storage: { directory, memory_bytes: 1 } });
    const session = await proxy.session();
    await sendImage(proxy, session, FILE);
    await proxy.post("/rl/end_session", {}, session.key);
    await expect.poll(() => proxy.context.registry.get(session.id).isLoaded).toBe(false);
    expect(digestOf((await proxy.request({ url: path(0, FILE) })).raw)).toBe(digestOf(FILE));
  });
});
