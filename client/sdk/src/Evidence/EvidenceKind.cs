namespace Optiks.Client;

/// <summary>The subject of a folder of evidence.</summary>
public enum EvidenceKind
{
    /// <summary>Two checkpoints of one log that cannot belong to one history.</summary>
    Fork,

    /// <summary>
    /// An entry of the signed log that breaks a rule of records, such as a VRF key that changed or a period that began early.
    /// </summary>
    Record,

    /// <summary>Two statements about one leaf that no tree which only grows can show.</summary>
    BrokenAppend,

    /// <summary>A receipt, and answers about its key, which show whether the log published what it promised.</summary>
    Promise,

    /// <summary>A server's refused proof of a step. Nobody signed it.</summary>
    RefusedProof,
}
