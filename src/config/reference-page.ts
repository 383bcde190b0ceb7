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
- A key that has no effect is an error. An argument must be one that the command uses (column *Used by*). A file may contain keys
  for other commands.
- Environment variables: \`ROLLTAPE_ADMIN_API_KEY\` has the admin key, and \`ROLLTAPE_CACHE_DIR\` is the cache folder, for the
  tiny model and random admin keys.
- \`rolltape config\` takes the same arguments and prints the resulting configuration, without secrets. Comments say whether a value is from the
  \`file\` or an \`argument\`, and which commands use it; values without one are defaults. \`--started-by\` adds what
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
