import { describe, expect, it } from "vitest";
import { openFolder } from "../../../src/cli/view/open-folder.js";
import { StoredSource, type ViewedSessions } from "../../../src/cli/view/stored-source.js";
import { ApiError } from "../../../src/http/errors.js";
import { recordKey } from "../../../src/session/stored/keys.js";
import { restoreSession } from "../../../src/session/stored/load-session.js";
import type { EpisodeColumns, EpisodeLine, Overview, TokenSlice } from "../../../src/view/api.js";
import { PAGE_CHANGES } from "../../../src/view/changes/change-log.js";
import { digestOf, makePng } from "../../helpers/images.js";
import { sendImage, startVisionProxy } from "../../helpers/vision-proxy.js";
import { changeStored, flipBit, newFolder, recordBranches, startStored } from "../storage/stored-sessions.js";

const FILE = makePng(100, 60);
const TOOLS = [{ type: "function", function: { name: "look_up", parameters: { type: "object", properties: {} } } }];
const anySignal = () => new AbortController().signal;

const open = (directory: string) => StoredSource.open(openFolder(directory), undefined);

describe("the sessions of a storage folder", () => {
  it("are shown as their server shows them: messages, tools, tokens, rewards and images", async () => {
    const directory = newFolder();
    const proxy = await startVisionProxy({ storage: { directory } });
    const shown = await proxy.session({ task_id: "image" });
    await sendImage(proxy, shown, FILE);
    await proxy.reward(shown, 0.5);
    const other = await proxy.session({ task_id: "tools", group_id: "g" });
    const call = { messages: [{ role: "user", content: "Where?" }], tools: TOOLS, max_tokens: 8 };
    expect((await proxy.post("/v1/chat/completions", call, other.key)).refusal).toBe("200");
    const ui = async <T>(path: string) => (await proxy.request({ url: `/ui/api/${path}` })).json<T>();

    // The delivery of an answer is written later.
    await proxy.context.storage?.records.committed();
    await using source = await open(directory);
    const { episodes, notices, more } = await source.overview();
    expect({ more, notices }).toEqual({
      more: false,
      notices: [
        expect.stringContaining("A server has the folder open."),
        expect.stringContaining("Of 2 sessions, the list has counts only."),
        expect.stringContaining("Tokens are shown as ids only"),
      ],
    });
    const { episodes: served } = await ui<Overview>("overview");
    for (const column of ["session_id", "calls", "prompt_tokens", "completion_tokens"] as const)
      expect(episodes[column]).toEqual(served[column]);
    for (const [at, index] of served.index.entries()) {
      const episode = await source.episode(at);
      expect(episode).toEqual({ ...(await ui<EpisodeLine>(`episodes/${index}`)), task: at });
      const tokens = await source.tokens({ episode: at, interaction: 0, from: 0, count: 4096 });
      const { texts: _, ...ofServer } = await ui<TokenSlice>(`episodes/${index}/tokens/0`);
      expect(tokens).toEqual({ ...ofServer, texts: null });
      expect(tokens.total).toBeGreaterThan(8);
    }
    expect((await source.episode(1)).interactions[0]?.tools).toEqual(TOOLS);
    expect(digestOf(await source.image({ episode: 0, sha256: digestOf(FILE) }))).toBe(digestOf(FILE));
    await expect(source.image({ episode: 1, sha256: digestOf(FILE) })).rejects.toMatchObject({ code: "not_found" });
    expect(await source.search("WHERE?", anySignal())).toEqual({ episodes: [1], complete: true });
  });

  it("are listed although one of them is damaged, and the damaged one says so when it is opened", async () => {
    const directory = newFolder();
    const proxy = await startStored(directory);
    await recordBranches(proxy, "intact");
    const { id } = await recordBranches(proxy, "damaged");
    const { registry } = proxy.context;
    const key = recordKey(registry.numberOf(registry.get(id)) ?? -1, "interaction", 1);
    await proxy.close();
    await changeStored(directory, (storage) => [flipBit(storage, "records", key)]);
    await using source = await open(directory);
    expect((await source.overview()).episodes.session_id).toContain(id);
    expect((await source.episode(0)).task_id).toBe("intact");
    await expect(source.episode(1)).rejects.toMatchObject({ code: "session_damaged" });
  });
});

describe("stored sessions", () => {
  it("are listed page by page: a page reads the heads of its sessions, and no data", async () => {
    const count = 2 * PAGE_CHANGES + 10;
    const { source, read } = await listSessions(count, () => undefined);
    let page = await source.overview();
    expect([page.reset, page.more, read.heads.length, read.sessions]).toEqual([true, true, PAGE_CHANGES, 0]);
    const listed: EpisodeColumns[] = [page.episodes];
    for (; page.more; listed.push(page.episodes)) page = await source.overview(page.revision);
    const ids = listed.flatMap(({ session_id: each }) => each);
    expect(ids).toEqual(Array.from({ length: count }, (_, at) => `session-${at}`));
    expect(read).toEqual({ heads: Array.from({ length: count }, (_, at) => at), sessions: 0 });
    // Another tab reads nothing again.
    await source.overview();
    expect(read.heads.length).toBe(count);
  });

  it("are listed with the reason if their heads cannot be read", async () => {
    const { source } = await listSessions(3, (at) => {
      if (at === 1) throw new ApiError("session_damaged", "damaged");
    });
    const { episodes } = await source.overview();
    expect(episodes.accepted).toEqual([true, false, true]);
    expect(episodes.error.map((code) => episodes.texts[code])).toEqual([undefined, "session_damaged", undefined]);
  });

  it("are listed anew after the store has failed", async () => {
    let isDown = true;
    const { source } = await listSessions(3, undefined, (at) => {
      if (at === 2 && isDown) throw new Error("the store is down");
    });
    await expect(source.overview()).rejects.toThrow("the store is down");
    isDown = false;
    expect((await source.overview()).episodes.index).toEqual([0, 1, 2]);
  });
});

/** Sessions without calls, which count their reads. */
async function listSessions(
  count: number,
  onHead: (at: number) => void = () => undefined,
  onList: (at: number) => void = () => undefined,
) {
  const read = { heads: [] as number[], sessions: 0 };
  const summary = (at: number) => ({
    id: `session-${at}`,
    taskId: "task",
    split: "train" as const,
    createdAt: 1000,
    state: "ended" as const,
    freed: false,
    held: false,
    acknowledged: false,
    interactionCount: 0,
    storedTokens: 0,
    rewards: 0,
    countAtEnd: 0,
    incompleteCalls: 0,
    abortedCalls: 0,
    upstreamCalls: 0,
    promptTokens: 0,
    completionTokens: 0,
  });
  const sessions: ViewedSessions = {
    name: "stored",
    notices: [],
    async *list() {
      for (let at = 0; at < count; at++) {
        onList(at);
        const session = restoreSession(summary(at));
        yield {
          id: session.id,
          readHead: async () => {
            onHead(at);
            read.heads.push(at);
            return { session, origin: undefined, interactions: undefined };
          },
          read: async () => {
            read.sessions++;
            return { session, origin: undefined };
          },
        };
      }
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  return { source: await StoredSource.open(sessions, undefined), read };
}
