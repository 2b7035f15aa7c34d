namespace Optiks.Client;

/// <summary>Says which parts of an answer a client may believe (docs/spec/answers.md section 6).</summary>
public enum Verdict
{
    /// <summary>Every check passed. Only answers that are not about the presence or absence of a key have this verdict.</summary>
    Valid,

    /// <summary>The key has a value, and the answer shows the latest value.</summary>
    Present,

    /// <summary>The key is proven to have no value.</summary>
    Absent,

    /// <summary>A proof is wrong. Callers must not use anything of the answer.</summary>
    Invalid,

    /// <summary>The answer does not decode. Callers must not use anything of it.</summary>
    Malformed,

    /// <summary>
    /// Every replica answered with an older state than the client had verified. This is not evidence against the log; ask again later.
    /// </summary>
    Stale,

    /// <summary>
    /// The log signed two views that contradict each other, or it signed data that proves that one of its trees changed in another way than
    /// by adding leaves. The evidence is on disk, and the client believes no further answer until a person has examined the evidence.
    /// </summary>
    Fork,
}
