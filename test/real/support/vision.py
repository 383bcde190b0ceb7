"""A tiny model that sees images, and the log probabilities that transformers computes for the rows of a batch.

usage: vision.py make TYPE TOKENIZER_FOLDER OUT   writes a random model in float32; TYPE is qwen2_5_vl, qwen3_vl, glm4v or llava
       vision.py score FOLDER BATCH               writes for each row of a packed batch the log probability of each token but the
                                                  first, given those before it
"""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from transformers import (
    AutoImageProcessor,
    AutoModelForImageTextToText,
    AutoTokenizer,
    CLIPImageProcessor,
    Glm4vConfig,
    Glm4vForConditionalGeneration,
    Glm4vImageProcessor,
    Glm4vProcessor,
    Glm4vVideoProcessor,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
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
# GLM's processor knows its tokens by these names.
GLM_VISION = ["<|begin_of_image|>", "<|end_of_image|>", "<|image|>", "<|video|>", "<|begin_of_video|>", "<|end_of_video|>"]

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


def make_qwen(kind, tokenizer, text):
    parts = KINDS[kind]
    start, end, image, video = (tokenizer.convert_tokens_to_ids(token) for token in VISION)
    config = parts["config"](
        text_config={**text, **parts["text"]},
        vision_config={**SEES, **parts["vision"], "spatial_merge_size": 2, "temporal_patch_size": 2},
        vision_start_token_id=start,
        vision_end_token_id=end,
        image_token_id=image,
        video_token_id=video,
    )
    images = Qwen2VLImageProcessor(**parts["images"])
    return parts["model"](config), parts["processor"](image_processor=images, tokenizer=tokenizer, video_processor=parts["video"]())


def make_glm(tokenizer, text):
    start, end, image, video, video_start, video_end = (tokenizer.convert_tokens_to_ids(token) for token in GLM_VISION)
    config = Glm4vConfig(
        text_config={
            **text,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 3, 3], "partial_rotary_factor": 0.5},
        },
        vision_config={**SEES, "patch_size": 14, "image_size": 336, "spatial_merge_size": 2, "temporal_patch_size": 2},
        image_token_id=image,
        video_token_id=video,
        image_start_token_id=start,
        image_end_token_id=end,
        video_start_token_id=video_start,
        video_end_token_id=video_end,
    )
    processor = Glm4vProcessor(image_processor=Glm4vImageProcessor(), tokenizer=tokenizer, video_processor=Glm4vVideoProcessor())
    return Glm4vForConditionalGeneration(config), processor


def make_llava(tokenizer, text):
    """Every image has 16 tokens: it is cut to 4 x 4 patches."""
    image = VISION[2]
    config = LlavaConfig(
        text_config={**text, "model_type": "qwen2"},
        vision_config={
            **{"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3, "num_attention_heads": 2, "projection_dim": 64},
            **{"image_size": 56, "patch_size": 14},
        },
        image_token_index=tokenizer.convert_tokens_to_ids(image),
    )
    sides = {"height": 56, "width": 56}
    processor = LlavaProcessor(
        image_processor=CLIPImageProcessor(size={"shortest_edge": 56}, crop_size=sides),
        tokenizer=tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        image_token=image,
        num_additional_image_tokens=1,
    )
    return LlavaForConditionalGeneration(config), processor


def name_as_published(path):
    """Published LLaVA models have these names, which vLLM reads; transformers reads both."""
    weights = {name.replace("vision_tower.", "vision_tower.vision_model."): value for name, value in load_file(path).items()}
    save_file(weights, path, metadata={"format": "pt"})


def make(kind, source, out):
    torch.manual_seed(5)
    tokenizer = AutoTokenizer.from_pretrained(source)
    names = GLM_VISION if kind == "glm4v" else VISION
    tokenizer.add_special_tokens({"additional_special_tokens": names})
    template = TEMPLATE
    for usual, name in zip(VISION, names):
        template = template.replace(usual, name)
    tokenizer.chat_template = template
    text = {**TEXT, "vocab_size": len(tokenizer), "eos_token_id": tokenizer.eos_token_id, "bos_token_id": None}
    others = {"glm4v": make_glm, "llava": make_llava}
    model, processor = others[kind](tokenizer, text) if kind in others else make_qwen(kind, tokenizer, text)
    model = model.to(torch.float32)
    with torch.no_grad():
        for weights in model.parameters():
            if weights.ndim >= 2:
                weights.normal_(0, 0.12)
    model.save_pretrained(out)
    if kind == "llava":
        name_as_published(Path(out) / "model.safetensors")
    processor.chat_template = template
    processor.save_pretrained(out)
    tokenizer.save_pretrained(out)


@torch.no_grad()
def score(model, processor, row):
    """The proxy bans the tokens of images and videos with a bias, so they have one here."""
    config = model.config
    arguments = attention.model_arguments(row)
    if config.model_type != "llava":
        arguments |= vision.inputs(row, processor)
    elif images := row.images():
        arguments |= processor(images=[vision.picture(image) for image in images], return_tensors="pt")
    logits = model(**arguments).logits[0]
    reserved = [config.image_token_id, getattr(config, "video_token_id", config.image_token_id)]
    logits[:, reserved] -= 100
    logprobs = logits.log_softmax(-1)[:-1]
    return logprobs.gather(1, arguments["input_ids"][0, 1:, None])[:, 0].tolist()


command, *rest = sys.argv[1:]
if command == "make":
    make(*rest)
else:
    sys.path.insert(0, str(Path(__file__).parents[3] / "python" / "src"))
    from rolltape import Batch, attention, vision

    folder, path = rest
    batch = Batch.open(path)
    model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32).eval()
    processor = AutoImageProcessor.from_pretrained(folder)
    print(json.dumps([score(model, processor, batch.select([row])) for row in range(len(batch))]))
