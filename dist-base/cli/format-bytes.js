const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];
/** Returns a number of bytes as text of at most four digits: `1.5 GiB`. */
export function formatBytes(bytes) {
    const unit = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
    const value = bytes / 1024 ** unit;
    return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit] ?? ""}`;
}
//# sourceMappingURL=format-bytes.js.map