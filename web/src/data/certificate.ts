/** What `delassus certify` says of a run, read from its summary. */
export interface Certificate {
  certified: boolean;
  accuracy: number;
  /** All families of methods agree up to this time, s. */
  until: number;
  reason: string | null;
  runs: string[];
  remarks: string[];
}

const text = (x: unknown): string => (typeof x === "string" ? x : "");
const list = (x: unknown): Record<string, unknown>[] => (Array.isArray(x) ? x.filter((r) => typeof r === "object" && r !== null) : []);

/** Null for a run that was not certified or a summary that cannot be understood. */
export function readCertificate(summary: Record<string, unknown>): Certificate | null {
  const c = summary.certificate as Record<string, unknown> | null | undefined;
  if (typeof c !== "object" || c === null || typeof c.certified !== "boolean") return null;
  const reason = c.reason as Record<string, unknown> | null | undefined;
  return {
    certified: c.certified,
    accuracy: typeof c.accuracy === "number" ? c.accuracy : NaN,
    until: typeof c.until === "number" ? c.until : NaN,
    reason: reason ? text(reason.text) : null,
    runs: list(c.runs).map((r) => `${text(r.method)} (${text(r.family)})${r.code ? `: ${text(r.code)}` : ""}`),
    remarks: Array.isArray(c.remarks) ? c.remarks.map(text) : [],
  };
}
