import type { EngineVision } from "../engine-vision.js";
import { readMaskSampling } from "../sampling-masks.js";
import { BadRequest, type GenerateRequest } from "./protocol.js";

/** A body with a field of another type. */
export class InvalidBody extends BadRequest {
  constructor(field: string) {
    super(`1 validation error:\n  {'type': 'invalid', 'loc': ('body', '${field}')}`);
  }
}

const COMMA = 0x2c;

/**
 * Reads the body of `/generate`.
 *
 * @param fast counts the input ids without parsing them; `inputIds` stays empty
 */
export function readGenerateRequest(body: Buffer, fast: boolean, vision?: EngineVision): GenerateRequest {
  const fastBody = fast ? withoutInputIds(body) : undefined;
  const fields = parseObject(fastBody?.text ?? body.toString("utf8"));
  const sentIds = fastBody ? [] : integers(fields["input_ids"], "input_ids");
  const inputIds = vision?.expandForSglang(sentIds, fields) ?? sentIds;
  const inputLength = fastBody?.inputLength ?? inputIds.length;
  if (inputLength === 0) throw new BadRequest("input_ids cannot be empty.");
  const sampling = samplingFields(fields["sampling_params"]);
  if (fields["return_flat_raw_output_top_logprobs"] === true && fields["stream"] === true) {
    throw new BadRequest(
      "return_flat_raw_output_top_logprobs is only set on the finished response and does not support stream=True.",
    );
  }
  return {
    rid: typeof fields["rid"] === "string" ? fields["rid"] : crypto.randomUUID().replaceAll("-", ""),
    stream: fields["stream"] === true,
    ...(typeof fields["lora_path"] === "string" && { adapter: fields["lora_path"] }),
    inputIds,
    inputLength,
    sampling,
    returnLogprob: fields["return_logprob"] === true,
    flatTop: fields["return_flat_raw_output_top_logprobs"] === true,
    tokenIds: fields["token_ids_logprob"] === undefined ? undefined : integers(fields["token_ids_logprob"], "ids"),
    topLogprobs: typeof fields["top_logprobs_num"] === "number" ? fields["top_logprobs_num"] : 0,
    masks: fields["return_sampling_mask"] === true ? readMaskSampling(sampling) : undefined,
    expertsFrom: fields["return_routed_experts"] === true ? Number(fields["routed_experts_start_len"] ?? 0) : undefined,
  };
}

/** Sampling fields that the real server knows, in its own order. */
const KNOWN_FIELDS = (
  "max_new_tokens stop stop_token_ids stop_regex temperature top_p top_k min_p frequency_penalty presence_penalty " +
  "repetition_penalty min_new_tokens n json_schema regex ebnf structural_tag ignore_eos skip_special_tokens " +
  "spaces_between_special_tokens no_stop_trim stream_interval logit_bias sampling_seed custom_params beam_width " +
  "watermark choice"
).split(" ");

/** A sampling field that no server of this version has. */
export class UnknownField extends Error {
  override readonly name = "UnknownField";
}

function samplingFields(value: unknown): GenerateRequest["sampling"] {
  const fields: Record<string, unknown> = isObject(value) ? value : {};
  const unknown = Object.keys(fields).find((name) => !KNOWN_FIELDS.includes(name));
  if (unknown !== undefined) {
    const expected = KNOWN_FIELDS.map((name) => `\`${name}\``).join(", ");
    throw new UnknownField(`unknown field \`${unknown}\`, expected one of ${expected}`);
  }
  const { max_new_tokens: maxNewTokens = 128, stop } = fields;
  if (typeof maxNewTokens !== "number" || maxNewTokens < 0) throw new BadRequest("max_new_tokens must be at least 0");
  const strings = typeof stop === "string" ? [stop] : Array.isArray(stop) ? stop.map(String) : [];
  const stopIds = fields["stop_token_ids"] === undefined ? [] : integers(fields["stop_token_ids"], "stop_token_ids");
  return { ...fields, max_new_tokens: maxNewTokens, stop: strings, stop_token_ids: stopIds };
}

/** Returns the body with an empty list of input ids, and the number of removed ids. */
function withoutInputIds(body: Buffer): { text: string; inputLength: number } {
  const key = '"input_ids":[';
  const start = body.indexOf(key);
  if (start < 0) throw new BadRequest("input_ids is missing");
  const first = start + key.length;
  const end = body.indexOf("]", first);
  let inputLength = end > first ? 1 : 0;
  for (let i = first; i < end; i++) if (body[i] === COMMA) inputLength++;
  return { text: body.toString("utf8", 0, first) + body.toString("utf8", end), inputLength };
}

export function parseObject(text: string): Record<string, unknown> {
  const value: unknown = text === "" ? {} : JSON.parse(text);
  if (!isObject(value)) throw new BadRequest("the body must be an object");
  return value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function integers(value: unknown, name: string): number[] {
  if (!Array.isArray(value) || !value.every((item) => Number.isInteger(item))) {
    throw new BadRequest(`${name} must be a list of integers`);
  }
  return value;
}
