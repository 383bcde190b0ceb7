"""A tiny model that sees images, and the log probabilities that transformers computes for its prompts and answers.

usage: vision.py make TYPE TOKENIZER_FOLDER OUT   writes a random model in float32; TYPE is qwen2_5_vl or qwen3_vl
       vision.py score FOLDER                     reads [{"ids": [...], "images": [base64 of a file, ...]}, ...], writes for each row
                                                  the log probability of each token but the first, given those before it
"""

import base64
import io
import json
import sys
from pathlib import Path

import torch
from PIL import Image, ImageOps
from transformers import (
    AutoModelForImageTextToText,
    AutoTokenizer,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen2_5_VLProcessor,
    Qwen2VLImageProcessor,
    Qwen2VLVideoProcessor,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
    Qwen3VLProcessor,
    Qwen3VLVideoProcessor,
)

VISION = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]

TEMPLATE = (Path(__file__).parents[2] / "fixtures/images/template.jinja").read_text().rstrip()

TEXT = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "max_position_embeddings": 4096,
    "tie_word_embeddings": False,
}
SEES = {"depth": 2, "hidden_size": 64, "intermediate_size": 128, "num_heads": 2, "out_hidden_size": 64, "in_channels": 3}

KINDS = {
    "qwen2_5_vl": {
        "config": Qwen2_5_VLConfig,
        "model": Qwen2_5_VLForConditionalGeneration,
        "processor": Qwen2_5_VLProcessor,
        "video": Qwen2VLVideoProcessor,
        "text": {"rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [4, 6, 6]}},
        "vision": {"patch_size": 14, "window_size": 112, "fullatt_block_indexes": [1]},
        "images": {"size": {"shortest_edge": 3136, "longest_edge": 12845056}},
    },
    "qwen3_vl": {
        "config": Qwen3VLConfig,
        "model": Qwen3VLForConditionalGeneration,
        "processor": Qwen3VLProcessor,
        "video": Qwen3VLVideoProcessor,
        "text": {
            "head_dim": 32,
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 5e6,
                "mrope_section": [4, 6, 6],
                "mrope_interleaved": True,
            },
        },
        "vision": {"patch_size": 16, "num_position_embeddings": 256, "deepstack_visual_indexes": [0, 1]},
        "images": {
            "size": {"shortest_edge": 65536, "longest_edge": 16777216},
            "patch_size": 16,
            "image_mean": [0.5] * 3,
            "image_std": [0.5] * 3,
        },
    },
}


def make(kind, source, out):
    torch.manual_seed(5)
    parts = KINDS[kind]
    tokenizer = AutoTokenizer.from_pretrained(source)
    tokenizer.add_special_tokens({"additional_special_tokens": VISION})
    tokenizer.chat_template = TEMPLATE
    start, end, image, video = (tokenizer.convert_tokens_to_ids(token) for token in VISION)
    config = parts["config"](
        text_config={**TEXT, **parts["text"], "vocab_size": len(tokenizer), "eos_token_id": tokenizer.eos_token_id, "bos_token_id": None},
        vision_config={**SEES, **parts["vision"], "spatial_merge_size": 2, "temporal_patch_size": 2},
        vision_start_token_id=start,
        vision_end_token_id=end,
        image_token_id=image,
        video_token_id=video,
    )
    model = parts["model"](config).to(torch.float32)
    with torch.no_grad():
        for weights in model.parameters():
            if weights.ndim >= 2:
                weights.normal_(0, 0.12)
    model.save_pretrained(out)
    parts["processor"](
        image_processor=Qwen2VLImageProcessor(**parts["images"]),
        tokenizer=tokenizer,
        video_processor=parts["video"](),
        chat_template=TEMPLATE,
    ).save_pretrained(out)
    tokenizer.save_pretrained(out)


@torch.no_grad()
def score(model, processor, ids, images):
    """The proxy bans the tokens of images and videos with a bias, so they have one here."""
    config = model.config
    row = torch.tensor([ids])
    inputs = {}
    if images:
        pictures = [ImageOps.exif_transpose(Image.open(io.BytesIO(base64.b64decode(file)))).convert("RGB") for file in images]
        inputs = dict(processor(images=pictures, return_tensors="pt"))
        inputs["mm_token_type_ids"] = (row == config.image_token_id).long()
    logits = model(input_ids=row, **inputs).logits[0]
    logits[:, [config.image_token_id, config.video_token_id]] -= 100
    logprobs = logits.log_softmax(-1)[:-1]
    return logprobs.gather(1, row[0, 1:, None])[:, 0].tolist()


command, *rest = sys.argv[1:]
if command == "make":
    make(*rest)
else:
    (folder,) = rest
    model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32).eval()
    processor = Qwen2VLImageProcessor.from_pretrained(folder)
    print(json.dumps([score(model, processor, **row) for row in json.load(sys.stdin)]))
