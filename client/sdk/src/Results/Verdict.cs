namespace Optiks.Client;

/// <summary>Says what a client may believe of an answer (docs/spec/answers.md section 6).</summary>
public enum Verdict
{
    /// <summary>Every check passed; for answers that are neither a presence nor an absence.</summary>
    Valid,

    /// <summary>The key has a value, and this is the latest.</summary>
    Present,

    /// <summary>The key is proven to have no value.</summary>
    Absent,

    /// <summary>A proof does not hold. Nothing of the answer may be used.</summary>
    Invalid,

    /// <summary>The answer does not decode. Nothing of it may be used.</summary>
    Malformed,

    /// <summary>Every replica answered with less than was verified before. This is not evidence of anything; ask again later.</summary>
    Stale,

    /// <summary>
    /// The log signed two views that differ, or proof that one of its trees did not only grow. The evidence is on disk, and the client
    /// believes nothing more until a person has looked at it.
    /// </summary>
    Fork,
}
