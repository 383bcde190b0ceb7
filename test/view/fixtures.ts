import { showAsText } from "../../src/conversation/media.js";
import type { Message, Tool } from "../../src/conversation/message.js";
import type { EpisodeLine, TranscriptInteraction } from "../../src/transcript/format.js";
import type { EpisodeColumns, MetricsLine, Overview, TokenSlice } from "../../src/view/api.js";

/** A synthetic run: the same seed gives the same texts and numbers. */
export interface RunShape {
  readonly seed: number;
  readonly episodes: number;
  /** Turns of most episodes. */
  readonly turns: number;
  readonly groupSize?: number;
  readonly episodesPerStep?: number;
}

type Random = () => number;

/** Mulberry32: small, and good enough for texts. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const STARTED_AT = 1_795_000_000;

const FILES = [
  "src/parser.py",
  "src/tokenizer.py",
  "tests/test_parser.py",
  "README.md",
  "src/cli/main.py",
  "setup.cfg",
];
const FAILURES = [
  "test_nested_lists",
  "test_empty_input",
  "test_unicode_keys",
  "test_trailing_comma",
  "test_deep_nesting",
];
const TASKS = ["fix-parser", "add-flag", "speed-up-scan", "port-to-3.13", "write-docs", "reduce-memory"];
const TOOLS: readonly Tool[] = ["shell", "read_file", "apply_patch"].map((name) => ({
  type: "function",
  function: {
    name,
    description: `Runs ${name} in the sandbox and returns what it printed.`,
    parameters: { type: "object", properties: { command: { type: "string" }, path: { type: "string" } } },
  },
}));

/** Everything but texts and tokens. Times, rewards and lengths follow the steps, as in a run that learns. */
export function fixtureOverview(shape: RunShape): Overview {
  const { episodes, groupSize = 8, episodesPerStep = 64 } = shape;
  const random = seededRandom(shape.seed);
  const texts: string[] = [];
  const positions = new Map<string, number>();
  const intern = (text: string | null): number => {
    if (text === null) return -1;
    let at = positions.get(text);
    if (at === undefined) positions.set(text, (at = texts.push(text) - 1));
    return at;
  };
  const rows = Array.from({ length: episodes }, (_, index) =>
    fixtureRow(shape, index, groupSize, episodesPerStep, random),
  );
  const column = <K extends keyof Row>(key: K): Row[K][] => rows.map((row) => row[key]);
  const stepCount = Math.ceil(episodes / episodesPerStep);
  const columns: EpisodeColumns = {
    texts,
    index: rows.map((_, index) => index),
    session_id: column("session_id"),
    task: column("task"),
    task_id: rows.map((row) => intern(row.task_id)),
    group_id: rows.map((row) => intern(row.group_id)),
    accepted: column("accepted"),
    error: rows.map((row) => intern(row.error)),
    version: column("version"),
    oldest_version: column("oldest"),
    newest_version: column("newest"),
    batch: column("batch"),
    started_at: column("started_at"),
    duration: column("duration"),
    reward: column("reward"),
    calls: column("calls"),
    turns: column("turns"),
    prompt_tokens: column("prompt_tokens"),
    completion_tokens: column("completion_tokens"),
    broken: column("broken"),
    left_out: column("left_out"),
    branches: column("branches"),
    finish_reasons: {
      stop: rows.map(({ stop }) => stop),
      tool_calls: rows.map(({ calls, stop, length }) => Math.max(0, calls - stop - length)),
      length: rows.map(({ length }) => length),
    },
  };
  return {
    name: "math-agents.jsonl",
    revision: 1,
    run: {
      type: "run",
      format: 1,
      started_at: STARTED_AT,
      model: "qwen3-8b",
      tasks: Math.ceil(episodes / groupSize),
      group_size: groupSize,
      discount: 0.95,
    },
    batches: Array.from({ length: stepCount }, (_, number) => ({
      number,
      file: `batch-${number}.safetensors`,
      version: number,
      at: STARTED_AT + 60 * (number + 1),
      readable: true,
    })),
    steps: Array.from({ length: stepCount }, (_, number) => ({
      type: "step" as const,
      number,
      version: number + 1,
      at: STARTED_AT + 60 * (number + 1) + 20,
      duration: 20,
    })),
    metrics: Array.from({ length: stepCount }, (_, step) => fixtureMetrics(step)),
    more: false,
    reset: true,
    removed: [],
    episodes: columns,
    notices: [],
  };
}

/** The line of a step, with two metrics of its trainer; one of them begins later. */
function fixtureMetrics(step: number): MetricsLine {
  return {
    step,
    version: step + 1,
    time: STARTED_AT + 60 * (step + 1),
    "reward/mean": step / 20,
    "reward/min": 0,
    "reward/max": 1,
    "episodes/accepted": 60,
    "episodes/rejected": 4,
    "tokens/batch": 100_000 + step,
    "tokens/trained": 40_000,
    "tokens/sampled": 45_000,
    "time/rollout_seconds": 40,
    "time/training_seconds": 20,
    loss: 2 / (step + 1),
    ...(step > 2 && { "eval/score": step }),
  };
}

interface Row {
  readonly session_id: string | null;
  readonly task: number;
  readonly task_id: string;
  readonly group_id: string | null;
  readonly accepted: boolean;
  readonly error: string | null;
  readonly version: number;
  readonly oldest: number | null;
  readonly newest: number | null;
  readonly batch: number;
  readonly started_at: number | null;
  readonly duration: number | null;
  readonly reward: number | null;
  readonly calls: number;
  readonly turns: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly broken: number;
  readonly left_out: number;
  readonly branches: number;
  readonly stop: number;
  readonly length: number;
}

function fixtureRow(shape: RunShape, index: number, groupSize: number, perStep: number, random: Random): Row {
  const step = Math.floor(index / perStep);
  const progress = step / Math.max(1, Math.ceil(shape.episodes / perStep) - 1);
  const group = Math.floor(index / groupSize);
  const ease = seededRandom(shape.seed * 7919 + group)();
  const accepted = random() > 0.04;
  const oldest = Math.max(0, step - Math.floor(3 * random() ** 2));
  const turns = Math.max(1, Math.round(shape.turns * (0.6 + 0.5 * random() - 0.15 * progress)));
  const calls = turns + (random() < 0.3 ? 2 : 0);
  const chance = Math.min(1, Math.max(0, 1.5 * ease - 0.35 + 0.5 * progress));
  const partial = random() < 0.15 ? 0.5 : 0;
  const length = random() < 0.08 ? 1 : 0;
  return {
    session_id: accepted || random() < 0.7 ? `s-${(index * 7919).toString(36)}` : null,
    task: group,
    task_id: `${TASKS[group % TASKS.length]}-${group}`,
    group_id: `group-${group}`,
    accepted,
    error: accepted ? null : pick(["agent_timeout", "agent_failed", "reward_missing"], random),
    version: oldest,
    oldest,
    newest: Math.min(step + 1, oldest + (random() < 0.2 ? 1 : 0)),
    batch: accepted ? step : -1,
    started_at: STARTED_AT + step * 60 + (index % perStep) * 0.5,
    duration: turns * (0.8 + 2 * random()) + (random() < 0.02 ? 300 : 0),
    reward: accepted ? (random() < chance ? 1 : partial) : null,
    calls,
    turns,
    prompt_tokens: calls * Math.round(900 + 1400 * random()),
    completion_tokens: turns * Math.round(90 + 260 * random() * (1.2 - 0.4 * progress)),
    broken: random() < 0.05 ? 1 : 0,
    left_out: random() < 0.06 ? 1 : 0,
    branches: calls > turns ? 2 : 1,
    stop: 1,
    length,
  };
}

const pick = <T>(values: readonly [T, ...T[]], random: Random): T =>
  values[Math.floor(random() * values.length)] ?? values[0];

/** An episode with a long conversation, a dropped attempt, a broken prefix, a sub-agent and a side call. */
export function fixtureEpisode(shape: RunShape, index: number): EpisodeLine {
  const random = seededRandom(shape.seed * 31 + index + 1);
  const overview = fixtureRow(shape, index, shape.groupSize ?? 8, shape.episodesPerStep ?? 64, seededRandom(index));
  const interactions: TranscriptInteraction[] = [];
  const add = (
    interaction: Partial<TranscriptInteraction> & Pick<TranscriptInteraction, "messages" | "answer">,
  ): number => {
    const at = interactions.length;
    interactions.push({
      id: `call-${index}-${at}`,
      parent: -1,
      kept: 0,
      finish_reason: interaction.answer.toolCalls ? "tool_calls" : "stop",
      api: "chat_completions",
      requested_model: "agent-model",
      created_at: STARTED_AT + index + at * 2,
      latency: 0.4 + 3 * random(),
      prompt_tokens: 400 + 300 * at,
      completion_tokens: 80 + Math.floor(200 * random()),
      shared_tokens: interaction.parent === undefined ? 0 : 380 + 290 * at,
      versions: [3, random() < 0.2 ? 4 : 3],
      token_exact: interaction.cause === undefined,
      reward: 0.95 ** Math.max(0, shape.turns - at),
      sampling: { temperature: 1, top_p: 1, max_tokens: 2048 },
      ...interaction,
    });
    return at;
  };
  const first = add({ messages: [SYSTEM, userTask(index)], tools: TOOLS, answer: toolTurn(0, random) });
  let parent = first;
  let length = 3;
  for (let turn = 1; turn < shape.turns; turn++) {
    const isLast = turn === shape.turns - 1;
    const messages = [toolResult(turn - 1, random)];
    const kept = length;
    if (turn === 3) {
      add({ parent, kept, messages, answer: toolTurn(turn, random), attempt: 0, left_out: "the client disconnected" });
    }
    parent = add({
      parent,
      kept: turn === 5 ? kept - 1 : kept,
      messages: turn === 5 ? [...interactionsAnswer(interactions[parent]), ...messages] : messages,
      answer: isLast ? finalAnswer(index) : toolTurn(turn, random),
      ...(turn === 3 && { attempt: 1 }),
      ...(turn === 5 && { cause: "history_rewritten" }),
      ...(isLast && { own_reward: 1, reward: 1 }),
    });
    length = kept + messages.length + 1;
  }
  const agent = add({
    messages: [{ role: "system", content: "You look for tests that cover a function." }, userTask(index)],
    answer: toolTurn(1, random),
    agent_id: "explorer-1",
    parent_agent_id: "main",
  });
  add({
    parent: agent,
    kept: 3,
    messages: [toolResult(1, random)],
    answer: { role: "assistant", content: "`tests/test_parser.py` covers it." },
    agent_id: "explorer-1",
    parent_agent_id: "main",
  });
  add({
    messages: [{ role: "user", content: "Write a title of at most five words for this conversation." }],
    answer: { role: "assistant", content: "Fix parser for nested lists" },
    request_kind: "title",
  });
  return {
    type: "episode",
    session_id: overview.session_id ?? `s-${index}`,
    task: overview.task,
    task_id: overview.task_id,
    ...(overview.group_id !== null && { group_id: overview.group_id }),
    accepted: overview.accepted,
    ...(!overview.accepted && {
      error: {
        code: overview.error ?? "agent_failed",
        message: "The agent exited with status 1.",
        stack: 'Traceback (most recent call last):\n  File "agent.py", line 12, in main\nRuntimeError: no answer',
      },
    }),
    version: overview.version,
    started_at: STARTED_AT + index,
    duration: 40,
    session_reward: 1,
    interactions,
  };
}

const interactionsAnswer = (interaction: TranscriptInteraction | undefined): Message[] =>
  interaction ? [{ ...interaction.answer, content: `${showAsText(interaction.answer.content)} (shortened)` }] : [];

const SYSTEM: Message = {
  role: "system",
  content:
    "You are a software engineer. You work in a sandbox with a Git repository. Read the code before you change it, run the tests " +
    "after each change, and stop when they pass.\n\n- Make small changes.\n- Do not change the tests.\n- Answer with a short summary.",
};

const userTask = (index: number): Message => ({
  role: "user",
  content:
    `Issue ${1000 + index}: the parser rejects nested lists.\n\n` +
    "```python\nparse('[[1, 2], [3, [4]]]')\n# ParseError: unexpected '[' at 1\n```\n\n" +
    "It worked in 2.3. Please find out what broke it and fix it. Grüße, 日本語 and 👩‍💻 must still work.",
});

function toolTurn(turn: number, random: Random): Message {
  const file = FILES[Math.floor(random() * FILES.length)] ?? "setup.cfg";
  const isShell = turn % 2 === 0;
  return {
    role: "assistant",
    content: isShell ? "Let me run the tests first." : `I'll read \`${file}\` to see how lists are handled.`,
    reasoning:
      `The error is at position ${turn}, so the scanner has already accepted the first bracket. ` +
      "Either the recursion is guarded by a flag that is never reset, or the token is consumed twice. ".repeat(
        1 + (turn % 4),
      ),
    toolCalls: [
      {
        id: `call_${turn}_${Math.floor(random() * 1e6).toString(36)}`,
        name: isShell ? "shell" : "read_file",
        arguments: isShell
          ? `{"command": "pytest -q ${file} -k '${FAILURES[turn % FAILURES.length]}'", "timeout": 60.0}`
          : `{"path": "${file}", "lines": [${turn * 10}, ${turn * 10 + 40}]}`,
      },
    ],
  };
}

function toolResult(turn: number, random: Random): Message {
  const lines = 6 + Math.floor(60 * random());
  const content = Array.from(
    { length: lines },
    (_, line) =>
      `${String(turn * 10 + line).padStart(4)}  ${line % 7 === 0 ? "def" : "    return"} parse_${line}(tokens, depth=${line % 3})`,
  ).join("\n");
  return {
    role: "tool",
    content: `${lines} lines\n${content}\n\n3 failed, 41 passed in 2.1s`,
    toolCallId: `call_${turn}`,
  };
}

const finalAnswer = (index: number): Message => ({
  role: "assistant",
  content: `The guard in \`parse_list\` was set for the outer list and never reset. I reset it after each element; all 44 tests pass. (Issue ${1000 + index})`,
});

/** The tokens of an interaction, one for each word. */
export function fixtureTokens(
  interaction: TranscriptInteraction,
  { from, count }: { readonly from: number; readonly count: number },
  seed = 1,
): TokenSlice {
  const random = seededRandom(seed);
  const textOf = (message: Message): string =>
    [message.reasoning, showAsText(message.content), ...(message.toolCalls ?? []).map((call) => call.arguments)]
      .filter(Boolean)
      .join("\n");
  const split = (text: string): string[] => text.match(/\s?[\p{L}\p{N}_]+|\s*[^\p{L}\p{N}\s]|\s/gu) ?? [];
  const prompt = interaction.messages.flatMap((message) => [
    "<|im_start|>",
    message.role,
    "\n",
    ...split(textOf(message)),
    "<|im_end|>",
    "\n",
  ]);
  const output = [...split(textOf(interaction.answer)), "<|im_end|>"];
  const texts = [...prompt, ...output];
  const logprobs = texts.map((_, at) => (at < prompt.length ? 0 : -(9 * random() ** 5)));
  const slice = <T>(values: readonly T[]): T[] => values.slice(from, from + count);
  const switched = prompt.length + Math.floor(output.length / 2);
  const [low = 3, high = 3] = interaction.versions ?? [];
  return {
    total: texts.length,
    output_start: prompt.length,
    ids: slice(texts.map(tokenId)),
    texts: slice(texts),
    logprobs: slice(logprobs),
    loss_mask: slice(texts.map((_, at) => (at < prompt.length || interaction.left_out !== undefined ? 0 : 1))),
    versions: slice(texts.map((_, at) => (at < prompt.length ? -1 : at < switched ? low : high))),
    temperature: 1,
    channels: [],
    images: [],
    ...(interaction.cause !== undefined && {
      difference: {
        at: 412,
        parent: ["I", "'ll", " read", " `", "src", "/parser", ".py", "`"].map(token),
        own: ["I", "'ll", " read", " `", "src", "/", "parser.py", "`"].map(token),
      },
    }),
  };
}

const token = (text: string): { id: number; text: string } => ({ id: tokenId(text), text });

function tokenId(text: string): number {
  let hash = 7;
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) % 151_643;
  return hash;
}
