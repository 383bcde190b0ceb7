/** A `fetch` whose requests are aborted with the episode, beside the signal of their own. */
export function episodeFetch(send: typeof fetch, signal: AbortSignal): typeof fetch {
  return (input, init) => {
    const own = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    return send(input, { ...init, signal: own ? AbortSignal.any([own, signal]) : signal });
  };
}
