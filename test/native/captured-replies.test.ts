import { describe, expect, it } from "vitest";
import { native } from "../../src/native/addon.js";
import type {
  EngineFinish,
  EngineReply,
  NamedVersions,
  NativeGeneration,
  ReplyFormat,
} from "../../src/native/contract.js";
import { type CapturedEngine, eventData, isStream, type NamedCapture, readCaptures } from "../helpers/captures.js";

/**
 * The readers against answers of real servers. What they must read is taken from the JSON of the answer in the most
 * direct way.
 */

/** Recorded for tokens whose version is not in the reply as a number. */
const FALLBACK = 3;

interface Read {
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
  readonly versions: readonly number[];
  /** Alternatives per token, as `[id, logprob]`. */
  readonly top: readonly (readonly (readonly [number, number])[])[];
  readonly reply: Omit<EngineReply, "versions">;
  readonly named: Pick<NamedVersions, "naming" | "first" | "last"> & { readonly saysDefault: boolean };
}

type Json = Record<string, unknown>;

interface Reader {
  readonly paths: readonly string[];
  readonly scripts: readonly string[];
  readonly append: (into: NativeGeneration, body: Buffer, topLogprobs: number) => EngineReply;
  readonly topOf: (request: Json) => number;
  /** Returns what a reply says, or the frames of a stream together. */
  readonly expected: (frames: readonly Json[], topLogprobs: number) => Read;
}

const READERS: Readonly<Record<CapturedEngine, Reader>> = {
  sglang: {
    paths: ["/generate"],
    scripts: ["usual", "incremental", "skip-tokenizer"],
    append: (into, body) => into.appendSglangReply(body, FALLBACK),
    topOf: (request) => Number(request["top_logprobs_num"]),
    expected: expectedOfSglang,
  },
  vllm: {
    paths: ["/inference/v1/generate", "/v1/completions"],
    scripts: ["development", "plain", "tokens-only", "dead"],
    append: (into, body, topLogprobs) => into.appendVllmReply(body, FALLBACK, topLogprobs),
    topOf: (request) => Number(Object(request["sampling_params"] ?? request).logprobs),
    expected: expectedOfVllm,
  },
};

type Entry = readonly [logprob: number | null, id: number, text: unknown];

function expectedOfSglang(frames: readonly Json[]): Read {
  const metas = frames.map(({ meta_info }) => meta_info as Json);
  const meta = Object.assign({}, ...metas) as Json;
  const length = Number(meta["output_token_logprobs_length"] ?? 0);
  // Frames repeat the earlier tokens, unless the server streams incrementally.
  const join = (field: string): unknown[] => {
    const last = (metas.at(-1)?.[field] ?? []) as unknown[];
    return last.length === length ? last : metas.flatMap((each) => (each[field] ?? []) as unknown[]);
  };
  const entries = join("output_token_logprobs") as Entry[];
  const spans = meta["weight_versions"] as { version: string; start: number; end: number }[] | undefined;
  const finish = finishOfSglang(meta["finish_reason"] as Json);
  // A stream that refuses a request counts a placeholder, so its counts are not read.
  const counts =
    frames.length === 1 && finish.statusCode !== undefined
      ? {}
      : {
          promptTokens: meta["prompt_tokens"],
          completionTokens: meta["completion_tokens"],
          cachedTokens: meta["cached_tokens"],
        };
  return {
    ids: entries.map(([, id]) => id),
    logprobs: entries.map(([logprob]) => Math.fround(logprob ?? Number.NaN)),
    versions: entries.map((_, index) =>
      toVersion(
        spans?.find(({ start, end }) => index >= start && index < end)?.version ?? (meta["weight_version"] as string),
      ),
    ),
    top:
      meta["output_top_logprobs_shape"] === undefined
        ? (join("output_top_logprobs") as Entry[][]).map((list) =>
            list.map(([logprob, id]) => [id, Math.fround(logprob ?? 0)]),
          )
        : flatTop(meta),
    reply: present({ tokens: entries.length, id: meta["id"], finish, ...counts }),
    named: namedBy(spans ?? [], meta["weight_version"] !== undefined),
  };
}

function flatTop(meta: Json): (readonly [number, number])[][] {
  const [rows, width] = meta["output_top_logprobs_shape"] as [number, number];
  const [ids, logprobs] = ["idx", "val"].map((name) =>
    Buffer.from(String(meta[`output_top_logprobs_${name}_flat_b64`]), "base64"),
  );
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: width }, (_, rank) => {
      const at = 4 * (row * width + rank);
      return [ids?.readInt32LE(at) ?? -1, logprobs?.readFloatLE(at) ?? 0] as const;
    }),
  );
}

type Span = { readonly version: string; readonly start: number; readonly end: number };

/** No captured reply names versions in another way than by spans. */
function namedBy(spans: readonly Span[], saysMore = false): Read["named"] {
  const versions = spans.filter(({ start, end }) => start < end).map(({ version }) => version);
  const named = versions.map((version) => (version === "default" ? undefined : Number(version)));
  const saysDefault = versions.includes("default") || (saysMore && named.every((version) => version === undefined));
  if (named.every((version) => version === undefined)) return { naming: "none", saysDefault };
  return present({ naming: "spans", first: named[0], last: named.at(-1), saysDefault });
}

const toVersion = (label: string): number => (/^\d+$/.test(label) ? Number(label) : FALLBACK);

function finishOfSglang({ type, matched, message, status_code }: Json): EngineFinish {
  const finish = {
    type,
    matched: matched ?? undefined,
    message: message ?? undefined,
    statusCode: status_code ?? undefined,
  };
  return present(finish);
}

interface ContentEntry {
  readonly token_id: number;
  readonly logprob: number;
  readonly top_logprobs: readonly ContentEntry[];
}

interface CompletionLogprobs {
  readonly token_logprobs: readonly number[];
  readonly top_logprobs: readonly Readonly<Record<string, number>>[];
}

function expectedOfVllm(frames: readonly Json[], topLogprobs: number): Read {
  const choices = frames.flatMap(({ choices: list }) => list as Json[]);
  const { id, request_id, usage } = Object.assign({}, ...frames) as { id?: string; request_id?: string; usage?: Json };
  const last = choices.findLast(({ finish_reason }) => finish_reason !== null) ?? {};
  const ids = choices.flatMap(({ token_ids }) => (token_ids ?? []) as number[]);
  const lists = choices.flatMap(({ logprobs }) => logprobsOf(logprobs as Json | null));
  const spans = last["weight_versions"] as { version: string; start: number; end: number }[] | null | undefined;
  return {
    ids,
    logprobs: lists.map(({ logprob }) => Math.fround(logprob)),
    versions: ids.map((_, index) =>
      toVersion(spans?.find(({ start, end }) => index >= start && index < end)?.version ?? ""),
    ),
    top:
      topLogprobs === 0
        ? []
        : lists.map(({ top }) =>
            top
              .toSorted((a, b) => b[1] - a[1])
              .slice(0, topLogprobs)
              .map(([each, logprob]) => [each, Math.fround(logprob)] as const),
          ),
    reply: present({
      tokens: ids.length,
      id: id ?? request_id,
      finish: present({ type: last["finish_reason"], matched: last["stop_reason"] ?? undefined }),
      promptTokens: usage?.["prompt_tokens"] as number,
      completionTokens: usage?.["completion_tokens"] as number,
      cachedTokens: (usage?.["prompt_tokens_details"] as Json | null | undefined)?.["cached_tokens"] as number,
    }),
    named: namedBy(spans ?? []),
  };
}

/** The log probabilities of either endpoint. */
function logprobsOf(logprobs: Json | null): { logprob: number; top: (readonly [number, number])[] }[] {
  if (logprobs === null) return [];
  const content = logprobs["content"] as ContentEntry[] | undefined;
  if (content) {
    return content.map(({ logprob, top_logprobs }) => ({
      logprob,
      top: top_logprobs.map((entry) => [entry.token_id, entry.logprob] as const),
    }));
  }
  const { token_logprobs, top_logprobs } = logprobs as unknown as CompletionLogprobs;
  return token_logprobs.map((logprob, index) => ({
    logprob,
    top: Object.entries(top_logprobs[index] ?? {}).map(
      ([name, value]) => [Number(name.slice("token_id:".length)), value] as const,
    ),
  }));
}

/** Leaves out what is undefined. */
function present<T>(fields: object): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

function readOf(generation: NativeGeneration, { versions, ...reply }: EngineReply): Read {
  const top = generation.top();
  const { naming = "none", first, last, saysDefault = false } = versions ?? {};
  return {
    ids: [...generation.ids()],
    logprobs: [...generation.logprobs()],
    versions: [...generation.versions()],
    top: top === undefined ? [] : rowsOf(top),
    reply,
    named: present({ naming, first, last, saysDefault }),
  };
}

function rowsOf({ width, ids, logprobs }: NonNullable<ReturnType<NativeGeneration["top"]>>): [number, number][][] {
  return Array.from({ length: ids.length / width }, (_, row) =>
    Array.from({ length: width }, (_unused, rank): [number, number] => [
      ids[row * width + rank] ?? Number.NaN,
      logprobs[row * width + rank] ?? Number.NaN,
    ]).filter(([id]) => id >= 0),
  );
}

function readStream(format: ReplyFormat, pieces: readonly Buffer[], topLogprobs: number): Read {
  const generation = new native.Generation();
  const stream = new native.ReplyStream(format, generation, FALLBACK, topLogprobs);
  for (const piece of pieces) stream.push(piece);
  return readOf(generation, stream.end());
}

const framesOf = (capture: NamedCapture): Json[] =>
  (isStream(capture) ? eventData(capture).slice(0, -1) : [capture.body]).map((text) => JSON.parse(text) as Json);

const reportsError = (capture: NamedCapture): boolean => framesOf(capture).some(({ error }) => error !== undefined);

interface Case {
  readonly engine: CapturedEngine;
  readonly script: string;
  readonly name: string;
  readonly capture: NamedCapture;
}

/** Returns what a test of an answer with tokens needs. */
function reading({ engine, capture }: Case) {
  const { append, topOf, expected } = READERS[engine];
  const topLogprobs = topOf(capture.request ?? {});
  return {
    append,
    topLogprobs,
    bytes: Buffer.from(capture.body),
    expected: expected(framesOf(capture), topLogprobs),
  };
}

const cases: readonly Case[] = (Object.keys(READERS) as CapturedEngine[]).flatMap((engine) => {
  const { scripts, paths } = READERS[engine];
  return scripts.flatMap((script) =>
    readCaptures(engine, script)
      .filter(({ path, status }) => status === 200 && paths.includes(path))
      .map((capture) => ({ engine, script, name: capture.name, capture })),
  );
});

const tokens = cases.filter(({ capture }) => !reportsError(capture));
const streams = tokens.filter(({ capture }) => isStream(capture));
const bodies = tokens.filter(({ capture }) => !isStream(capture));

it.each(bodies)(
  "the answer $name of $engine, $script is read as its JSON says, and not at all if it is cut",
  (each) => {
    const { append, bytes, topLogprobs, expected } = reading(each);
    const generation = new native.Generation();
    expect(readOf(generation, append(generation, bytes, topLogprobs))).toEqual(expected);
    const cut = new native.Generation();
    for (let end = 0; end < bytes.length; end++) {
      expect(() => append(cut, bytes.subarray(0, end), topLogprobs)).toThrow(/JSON|byte|end/i);
    }
    expect(cut.length).toBe(0);
  },
);

/** A reading for each byte takes half a minute under AddressSanitizer. */
const EVERY_CUT = { timeout: 120_000 };

it.each(streams)(
  "the answer $name of $engine, $script is read as its JSON says, cut at any byte",
  EVERY_CUT,
  (each) => {
    const { bytes, topLogprobs, expected } = reading(each);
    const whole = readStream(each.engine, [bytes], topLogprobs);
    expect(whole).toEqual(expected);
    const text = JSON.stringify(whole);
    for (let at = 1; at < bytes.length; at++) {
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)];
      // A comparison of texts, because toEqual would take most of the time.
      expect(JSON.stringify(readStream(each.engine, pieces, topLogprobs)) === text, `cut at byte ${at}`).toBe(true);
    }
  },
);

const errors = cases.filter(({ capture }) => reportsError(capture));

describe.each(errors)("the error $name of $engine, $script", ({ engine, capture }) => {
  it("is read from a stream that is cut at any byte", () => {
    const bytes = Buffer.from(capture.body);
    const [error] = framesOf(capture).flatMap(({ error: each }) => (each === undefined ? [] : [each as Json]));
    const { message, code } = error ?? {};
    for (let at = 0; at < bytes.length; at++) {
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)];
      expect(readStream(engine, pieces, 0).reply.error).toEqual({ message, code });
    }
  });
});
