import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { answerBroken } from "../broken-reply.js";
import { type ServerContext, sendJson, sendText } from "./context.js";
import { cutShort } from "./cut.js";
import { BadRequest, type Fault, type GenerateRequest } from "./protocol.js";
import { replyText } from "./reply.js";
import { readGenerateRequest } from "./request.js";
import { answerRefused, answerStream } from "./stream.js";

/** Answers one `/generate` request, with the next fault if one is waiting. */
export async function answerGenerate(context: ServerContext, body: Buffer, response: ServerResponse): Promise<void> {
  try {
    const request = readGenerateRequest(body, context.options.fast ?? false, context.options.vision);
    if (request.adapter !== undefined) requireAdapter(context, request.adapter);
    const fault = context.faults.shift() ?? context.options.drawFault?.(request) ?? refusedGrammar(context, request);
    if (fault?.kind === "refused") throw new BadRequest(fault.message);
    if (fault && answerBroken(fault, response)) return;
    checkLimits(context, request);
    if (fault?.kind === "slow") await sleep(fault.milliseconds);
    response.once("close", () => context.scheduler.abort(request.rid, false));
    await (request.stream ? answerStream : answerWhole)(context, request, fault, response);
  } catch (error) {
    // The status of a stream has gone out by then.
    if (!(error instanceof BadRequest) || !body.includes('"stream":true')) throw error;
    answerRefused(error.message, response);
  }
}

function requireAdapter({ adapters, options }: ServerContext, name: string): void {
  if (!options.lora) {
    const message =
      `LoRA adapter '${name}' was requested, but LoRA is not enabled. Please launch the server with --enable-lora flag ` +
      "and preload adapters using --lora-paths or /load_lora_adapter endpoint.";
    throw new BadRequest(message);
  }
  if (adapters.has(name)) return;
  const names = [...adapters.keys()].map((each) => `'${each}'`).join(", ");
  const message = `Got LoRA adapter that has never been loaded: ${name}\nAll loaded adapters: dict_keys([${names}]).`;
  throw new BadRequest(message);
}

const GRAMMARS = ["json_schema", "regex", "ebnf", "structural_tag"];

/** Without a tokenizer there are no grammars. */
function refusedGrammar({ options }: ServerContext, { sampling }: GenerateRequest): Fault | undefined {
  if (!options.skipTokenizerInit || !GRAMMARS.some((name) => sampling[name] !== undefined)) return undefined;
  const message =
    `Grammar-based generation (${GRAMMARS.join(", ")}) is not supported when the server is launched with ` +
    "--grammar-backend none";
  return { kind: "bad-grammar", message };
}

async function answerWhole(
  context: ServerContext,
  request: GenerateRequest,
  fault: Fault | undefined,
  response: ServerResponse,
): Promise<void> {
  const outcome = cutShort(await context.scheduler.generate(request), fault);
  const { finish } = outcome;
  if (finish.type === "abort" && typeof finish.status_code === "number") {
    const { message, status_code: code } = finish;
    if (code === 400) throw new BadRequest(message);
    return sendJson(response, code, { object: "error", message, type: String(code), param: null, code });
  }
  const text = replyText(request, outcome, context.reply, fault);
  sendText(response, 200, fault?.kind === "truncated-json" ? text.slice(0, text.length / 2) : text);
}

/** SGLang's default of `--sampling-mask-max-tokens`. */
const MOST_MASK_IDS = 4096;

function checkLimits(
  { contextLength, options }: ServerContext,
  { inputLength, sampling, masks }: GenerateRequest,
): void {
  if (inputLength >= contextLength) {
    throw new BadRequest(
      `The input (${inputLength} tokens) is longer than the model's context length (${contextLength} tokens).`,
    );
  }
  const total = inputLength + sampling.max_new_tokens;
  if (total >= contextLength) {
    throw new BadRequest(
      `Requested token count exceeds the model's maximum context length of ${contextLength} tokens. ` +
        `You requested a total of ${total} tokens: ${inputLength} tokens from the input messages and ` +
        `${sampling.max_new_tokens} tokens for the completion. Please reduce the number of tokens in the input ` +
        "messages or the completion to fit within the limit.",
    );
  }
  if (masks && !(masks.topK >= 1 && masks.topK <= MOST_MASK_IDS)) {
    throw new BadRequest(
      `return_sampling_mask requires top_k=1 for greedy sampling or finite 1 < top_k <= ${MOST_MASK_IDS}; got ` +
        `top_k=${masks.topK}. Lower top_k or increase --sampling-mask-max-tokens.`,
    );
  }
  if (options.skipTokenizerInit) checkWithoutTokenizer(sampling);
}

function checkWithoutTokenizer({ stop, min_new_tokens: least = 0 }: GenerateRequest["sampling"]): void {
  if (stop.length > 0) {
    const list = stop.map((text) => `'${text}'`).join(", ");
    throw new BadRequest(
      `stop=[${list}] is unavailable when skip_tokenizer_init=True (requires tokenizer to decode tokens to text for matching).`,
    );
  }
  if (Number(least) > 0) {
    throw new BadRequest(
      `min_new_tokens=${Number(least)} is unavailable when skip_tokenizer_init=True (requires tokenizer for eos_token_id).`,
    );
  }
}
