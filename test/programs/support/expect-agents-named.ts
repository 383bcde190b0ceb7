import { expect } from "vitest";
import type { WireInteraction } from "../../helpers/export-json.js";
import type { Recorded } from "./recorded.js";

/**
 * Expects that the hints of a program tell its main agent from its sub-agent, in JSON exports and in the rows of batches.
 *
 * @param main the calls of the main agent
 * @param delegated the calls of the sub-agent
 */
export function expectAgentsNamed(
  { interactions, rowHints }: Recorded,
  main: readonly WireInteraction[],
  delegated: readonly WireInteraction[],
): void {
  const [first] = main;
  const [subAgent] = delegated;
  const agent = { agent_id: first?.agent_id, parent_agent_id: null };
  expect.soft(main.map(readAgent)).toEqual(main.map(() => agent));
  // The parent of a sub-agent is the main agent, which can be without a name.
  const child = { agent_id: subAgent?.agent_id, parent_agent_id: first?.agent_id };
  expect.soft(delegated.map(readAgent)).toEqual(delegated.map(() => child));
  if (subAgent) {
    expect.soft(subAgent.agent_id).toEqual(expect.any(String));
    expect.soft(subAgent.agent_id).not.toBe(first?.agent_id);
  }
  const hints = interactions.map(({ interaction_id, agent_id, parent_agent_id, turn_id, request_kind }) => {
    return [interaction_id, { agent_id, parent_agent_id, turn_id, request_kind }] as const;
  });
  expect.soft(rowHints).toEqual(Object.fromEntries(hints));
}

const readAgent = ({ agent_id, parent_agent_id }: WireInteraction) => ({ agent_id, parent_agent_id });
