import type { Generation, GenerationLog } from "../engine/generation-log.js";
import type { Findings } from "./findings.js";
import { isWhole, matchGenerations } from "./match-generations.js";
import type { Row } from "./read-rows.js";

/**
 * Compares one row with the engine's log. Returns the generations that it recorded, if the engine sampled its ids.
 *
 * @param used generations of other rows; those of this row are added
 */
export function checkTokens(
  row: Row,
  log: GenerationLog,
  findings: Pick<Findings, "add">,
  used: Set<Generation>,
): Generation[] | undefined {
  const name = `interaction ${row.id} of session ${row.session}`;
  const generations = matchGenerations(log, row, used);
  if (!generations) {
    findings.add("tokens", `${name}: the engine never sampled these ids (${describeNearest(row, log)})`);
    return undefined;
  }
  const sampled = generations.flatMap(({ tokens }) => tokens);
  const prompt = row.prompt.map(({ id }) => ({ id, logprob: 0, version: "-1" }));
  [...row.prompt, ...row.output].forEach(({ logprob, version }, position) => {
    const expected = [...prompt, ...sampled][position];
    if (logprob !== expected?.logprob) {
      findings.add("logprobs", `${name}, position ${position}: ${logprob}, expected ${expected?.logprob}`);
    }
    if (String(version) !== expected?.version) {
      findings.add("versions", `${name}, position ${position}: ${version}, expected ${expected?.version}`);
    }
  });
  if (!isWhole(row, generations)) {
    const pieces = generations
      .map(({ tokens, sent, fault }) => `${tokens.length} tokens ${sent} ${fault ?? ""}`)
      .join(", ");
    findings.add("unexplained", `${name}: the engine's reply was incomplete (${pieces} of at most ${row.maxTokens})`);
  }
  if (generations.some((generation) => used.has(generation))) findings.add("unexplained", `${name}: a second record`);
  for (const generation of generations) used.add(generation);
  return generations;
}

/** Describes the generations of the row's prompt in the engine's log: how many of their first tokens the row has. */
function describeNearest({ prompt, output, call, attempt, maxTokens }: Row, log: GenerationLog): string {
  const known = log.of(prompt.map(({ id }) => id)).map(({ tokens, sent, fault, ...generation }) => {
    const differs = tokens.findIndex(({ id }, i) => id !== output[i]?.id);
    return `${differs < 0 ? tokens.length : differs} of ${tokens.length} tokens of call ${generation.call}, ${sent} ${fault ?? ""}`;
  });
  const length = `${output.length} tokens of at most ${maxTokens} after a prompt of ${prompt.length}`;
  return `call ${call}.${attempt}, ${length}; the log has ${known.join("; ") || "no generation of this prompt"}`;
}
