import { sleep } from "../async/sleep.js";

/** An action that should end something, and the time to wait for its effect. */
export interface EscalationStep {
  readonly act: () => unknown;
  readonly seconds: number;
}

/** Makes one attempt after the other until `ended` resolves. Waits without a limit after the last one. */
export async function makeEnd(ended: Promise<unknown>, attempts: readonly EscalationStep[]): Promise<void> {
  for (const { act, seconds } of attempts) {
    await act();
    if (await endsWithin(ended, seconds)) return;
  }
  await ended;
}

async function endsWithin(ended: Promise<unknown>, seconds: number): Promise<boolean> {
  const waited = new AbortController();
  const late = sleep(seconds * 1000, waited.signal).then(
    () => false,
    () => true,
  );
  const inTime = await Promise.race([ended.then(() => true), late]);
  waited.abort();
  return inTime;
}
