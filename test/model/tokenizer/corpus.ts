import { numbers } from "../output/support/outputs.js";

/** Texts on which tokenizers often disagree: every script, unusual white space, control characters, special tokens. */

const CODE = `def mean(values: list[float]) -> float:
    """Return the mean, or 0.0 if there is nothing to divide by."""
\tif not values:  # a tab, and then spaces
        return 0.0
    return sum(values) / len(values)\r\n`;

const MARKDOWN = `## Steps

1. Run \`npm test\` – it takes 3'20".
2. Don't commit **secrets**; they'll leak, I've seen it. WE'LL SEE, SHE'D SAY.

| a | b |
|---|---|
| 1.5e-10 | -0x7fff |

> https://example.org/path?q=a%20b&n=1#top ... or mail a.b+c@example.org!!!\n\n\n`;

const JSON_TEXT =
  '{"name": "get_weather", "arguments": {"city": "Zürich \\"Nord\\"", "days": [1, 22, 333, 4444], "x": null}}';

const PROSE = [
  "The quick session exported 1,234,567 tokens in 89 ms; nobody re-tokenized anything.",
  "Größe, naïve façade, smörgåsbord, Ångström, œuvre, ẞ and ß, ıI İi.",
  "Ένα μικρό δοκιμαστικό κείμενο με τόνους: άέήίόύώ.",
  "Короткий текст для проверки: ёлка, объём, 25 %.",
  "זהו משפט קצר לבדיקה, עם נִקּוּד.",
  "هذه جملة قصيرة للاختبار، مع تَشْكِيل و٣٤٥.",
  "यह परीक्षण के लिए एक छोटा वाक्य है। १२३",
  "এটি একটি ছোট পরীক্ষামূলক বাক্য।",
  "இது ஒரு சிறிய சோதனை வாக்கியம்.",
  "ఇది ఒక చిన్న పరీక్ష వాక్యం.",
  "นี่คือประโยคสั้นสำหรับทดสอบ ๑๒๓",
  "ນີ້ແມ່ນປະໂຫຍກສັ້ນ",
  "នេះជាប្រយោគខ្លី",
  "ეს მოკლე წინადადებაა.",
  "Սա կարճ նախադասություն է։",
  "ይህ አጭር ዓረፍተ ነገር ነው።",
  "这是一个用于测试的短句,共有12345个标记。",
  "這是一個用於測試的短句。「引號」與《書名》……",
  "これはテスト用の短い文です。カタカナ、ｶﾀｶﾅ、ー。",
  "이것은 짧은 시험 문장입니다. ㅋㅋㅋ",
  "Đây là một câu ngắn để kiểm thử: ăâđêôơư, ệ, ữ.",
  "👩🏽‍🚀 👨‍👩‍👧‍👦 🇳🇴🇯🇵 ❤️ ☎︎ 1️⃣ 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🫨",
  "e\u0301 \u00e9 n\u0303 \u1100\u1161\u11a8 \uac01 \u0915\u093c \u212b \u2126 ﬁ ﬀ ½ Ⅷ ① ｈｅｌｌｏ",
  "𝒜𝓁𝑔ℯ𝒷𝓇𝒶: ∀x∈ℝ, ∑ᵢ xᵢ² ≥ 0 ⇒ √x̄ ≠ ∅; 𠜎𠜱 𓀀",
];

const CHATS = [
  "<|im_start|>user\nHi!<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n<tool_call>\n{}\n</tool_call><|im_end|>",
  "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi!<|eot_id|><|python_tag|>",
  "<|start|>assistant<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant to=functions.f<|constrain|>json<|call|>",
  "<｜begin▁of▁sentence｜><｜User｜>Hi!<｜Assistant｜><think>Hm.</think> Yes.<｜end▁of▁sentence｜>",
  "<|im_start| ><|im_en<|im_end|>d|> < |im_end|> <|im_end|> <|eot_id|>\n\n <|return|>",
];

const SPACING = [
  "",
  " ",
  "  ",
  "\n",
  "\r\n",
  "\n\n \n",
  " \t a  b   c    d",
  "a\u00a0b\u2003c\u3000d\u200be\ufefff\u0085g\u2028h",
];

const LONG = [
  "a".repeat(5_000),
  " ".repeat(3_000),
  "\n".repeat(700),
  "東京漢字".repeat(500),
  "ab1 ".repeat(999),
  "7".repeat(333),
];

/** Short texts, for which the fixtures contain all ids. */
export const SAMPLES: readonly string[] = [...PROSE, ...CHATS, ...SPACING, CODE, MARKDOWN, JSON_TEXT];

/** Code points assigned by Unicode 10, as hexadecimal ranges, so runtimes do not differ in their properties. */
const RANGES = `
0-9f a0-24f 250-2af 300-36f 391-3a1 3b1-3ce 400-45f 561-586 5b0-5bd 5d0-5ea 620-64a 64b-669 710-72c 780-7b0 904-94d
985-98c a05-a0a a85-a8d b05-b0c b8e-b90 c05-c0c c85-c8c d05-d0c d85-d96 e01-e3a e94-e97 f00-f47 1000-109f 10d0-10fa
1100-1175 11a8-11ff 1200-1248 13a0-13f5 1780-17dd 1820-1877 1e00-1eff 2000-2064 2074-208e 20a0-20bf 2100-218b 2190-23fe
2460-2b73 3000-303f 3041-3096 3099-30ff 3400-4db5 4e00-9fea ac00-d7a3 e000-e0ff f900-fa6d fb00-fb06 fe70-fe74 ff01-ffbe
fff9-fffd 1d400-1d454 1f1e6-1f1ff 1f300-1f64f 1f680-1f6d2 20000-2a6d6 e0020-e007f
`;

const ranges = RANGES.trim()
  .split(/\s+/)
  .map((range) => range.split("-").map((end) => Number.parseInt(end, 16)) as [first: number, last: number]);

const ASCII = [
  "'s",
  "'LL",
  "don't",
  "1234",
  "3.14",
  "0x",
  "://",
  "\n",
  "\r\n",
  "\t",
  "    ",
  " ",
  " the",
  " Paris",
  "_id",
  "();",
  "<|",
];

/** Texts generated from a seed: fragments of the samples, runs of one script, single characters. */
export const GENERATED: readonly string[] = generate(2_500, 7);

function generate(count: number, seed: number): string[] {
  const next = numbers(seed);
  const pick = <T>(from: readonly T[], fallback: T): T => from[next(from.length)] ?? fallback;
  const character = ([first, last]: readonly [number, number]): string =>
    String.fromCodePoint(first + next(last - first + 1));
  const anyRange = (): readonly [number, number] => pick(ranges, [0x20, 0x7e]);
  const run = (): string => {
    const range = anyRange();
    return Array.from({ length: 1 + next(6) }, () => character(range)).join("");
  };
  const excerpt = (): string => {
    const characters = Array.from(pick(SAMPLES, ""));
    const start = next(characters.length + 1);
    return characters.slice(start, start + 1 + next(30)).join("");
  };
  const fragments = [run, excerpt, () => character(anyRange()), () => pick(ASCII, " ")];
  const text = (): string => Array.from({ length: 1 + next(12) }, () => pick(fragments, run)()).join("");
  return [...LONG, ...Array.from({ length: count }, text)];
}

/** All texts, samples first. */
export const CORPUS: readonly string[] = [...SAMPLES, ...GENERATED];
