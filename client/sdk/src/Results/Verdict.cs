namespace Optiks.Client;

/// <summary>Says what a client may believe of an answer (docs/spec/answers.md section 6).</summary>
public enum Verdict
{
    /// <summary>Every check passed. Answers have this verdict if they are not about the presence or absence of a key.</summary>
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
    /// The log signed two contradicting views, or signed data that proves that one of its trees did not only grow. The evidence is on disk,
    /// and the client believes no further answer until a person has examined the evidence.
    /// </summary>
    Fork,
}
