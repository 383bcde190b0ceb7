import { describe, expect, it } from "vitest";
import { createEpisodeFetch } from "../../src/rollout/episode.js";

/** A fetch that gets no answer. It ends when its signal aborts. */
const unanswered: typeof fetch = (_input, init) =>
  new Promise((_, reject) => {
    const signal = init?.signal;
    const stop = () => reject(signal?.reason as Error);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop);
  });

describe("createEpisodeFetch", () => {
  it.each<[string, (own: AbortSignal) => Parameters<typeof fetch>]>([
    ["without a signal of its own", () => ["http://x/"]],
    ["with one", (signal) => ["http://x/", { signal }]],
    ["with a Request's", (signal) => [new Request("http://x/", { signal })]],
  ])("is aborted with the episode %s", async (_, args) => {
    const episode = new AbortController();
    const call = createEpisodeFetch(unanswered, episode.signal)(...args(new AbortController().signal));
    const reason = new Error("the episode is over");
    episode.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  it.each<[string, (own: AbortSignal) => Parameters<typeof fetch>]>([
    ["given beside the URL", (signal) => ["http://x/", { signal }]],
    ["of its Request", (signal) => [new Request("http://x/", { signal })]],
  ])("is aborted by the signal %s", async (_, args) => {
    const own = new AbortController();
    const call = createEpisodeFetch(unanswered, new AbortController().signal)(...args(own.signal));
    const reason = new Error("the agent changed its mind");
    own.abort(reason);
    await expect(call).rejects.toBe(reason);
  });
});
