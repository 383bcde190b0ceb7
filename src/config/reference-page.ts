import { type ConfigKey, configKeys } from "./key.js";
import { listCommands } from "./schema/used-by.js";

const INTRODUCTION = `# Configuration

<!-- Written by \`npm run docs:config\` from src/config/schema. -->

A configuration sets what a server, a gateway, a rollout or a job does. Look here for a key, its values and its default.

\`\`\`
rolltape serve --config rolltape.yaml server.port=0 'engine.urls=[http://a:30000,http://b:30000]'
\`\`\`

It is a YAML file, \`key=value\` arguments, or both. Arguments take precedence over the file, and later arguments over earlier ones.

- In the file keys are nested: \`server.port\` is \`port\` under \`server\`. As arguments they are dotted, and their values are YAML.
- \`rollout.compat\` is another spelling of \`rollout.agent\`. A key in both with two values is an error.
- A list with one entry may be written as that entry. Null, if a key accepts it, means "not set". An empty value, such as
  \`model.name=\`, is null: check variables that a script puts there. The server warns of an empty \`storage.directory\` at its start.
- An unknown key is an error that names the nearest known one. All errors are reported at once; the exit status is 2.
- The column *Used by* names the commands that use a key. \`serve\` with several \`server.workers\`, and \`rollout\` with \`--proxy-workers\` or
  \`--job-folder\`, start a gateway, so they also use keys of a gateway.
- An argument whose key has no effect on the command is an error. A file may contain keys for other commands, but none that contradict
  each other, such as \`engine.urls\` with the embedded engine, and no keys of \`storage\` without \`storage.directory\`.
- Two environment variables count too: \`ROLLTAPE_ADMIN_API_KEY\` is the admin key if \`rollout.agent.admin_api_key\` is null.
  \`ROLLTAPE_CACHE_DIR\` is the cache folder, for the tiny model and random admin keys.
- \`rolltape config\` takes the same arguments and prints the resulting configuration, without secrets. A comment says whether the value is
  from the \`file\` or an \`argument\`, and which commands use it. Values without a comment are defaults. \`--started-by\` adds what
  [a program that starts a server](command-line.md#who-starts-a-server) chooses.

[Start](../guides/start.md#configuration) lists the keys that matter first.

## Keys
`;

/** Writes the reference page of the configuration in Markdown: every key with its values, default and meaning. */
export function writeReferencePage(): string {
  const sections = new Map<string, ConfigKey[]>();
  for (const key of configKeys) {
    const section = key.path.includes(".") ? key.path.slice(0, key.path.lastIndexOf(".")) : "";
    sections.set(section, [...(sections.get(section) ?? []), key]);
  }
  const tables = [...sections].map(([section, keys]) => {
    return `### ${section || "Top level"}\n\n| Key | Value | Default | Used by | Meaning |\n|---|---|---|---|---|\n${keys.map(row).join("\n")}\n`;
  });
  return `${INTRODUCTION}\n${tables.join("\n")}`;
}

function row({ path, expected, defaultValue, usedBy, description }: ConfigKey): string {
  const cells = [
    `\`${path}\``,
    expected,
    `\`${JSON.stringify(defaultValue)}\``,
    listCommands(usedBy).join(", "),
    description,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
