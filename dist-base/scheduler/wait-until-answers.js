import { sleep } from "../support/async/sleep.js";
const POLL_MS = 100;
const REPLY_MS = 3_000;
/** Waits until a URL answers with a status from 200 to 299. Returns its origin. */
export async function waitUntilAnswers(url, signal) {
    for (;;) {
        signal.throwIfAborted();
        try {
            const reply = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(REPLY_MS)]) });
            await reply.body?.cancel();
            if (reply.ok)
                return new URL(url).origin;
        }
        catch {
            // It does not listen yet.
        }
        await sleep(POLL_MS, signal);
    }
}
//# sourceMappingURL=wait-until-answers.js.map