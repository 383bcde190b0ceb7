/**
 * What a position in a C++ source is part of. Comments, literals and preprocessor lines are not mutated. Nor is what
 * follows `#else`: code for other systems, which is not compiled here.
 */
export interface Lexed {
  /** The source with the same length, in which everything that is not code is blank. Strings and characters become `"`. */
  readonly code: string;
}

const TOKENS =
  /^[ \t]*#else\b[\s\S]*?^[ \t]*#endif|\/\/[^\n]*|\/\*[\s\S]*?\*\/|R"(?<mark>[^(\s]*)\([\s\S]*?\)\k<mark>"|"(?:\\.|[^"\\\n])*"|(?<![\w'])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:[^\n\\]|\\[\s\S])*/gm;

export function lex(source: string): Lexed {
  const code = source.replaceAll(TOKENS, (token) => {
    const isLiteral = /^(R?"|')/.test(token);
    return token.replaceAll(/[^\n]/g, isLiteral ? '"' : " ");
  });
  return { code };
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Returns the position of the bracket that closes the one at `open`; -1 if there is none. */
export function closingBracket(code: string, open: number): number {
  const expected: string[] = [];
  for (let at = open; at < code.length; at++) {
    const char = code.charAt(at);
    const closing = CLOSING[char];
    if (closing !== undefined) expected.push(closing);
    else if (char === expected.at(-1)) expected.pop();
    else if (/[)\]}]/.test(char)) return -1;
    if (expected.length === 0) return at;
  }
  return -1;
}

/** Returns the position of the `;` that ends the statement at `start`; -1 if it has a block of its own. */
export function statementEnd(code: string, start: number): number {
  for (let at = start; at < code.length; at++) {
    const char = code.charAt(at);
    if (char === ";") return at;
    if (/[{})\]]/.test(char)) return -1;
    if (char === "(" || char === "[") {
      at = closingBracket(code, at);
      if (at < 0) return -1;
    }
  }
  return -1;
}
