import { inertText } from "../inert-text.js";
import { describeFindings } from "./batch-findings.js";
import type { InspectedBatch } from "./inspect-batch.js";
import { readFacts, sumOf } from "./metadata.js";

/** Returns the warnings about a batch: its findings, and those that only the metadata of every batch can give. */
export function inspectWarnings({ header, findings }: InspectedBatch): string[] {
  const { rewardsMissing = [], unrewardedRoots, abortedCalls = {} } = readFacts(header);
  const [first] = rewardsMissing;
  // The findings name the conversations of these sessions, if the batch has row tensors.
  const missing =
    first !== undefined && unrewardedRoots === undefined ? [describeMissing(rewardsMissing.length, first)] : [];
  const aborted = sumOf(abortedCalls);
  const left = aborted > 0 ? [describeAborted(aborted)] : [];
  return [...describeFindings(findings), ...[...missing, ...left].map(inertText)];
}

function describeAborted(count: number): string {
  return (
    `${count} ${count === 1 ? "model call was" : "model calls were"} not recorded: the client disconnected before the answer ` +
    "was complete. Look for agents that abort calls or time out."
  );
}

function describeMissing(count: number, first: string): string {
  const subject = count === 1 ? "1 session has no reward and trains" : `${count} sessions have no reward and train`;
  return (
    `${subject} with reward 0 (first: session ${first}). ` +
    "Set rollout.agent.reward_scope=session (scope of set_reward), or reward a call of each."
  );
}
