import { RenderError } from "../errors.js";

const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

const two = (value: number): string => String(value).padStart(2, "0");
const short = (name: string | undefined): string => (name ?? "").slice(0, 3);
const hour12 = (date: Date): number => date.getHours() % 12 || 12;

function dayOfYear(date: Date): number {
  const day = Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return (day - Date.UTC(date.getFullYear(), 0, 1)) / 86_400_000 + 1;
}

/** Returns the number of the week. Weeks begin on this day (0: Sunday); days before the first are in week 0. */
const weekFrom =
  (firstDay: number) =>
  (date: Date): string =>
    two(Math.floor((dayOfYear(date) + 6 - ((date.getDay() - firstDay + 7) % 7)) / 7));

const FIELDS: ReadonlyMap<string, (date: Date) => string> = new Map([
  ["Y", (date: Date) => String(date.getFullYear())],
  ["y", (date: Date) => two(date.getFullYear() % 100)],
  ["m", (date: Date) => two(date.getMonth() + 1)],
  ["d", (date: Date) => two(date.getDate())],
  ["e", (date: Date) => String(date.getDate()).padStart(2)],
  ["j", (date: Date) => String(dayOfYear(date)).padStart(3, "0")],
  ["B", (date: Date) => MONTHS[date.getMonth()] ?? ""],
  ["b", (date: Date) => short(MONTHS[date.getMonth()])],
  ["A", (date: Date) => DAYS[date.getDay()] ?? ""],
  ["a", (date: Date) => short(DAYS[date.getDay()])],
  ["H", (date: Date) => two(date.getHours())],
  ["I", (date: Date) => two(hour12(date))],
  ["M", (date: Date) => two(date.getMinutes())],
  ["S", (date: Date) => two(date.getSeconds())],
  ["p", (date: Date) => (date.getHours() < 12 ? "AM" : "PM")],
  ["f", (date: Date) => `${String(date.getMilliseconds()).padStart(3, "0")}000`],
  ["h", (date: Date) => short(MONTHS[date.getMonth()])],
  ["k", (date: Date) => String(date.getHours()).padStart(2)],
  ["l", (date: Date) => String(hour12(date)).padStart(2)],
  ["P", (date: Date) => (date.getHours() < 12 ? "am" : "pm")],
  ["u", (date: Date) => String(date.getDay() || 7)],
  ["w", (date: Date) => String(date.getDay())],
  ["U", weekFrom(0)],
  ["W", weekFrom(1)],
  // Python's `datetime.now()` has no time zone.
  ["z", () => ""],
  ["Z", () => ""],
  ["c", (date: Date) => strftime("%a %b %e %H:%M:%S %Y", date)],
  ["x", (date: Date) => strftime("%m/%d/%y", date)],
  ["X", (date: Date) => strftime("%H:%M:%S", date)],
  ["D", (date: Date) => strftime("%m/%d/%y", date)],
  ["R", (date: Date) => strftime("%H:%M", date)],
  ["n", () => "\n"],
  ["t", () => "\t"],
  ["F", (date: Date) => strftime("%Y-%m-%d", date)],
  ["T", (date: Date) => strftime("%H:%M:%S", date)],
  ["%", () => "%"],
]);

/**
 * C's `strftime` in local time and always in the C locale, without the fields of ISO weeks.
 *
 * @throws RenderError if a field is not supported: its spelling in a prompt would be wrong without notice
 */
export function strftime(format: string, date: Date): string {
  return format.replace(/%(-?)([A-Za-z%])/g, (whole, plain: string, field: string) => {
    const text = FIELDS.get(field)?.(date);
    if (text === undefined) throw new RenderError(`strftime_now does not support '${whole}'`);
    return plain === "" ? text : text.replace(/^[0 ]+(?=.)/, "");
  });
}
