namespace Optiks.Client;

/// <summary>The kind of evidence that a folder has.</summary>
public enum EvidenceKind
{
    /// <summary>Two checkpoints of one log that cannot belong to one history.</summary>
    Fork,

    /// <summary>
    /// An entry of the signed log that breaks a rule of records, such as a VRF key that changed or a period that began early.
    /// </summary>
    Record,

    /// <summary>Two statements about one leaf that cannot both be true in a tree that only grows.</summary>
    BrokenAppend,

    /// <summary>A receipt, and answers about the receipt's key, which show whether the log published the promised update.</summary>
    Promise,

    /// <summary>
    /// A server's proof of the step from one epoch to a later epoch; an auditor refused this proof. Nobody signed the proof, so it does not
    /// show a fault of the log.
    /// </summary>
    RefusedProof,
}
