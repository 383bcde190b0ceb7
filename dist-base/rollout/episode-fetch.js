/** Returns a `fetch` whose requests are aborted by the episode's signal, and by their own signals. */
export function createEpisodeFetch(send, signal) {
    return (input, init) => {
        const own = init?.signal ?? (input instanceof Request ? input.signal : undefined);
        return send(input, { ...init, signal: own ? AbortSignal.any([own, signal]) : signal });
    };
}
//# sourceMappingURL=episode-fetch.js.map