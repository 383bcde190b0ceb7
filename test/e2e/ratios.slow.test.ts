import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { type RunningGateway, startGateway } from "../../src/gateway/start.js";
import { type RunningServer, startServer } from "../../src/server/start.js";
import { column, rowsOf, type TokenRow, type TrainedToken } from "../helpers/batch-rows.js";
import { logSoftmax, type Scorer, startScorer } from "../helpers/embedded-scorer.js";
import { HttpTrainer } from "../helpers/http-trainer.js";
import { readSafetensors, type SafeTensors } from "../helpers/safetensors.js";

/**
 * The recorded log probabilities can be recomputed from a batch alone. With the weights that sampled the tokens, the ratio
 * exp(new − recorded) of every trained token is 1: at every temperature, in every layout, from one server or several.
 */
const TOLERANCE = 3e-3;
/** Without the temperature, at least one ratio of a batch is this far from 1. */
const FAR = 0.3;

const ADMIN_KEY = "sk-admin-0123456789abcdef";
const TEMPERATURES = [0, 0.3, 0.7, 1];
/** Tokens of one call. */
const MAX_TOKENS = 10;

type Sampling = Readonly<Record<string, number>>;
type OpenSession = Awaited<ReturnType<HttpTrainer["openSession"]>>;

/** The sampling parameters of each turn of a session. Every temperature occurs in every turn of some conversation. */
const SESSIONS: readonly (readonly Sampling[])[] = [
  ...TEMPERATURES.map((_, first) =>
    TEMPERATURES.map((_, turn) => ({ temperature: TEMPERATURES[(first + turn) % 4] ?? 1 })),
  ),
  [
    { temperature: 0.7, top_p: 0.8 },
    { temperature: 1, top_k: 8 },
    { temperature: 0.3, min_p: 0.1 },
  ],
];

let scorer: Scorer;
beforeAll(async () => {
  scorer = await startScorer();
});
afterAll(() => scorer.close());

/** The model's logits, by the preceding tokens. Tokens that many rows share are thus scored only once. */
const knownLogits = new Map<string, Float64Array>();

async function computeLogits({ ids, trained }: TokenRow): Promise<Float64Array[]> {
  const keys = trained.map(({ place }) => ids.slice(0, place).join());
  const places = trained.map(({ place }) => place).filter((_, index) => !knownLogits.has(keys[index] ?? ""));
  const scored = places.length === 0 ? [] : await scorer.logitsAt(ids, places);
  places.forEach((place, index) => knownLogits.set(ids.slice(0, place).join(), scored[index] ?? new Float64Array()));
  return keys.map((key) => knownLogits.get(key) ?? new Float64Array());
}

/** Returns the divisor of the logits for a token of a row. */
type Temperature = (row: number, token: TrainedToken) => number;

interface Ratio {
  readonly row: number;
  readonly token: TrainedToken;
  readonly temperature: number;
  readonly ratio: number;
}

async function computeRatios(batch: SafeTensors, temperatureOf: Temperature): Promise<Ratio[]> {
  const ratios: Ratio[] = [];
  for (const [row, tokens] of rowsOf(batch).entries()) {
    const logits = await computeLogits(tokens);
    tokens.trained.forEach((token, index) => {
      const temperature = temperatureOf(row, token);
      const logprob = logSoftmax(logits[index] ?? new Float64Array(), temperature)[token.id] ?? Number.NaN;
      ratios.push({ row, token, temperature, ratio: Math.exp(logprob - token.logprob) });
    });
  }
  return ratios;
}

const findWorst = (ratios: readonly Ratio[]) =>
  ratios.reduce((worst, { ratio }) => Math.max(worst, Math.abs(ratio - 1)), 0);

/** `row_temperature`: for rows that train on one call. */
function byRow(batch: SafeTensors): Temperature {
  const temperatures = column(batch, "row_temperature");
  return (row) => temperatures[row] ?? Number.NaN;
}

/** `turn_temperature` of the turn whose output the token is part of. */
function byTurn(batch: SafeTensors): Temperature {
  const [starts, ends, temperatures] = ["turn_start", "turn_end", "turn_temperature"].map((name) =>
    column(batch, name),
  );
  const ofRow = column(batch, "cu_turns");
  return (row, { place }) => {
    for (let turn = ofRow[row] ?? 0; turn < (ofRow[row + 1] ?? 0); turn++) {
      if ((starts?.[turn] ?? 0) <= place && place < (ends?.[turn] ?? 0)) return temperatures?.[turn] ?? Number.NaN;
    }
    return Number.NaN;
  };
}

const ROW_LAYOUTS = [
  ["padded", { layout: "padded", pad_side: "left", pad_to_multiple_of: 16 }],
  ["packed", { layout: "packed" }],
] as const;
const LAYOUTS = [...ROW_LAYOUTS, ["tree", { layout: "tree" }]] as const;

function startWorker(tag: string, type: "hf" | "concat"): Promise<RunningServer> {
  const server = { port: 0, shutdown_seconds: 0, worker_tag: tag };
  const config = parseConfig({ server, rollout: { agent: { chat_template_type: type } } });
  return startServer(config, { adminKey: ADMIN_KEY, logger: pino({ level: "silent" }) });
}

describe.each(["hf", "concat"] as const)("ratios recomputed from a batch alone, chat_template_type %s", (type) => {
  let workers: readonly RunningServer[];
  let gateway: RunningGateway;
  /** Sessions by the address from which they are exported. */
  const sources = new Map<string, { readonly trainer: HttpTrainer; readonly sessions: readonly string[] }>();

  beforeAll(async () => {
    workers = await Promise.all(["one", "two"].map((tag) => startWorker(tag, type)));
    const urls = workers.map(({ url }) => url);
    gateway = await startGateway(parseConfig({ server: { port: 0, shutdown_seconds: 0 }, gateway: { workers: urls } }));
    const trainer = new HttpTrainer(gateway.url, ADMIN_KEY);
    const opened: OpenSession[] = [];
    // Sequential, so that the gateway gives both workers the same number of sessions.
    for (const _ of [...SESSIONS, ...SESSIONS]) opened.push(await trainer.openSession());
    const byWorker = ["-one-", "-two-"].map((tag) => opened.filter(({ id }) => id.includes(tag)));
    if (byWorker.some(({ length }) => length !== SESSIONS.length)) throw new Error("The workers differ in sessions.");
    await Promise.all(
      byWorker.flat().map((session, index) => {
        const turns = SESSIONS[index % SESSIONS.length] ?? [];
        return converse(trainer, session, `topic ${index}`, turns);
      }),
    );
    const listIds = (sessions: readonly OpenSession[] = []) => sessions.map(({ id }) => id);
    const first = new HttpTrainer(urls[0] ?? "", ADMIN_KEY);
    sources.set("one worker", { trainer: first, sessions: listIds(byWorker[0]) });
    sources.set("a gateway over two workers", { trainer, sessions: listIds(opened) });
  });
  afterAll(async () => {
    await gateway.close();
    await Promise.all(workers.map((server) => server.close()));
  });

  async function exported(source: string, options: object): Promise<SafeTensors> {
    const { trainer, sessions } = sources.get(source) ?? { sessions: [] };
    if (!trainer) throw new Error(`no source ${source}`);
    return readSafetensors(await trainer.exportBatch(sessions, { ...options, drain_seconds: 0 }));
  }

  describe.each(["one worker", "a gateway over two workers"])("from %s", (source) => {
    it.each(LAYOUTS)("are 1 with row_temperature in %s rows of single calls", async (layout, options) => {
      const batch = await exported(source, options);
      const ratios = await computeRatios(batch, byRow(batch));
      expect(batch.metadata["layout"]).toBe(layout);
      expect(ratios.length).toBeGreaterThan(60);
      expect(findWorst(ratios)).toBeLessThan(TOLERANCE);
      // Every temperature that was asked for is among them, and those that are no plain division are named.
      expectAllTemperatures(batch, "row");
      expectWholeDistribution(batch, "row");
    });

    it.each(LAYOUTS)("are far from 1 without the temperature at 0.3 and 0.7: %s", async (_, options) => {
      const batch = await exported(source, options);
      const recorded = byRow(batch);
      const ratios = await computeRatios(batch, () => 1);
      for (const temperature of [0.3, 0.7]) {
        const those = ratios.filter(({ row, token }) => recorded(row, token) === Math.fround(temperature));
        expect(findWorst(those)).toBeGreaterThan(FAR);
      }
      const plain = ratios.filter(({ row, token }) => recorded(row, token) === 1);
      expect(findWorst(plain)).toBeLessThan(TOLERANCE);
    });

    const ofConversations = { style: "concat", on_mismatch: "split", turns: true };

    it.each(ROW_LAYOUTS)("are 1 with turn_temperature in %s rows of conversations", async (_, options) => {
      const batch = await exported(source, { ...options, ...ofConversations });
      const ratios = await computeRatios(batch, byTurn(batch));
      expect(ratios.length).toBeGreaterThan(60);
      expect(findWorst(ratios)).toBeLessThan(TOLERANCE);
      expectAllTemperatures(batch, "turn");
      expectWholeDistribution(batch, "turn");
    });

    // Prompts of `hf` conversations may not continue each other. All rows may then have only one turn.
    if (type === "hf") return;

    it.each(ROW_LAYOUTS)("are far from 1 with the last turn's row_temperature in %s rows", async (_, options) => {
      const batch = await exported(source, { ...options, ...ofConversations });
      expect(findWorst(await computeRatios(batch, byRow(batch)))).toBeGreaterThan(FAR);
    });
  });
});

/** Has a conversation with one call per entry of `turns`, and a second call that continues from the first answer. */
async function converse(
  trainer: HttpTrainer,
  { key }: OpenSession,
  topic: string,
  turns: readonly Sampling[],
): Promise<void> {
  const messages: object[] = [{ role: "user", content: `Tell me of ${topic}.` }];
  for (const [turn, sampling] of turns.entries()) {
    const parameters = { ...sampling, max_tokens: MAX_TOKENS, seed: turn };
    const answer = await trainer.chat(key, messages, parameters);
    if (turn === 1)
      await trainer.chat(key, [...messages.slice(0, 2), { role: "user", content: "Or else?" }], parameters);
    messages.push(answer, { role: "user", content: `And then, ${turn}?` });
  }
  await trainer.post("/rl/set_reward", { reward: 1 }, key);
  await trainer.post("/rl/end_session", {}, key);
}

/** A greedy call has divisor 1 and a flag. Other calls have their sampling temperature. */
function expectAllTemperatures(batch: SafeTensors, of: "row" | "turn"): void {
  const [temperature, drawn, greedy] = ["temperature", "sampling_temperature", "greedy"].map((name) =>
    column(batch, `${of}_${name}`),
  );
  expect(new Set(drawn)).toEqual(new Set(TEMPERATURES.map(Math.fround)));
  expect(temperature).toEqual(drawn?.map((value) => value || 1));
  expect(greedy).toEqual(drawn?.map((value) => Number(value === 0)));
}

/**
 * Checks that the batch has calls with top-p, top-k and min-p. The embedded engine records their log probabilities over the
 * whole distribution, before these filters. So their ratios are 1, too.
 */
function expectWholeDistribution(batch: SafeTensors, of: "row" | "turn"): void {
  expect(new Set(column(batch, `${of}_top_p`))).toEqual(new Set([1, Math.fround(0.8)]));
  expect(new Set(column(batch, `${of}_top_k`))).toEqual(new Set([0, 8]));
  expect(new Set(column(batch, `${of}_min_p`))).toEqual(new Set([0, Math.fround(0.1)]));
  const codes = JSON.parse(batch.metadata["row_codes"] ?? "") as { logprob_content: string[] };
  const contents = column(batch, `${of}_logprob_content`).map((code) => codes.logprob_content[code]);
  expect(new Set(contents)).toEqual(new Set(["temperature"]));
}
