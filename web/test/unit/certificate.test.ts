import { describe, expect, it } from "vitest";
import { readCertificate } from "../../src/data/certificate";
import { splitBands } from "../../src/data/groups";

describe("certificate", () => {
  it("is read from a summary, or is not there", () => {
    expect(readCertificate({})).toBeNull();
    expect(readCertificate({ certificate: "yes" })).toBeNull();
    const c = readCertificate({ certificate: { certified: false, accuracy: 1e-6, until: 2.5, reason: { cause: "chaos", text: "the motion is chaotic" }, runs: [{ method: "mdop5", family: "explicit" }, { method: "radau5", family: "implicit", code: "E_STEP_MIN" }] } });
    expect(c).toMatchObject({ certified: false, until: 2.5, reason: "the motion is chaotic" });
    expect(c?.runs).toEqual(["mdop5 (explicit)", "radau5 (implicit): E_STEP_MIN"]);
  });

  it("bands belong to their channel and are no curves of their own", () => {
    const { plain, bandOf } = splitBands([{ name: "x" }, { name: "x.band" }, { name: "head.band" }]);
    expect(plain.map((c) => c.name)).toEqual(["x", "head.band"]);
    expect(bandOf.get("x")?.name).toBe("x.band");
  });
});
