"""Computes log probabilities again, with transformers in float32. Reads a JSON list of claims, writes a list of lists.

A claim is {"engine", "model", "prompt", "output", "sampling", "grammar", "kept"}: what a recorded interaction says of itself. The
logits are processed as the sampling parameters are defined, in the engine's order. With `kept`, a token is one of these ids.
"""

import json
import sys
from functools import cache

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer


@cache
def load(folder):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()


@cache
def compiler(folder):
    import xgrammar

    tokenizer, config = AutoTokenizer.from_pretrained(folder), AutoConfig.from_pretrained(folder)
    info = xgrammar.TokenizerInfo.from_huggingface(tokenizer, vocab_size=config.vocab_size)
    return xgrammar.GrammarCompiler(info)


def grammar_masks(folder, grammar, output, vocabulary):
    """Yields, for each output token, which tokens the grammar allows there."""
    import xgrammar

    compile_with = compiler(folder)
    compiled = {
        "json_schema": compile_with.compile_json_schema,
        "structural_tag": compile_with.compile_structural_tag,
        "regex": compile_with.compile_regex,
    }[grammar["kind"]](grammar["text"])
    matcher = xgrammar.GrammarMatcher(compiled)
    bitmask = xgrammar.allocate_token_bitmask(1, vocabulary)
    for token in output:
        matcher.fill_next_token_bitmask(bitmask)
        bits = bitmask[0].unsqueeze(-1) >> torch.arange(32, dtype=torch.int32)
        yield (bits & 1).flatten()[:vocabulary].bool()
        if not matcher.accept_token(token):
            raise ValueError(f"the grammar refuses token {token}")


def repeat_penalty(logits, repeated, penalty):
    return torch.where(repeated, torch.where(logits > 0, logits / penalty, logits * penalty), logits)


def frequency_penalty(logits, seen_output, sampling):
    return logits - sampling["frequency_penalty"] * seen_output


def presence_penalty(logits, seen_output, sampling):
    return logits - sampling["presence_penalty"] * (seen_output > 0)


def repetition_penalty(logits, seen_output, sampling):
    return repeat_penalty(logits, seen_output > 0, sampling["repetition_penalty"])


def add_bias(logits, sampling):
    for token, bias in sampling["logit_bias"]:
        logits = logits.index_add(0, torch.tensor([token]), torch.tensor([float(bias)]))
    return logits


def process_vllm(logits, seen_prompt, seen_output, sampling, order):
    """The repetition penalty counts tokens of the prompt too, and comes before the additive penalties."""
    logits = add_bias(logits, sampling)
    logits = repeat_penalty(logits, (seen_prompt + seen_output) > 0, sampling["repetition_penalty"])
    return presence_penalty(frequency_penalty(logits, seen_output, sampling), seen_output, sampling)


def process_sglang(logits, seen_prompt, seen_output, sampling, order):
    """The repetition penalty counts tokens of the output alone."""
    for penalize in order:
        logits = penalize(logits, seen_output, sampling)
    return add_bias(logits, sampling)


PROCESS = {"vllm": process_vllm, "sglang": process_sglang}

# SGLang keeps the penalties of its server in a set of classes, so their order differs from one start to the next.
SGLANG_ORDERS = [
    (frequency_penalty, presence_penalty, repetition_penalty),
    (frequency_penalty, repetition_penalty, presence_penalty),
    (presence_penalty, repetition_penalty, frequency_penalty),
    (repetition_penalty, frequency_penalty, presence_penalty),
]


def keep(logits, sampling):
    """Masks what top-k, top-p and min-p drop."""
    if sampling["min_p"] > 0:
        probs = logits.softmax(-1)
        logits = logits.masked_fill(probs < sampling["min_p"] * probs.max(), -torch.inf)
    ordered, order = logits.sort(descending=True)
    dropped = torch.zeros_like(ordered, dtype=torch.bool)
    if sampling["top_k"] > 0:
        dropped |= ordered < ordered[min(sampling["top_k"], len(ordered)) - 1]
    if sampling["top_p"] < 1:
        probs = ordered.masked_fill(dropped, -torch.inf).softmax(-1)
        dropped |= probs.cumsum(-1) - probs > sampling["top_p"]
    return logits.masked_fill(torch.zeros_like(dropped).scatter(0, order, dropped), -torch.inf)


@torch.no_grad()
def compute(engine, model, prompt, output, sampling, grammar, kept, order):
    ids = torch.tensor([prompt + output])
    rows = load(model)(ids).logits[0, len(prompt) - 1 : -1]
    vocabulary = rows.shape[-1]
    masks = grammar_masks(model, grammar, output, vocabulary) if grammar else iter([])
    seen_prompt = torch.bincount(torch.tensor(prompt), minlength=vocabulary)
    seen_output = torch.zeros(vocabulary)
    content, found = sampling["content"], []
    for at, (logits, token) in enumerate(zip(rows, output, strict=True)):
        if grammar:
            logits = logits.masked_fill(~next(masks), -torch.inf)
        if content != "raw":
            if at < sampling["min_tokens"]:
                logits = logits.index_fill(0, torch.tensor(sampling["stop_token_ids"]), -torch.inf)
            logits = PROCESS[engine](logits, seen_prompt, seen_output, sampling, order) / sampling["temperature"]
        if kept is not None:
            logits = torch.full_like(logits, -torch.inf).index_copy(0, torch.tensor(kept[at]), logits[kept[at]])
        elif content == "truncated" and not sampling["greedy"]:
            logits = keep(logits, sampling)
        found.append(logits.log_softmax(-1)[token].item())
        seen_output[token] += 1
    return found


def recompute(engine, sampling, recorded, **claim):
    """Where the order of penalties is open, returns what is nearest to the recorded values in one order for all tokens."""
    penalized = sampling["repetition_penalty"] != 1 and (sampling["frequency_penalty"] or sampling["presence_penalty"])
    orders = SGLANG_ORDERS if engine == "sglang" and penalized and recorded else SGLANG_ORDERS[:1]
    found = [compute(engine=engine, sampling=sampling, order=order, **claim) for order in orders]
    return min(found, key=lambda values: max(abs(a - b) for a, b in zip(values, recorded or values, strict=True)))


print(json.dumps([recompute(**claim) for claim in json.load(sys.stdin)]))
