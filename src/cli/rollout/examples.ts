import { showAsText } from "../../conversation/media.js";
import { makeInert } from "../../support/inert-text.js";
import type { EpisodeLine, EpisodeSummary, LinePosition } from "../../transcript/format.js";
import { Transcript } from "../../transcript/read-index.js";
import type { JobTranscript } from "./job-transcript.js";

/** An accepted episode that the summary of a job shows. */
export interface Example {
  readonly name: "best" | "median" | "worst";
  readonly reward: number;
  readonly turns: number;
  readonly sessionId: string;
  /** The beginning of the last answer: untrusted text, made inert. */
  readonly answer: string;
}

/** Facts about a transcript for the summary of its job. */
export interface TranscriptExamples {
  readonly path: string;
  readonly examples: readonly Example[];
}

const ANSWER_CHARACTERS = 60;

type Rewarded = EpisodeSummary & LinePosition & { readonly reward: number };

/** Reads examples from the transcript of a job; undefined if none was written. */
export async function readExamples(written: JobTranscript | undefined): Promise<TranscriptExamples | undefined> {
  const path = written?.path;
  if (path === undefined) return undefined;
  try {
    await using transcript = await Transcript.open(path);
    const rewarded = transcript.lines.filter(
      (line): line is Rewarded => line.type === "episode" && line.accepted && line.reward !== null,
    );
    const examples: Example[] = [];
    for (const [name, episode] of choose(rewarded)) {
      examples.push(describe(name, episode, await transcript.readEpisode(episode)));
    }
    return { path, examples };
  } catch {
    // The batches are written, so a transcript that cannot be read is no error of the job.
    return { path, examples: [] };
  }
}

/** Returns the episodes with the highest, the middle and the lowest reward, each once. */
function choose(episodes: readonly Rewarded[]): ReadonlyMap<Example["name"], Rewarded> {
  const sorted = episodes.toSorted((a, b) => b.reward - a.reward);
  const places = { best: 0, worst: sorted.length - 1, median: sorted.length >> 1 } as const;
  const chosen = new Map<number, readonly [Example["name"], Rewarded]>();
  for (const name of ["best", "worst", "median"] as const) {
    const episode = sorted[places[name]];
    if (episode && !chosen.has(places[name])) chosen.set(places[name], [name, episode]);
  }
  return new Map([...chosen].toSorted(([a], [b]) => a - b).map(([, named]) => named));
}

function describe(name: Example["name"], { reward, turns, session_id = "" }: Rewarded, line: EpisodeLine): Example {
  const { content = "", toolCalls } = line.interactions.at(-1)?.answer ?? {};
  const called =
    toolCalls?.map((call) => `${call.name}(${call.arguments.slice(0, ANSWER_CHARACTERS)})`).join(" ") ?? "";
  const text = makeInert(`${showAsText(content).slice(0, 4 * ANSWER_CHARACTERS)} ${called}`)
    .replace(/\s+/g, " ")
    .trim();
  const characters = Array.from(text);
  const answer = characters.length > ANSWER_CHARACTERS ? `${characters.slice(0, ANSWER_CHARACTERS).join("")}…` : text;
  return { name, reward, turns, sessionId: makeInert(session_id), answer };
}

/** Returns lines of the summary, as names and texts. */
export function describeExamples({ path, examples }: TranscriptExamples): [string, string][] {
  const rewards = examples.map(({ reward }) => String(Number(reward.toPrecision(4))));
  const width = Math.max(0, ...rewards.map(({ length }) => length));
  return [
    ...examples.map(({ name, turns, sessionId, answer }, i): [string, string] => {
      const count = turns === 1 ? "1 turn" : `${turns} turns`;
      return [name, `${(rewards[i] ?? "").padEnd(width)}  ${count}, ${sessionId}: ${answer}`];
    }),
    ["view", `rolltape view ${quote(path)}`],
  ];
}

/** Returns a path as a shell takes it. */
function quote(path: string): string {
  return /^[\w./:@%+=,-]+$/.test(path) ? path : `'${makeInert(path).replaceAll("'", `'\\''`)}'`;
}
