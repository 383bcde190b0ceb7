/** Declares the configuration file and the overrides on a command. */
export function withConfigOptions(command) {
    return command
        .argument("[key=value...]", "configuration overrides, e.g. server.port=0 engine.urls=[http://a:30000,http://b:30000]")
        .option("-c, --config <file>", "YAML file to read the configuration from");
}
//# sourceMappingURL=config-options.js.map