import { sleep } from "../async/sleep.js";
/** Makes one attempt after the other until `ended` resolves. Waits without a limit after the last one. */
export async function makeEnd(ended, attempts) {
    for (const { act, seconds } of attempts) {
        await act();
        if (await endsWithin(ended, seconds))
            return;
    }
    await ended;
}
async function endsWithin(ended, seconds) {
    const waited = new AbortController();
    const late = sleep(seconds * 1000, waited.signal).then(() => false, () => true);
    const inTime = await Promise.race([ended.then(() => true), late]);
    waited.abort();
    return inTime;
}
//# sourceMappingURL=escalation.js.map