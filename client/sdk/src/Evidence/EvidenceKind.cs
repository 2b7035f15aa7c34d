namespace Optiks.Client;

/// <summary>EvidenceKind is what a folder of evidence is about.</summary>
public enum EvidenceKind
{
    /// <summary>Fork: two checkpoints of one log, which cannot be of one history.</summary>
    Fork,

    /// <summary>Record: an entry of the signed log that breaks a rule of records, such as a VRF key that changed or a period that began early.</summary>
    Record,

    /// <summary>BrokenAppend: two statements about one leaf, which no tree that only grows can show.</summary>
    BrokenAppend,

    /// <summary>Promise: a receipt, and answers about its key, which show whether the log published what it promised.</summary>
    Promise,

    /// <summary>RefusedProof: what a server gave for the proof of a step. Nobody signed it.</summary>
    RefusedProof,
}
