namespace Optiks.Client;

/// <summary>Whether the log kept a promise to publish an update.</summary>
public enum ReceiptStatus
{
    /// <summary>The log shows a version with the value, published in time.</summary>
    Kept,

    /// <summary>The log has not reached the last epoch of the promise, and shows no version with the promised value yet.</summary>
    NotDue,

    /// <summary>The log provably did not publish the value in time. The evidence is on disk.</summary>
    Broken,

    /// <summary>
    /// The servers' answers prove neither that the log kept the promise nor that it broke the promise. The result's reason says why.
    /// </summary>
    Unproven,

    /// <summary>The receipt is not a promise of this log.</summary>
    Refused,
}
