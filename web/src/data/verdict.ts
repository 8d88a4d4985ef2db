/** The judgement of a run as the program made it when the run ended: the page only shows it. */
import { count, num } from "../format";

export type Tone = "good" | "fair" | "bad" | "none";

/** A number with what it is compared with. */
export interface Card {
  title: string;
  value: string;
  tone: Tone;
  note: string;
}

export interface Verdict {
  tone: Tone;
  text: string;
  cards: Card[];
}

const TONES = ["good", "fair", "bad", "none"];
const isTone = (x: unknown): x is Tone => typeof x === "string" && TONES.includes(x);

function value(x: unknown, unit: unknown): string {
  // a number that is none is null in JSON
  if (typeof x !== "number") return "not a number";
  if (unit) return `${num(x, 3)} ${String(unit)}`;
  return Number.isInteger(x) ? count(x) : num(x, 3);
}

/** Reads the verdict of a summary; a run that left none is not judged. */
export function readVerdict(summary: Record<string, unknown>): Verdict {
  const v = summary.verdict as { tone?: unknown; text?: unknown; items?: unknown } | null | undefined;
  if (!v || typeof v !== "object" || !isTone(v.tone)) {
    return { tone: "none", text: "The run left no verdict: judge its numbers yourself.", cards: [] };
  }
  const items = Array.isArray(v.items) ? (v.items as Record<string, unknown>[]) : [];
  const card = (i: Record<string, unknown>): Card => ({
    title: String(i.title ?? i.key ?? "?"),
    value: value(i.value, i.unit),
    tone: isTone(i.tone) ? i.tone : "none",
    note: String(i.text ?? ""),
  });
  return { tone: v.tone, text: String(v.text ?? ""), cards: items.filter((i) => i && typeof i === "object").map(card) };
}
