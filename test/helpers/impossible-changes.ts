/** Changes the JSON of a reply with the tokens 10, 11 and 12. Their log probabilities are -10/64, -11/64 and -12/64. */
export type Change = (json: string) => string;

export const LOGPROB_OF_11 = String(-11 / 64);

export const withVersion =
  (version: string): Change =>
  (json) =>
    json.includes("meta_info")
      ? json.replace('"meta_info":{', `"meta_info":{"weight_version":${version},`)
      : json.replace('"choices":[{', `"choices":[{"weight_versions":[{"version":${version},"start":0,"end":3}],`);

/** Values that no engine can mean, with the fields of the request to which they are impossible. */
export const IMPOSSIBLE: Readonly<Record<string, readonly [change: Change, extra?: object]>> = {
  "a log probability above 0": [(json) => json.replace(LOGPROB_OF_11, "0.5")],
  "a log probability that is NaN": [(json) => json.replace(LOGPROB_OF_11, "NaN")],
  "an id beyond the vocabulary": [(json) => json.replaceAll("11,", "99999,").replaceAll(":11,", ":99999,")],
  "more tokens than were asked for": [(json) => json, { max_tokens: 2 }],
  "weight version -1": [withVersion("-1")],
  'weight version "-1"': [withVersion('"-1"')],
};
