import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { cancel } from "../../../src/scheduler/slurm/cancel.js";
import { temporaryFolder } from "../../cli/rolltape.js";
import { smallJob } from "./small-job.js";
import { SlurmScripts } from "./srun.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Cancels a job that may take 17 seconds to stop. Time passes whenever something waits for it. */
async function cancelled(squeue: string, scancel = "exit 0") {
  const scripts = new SlurmScripts();
  scripts.write("squeue", squeue);
  scripts.write("scancel", scancel);
  const job = smallJob(temporaryFolder(), [{ role: "controller", command: ["x"] }], { poll_seconds: 5 });
  let isSettled = false;
  const cancelling = cancel(job, "7").then(
    () => undefined,
    (error: unknown) => error,
  );
  void cancelling.then(() => (isSettled = true));
  while (!isSettled) {
    if (vi.getTimerCount() > 0) await vi.advanceTimersByTimeAsync(500);
    else await new Promise((resolve) => setImmediate(resolve));
  }
  return {
    error: await cancelling,
    polls: scripts.calls("squeue").length,
    signals: scripts.calls("scancel"),
  };
}

it("asks a running job to stop, and waits until it has", async () => {
  const squeue = 'if [ "$(wc -l < squeue)" -gt 4 ]; then echo "COMPLETED|None|"; else echo "RUNNING|None|n1"; fi';
  expect(await cancelled(squeue)).toEqual({ error: undefined, polls: 5, signals: ["--batch --signal=TERM 7"] });
});

it("cancels a job that does not stop in time, which is checked every half second", async () => {
  const squeue = 'if [ -e over ]; then echo "CANCELLED|None|"; else echo "RUNNING|None|n1"; fi';
  const scancel = '[ "$*" = 7 ] && touch over; exit 0';
  expect(await cancelled(squeue, scancel)).toEqual({
    error: undefined,
    polls: 1 + 2 * 17 + 1,
    signals: ["--batch --signal=TERM 7", "7"],
  });
});

it("cancels a waiting job at once, and fails if Slurm does not end it within 120 seconds", async () => {
  const { error, polls, signals } = await cancelled('echo "PENDING|Priority|"');
  expect(error).toMatchObject({
    code: "slurm_failed",
    message: "Job 7 is still running 120 seconds after scancel.",
  });
  expect({ polls, signals }).toEqual({ polls: 1 + 2 * 120, signals: ["7"] });
});

it("waits while Slurm does not answer, until it has forgotten the job", async () => {
  const squeue = '[ "$(wc -l < squeue)" -gt 3 ] && echo "Invalid job id specified" >&2; exit 1';
  expect(await cancelled(squeue)).toEqual({ error: undefined, polls: 4, signals: ["7"] });
});
