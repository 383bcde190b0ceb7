/** Returns a `fetch` whose requests are aborted by the episode's signal, and by their own signals. */
export declare function createEpisodeFetch(send: typeof fetch, signal: AbortSignal): typeof fetch;
