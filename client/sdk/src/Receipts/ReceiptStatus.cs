namespace Optiks.Client;

/// <summary>ReceiptStatus is what became of a promise to publish an update.</summary>
public enum ReceiptStatus
{
    /// <summary>Kept: the log shows a version with the value, published in time.</summary>
    Kept,

    /// <summary>NotDue: the log has not come to the last epoch of the promise, and shows no such version yet.</summary>
    NotDue,

    /// <summary>Broken: the log provably did not publish it in time. The evidence is on disk.</summary>
    Broken,

    /// <summary>Unproven: what servers show says neither. The reason says why.</summary>
    Unproven,

    /// <summary>Refused: it is no promise of this log.</summary>
    Refused,
}
