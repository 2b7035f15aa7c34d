namespace Optiks.Auditor;

/// <summary>An auditor's condition for one log.</summary>
public enum LogCondition
{
    /// <summary>It has not looked yet.</summary>
    Starting,

    /// <summary>Everything that the log published is verified and signed.</summary>
    Following,

    /// <summary>The state is older than the last signed checkpoint, and catches up.</summary>
    Waiting,

    /// <summary>The servers show less than they should, or something that the log did not sign.</summary>
    Behind,

    /// <summary>No server gave an answer.</summary>
    Unreachable,

    /// <summary>The auditor's own files cannot be written.</summary>
    Failing,

    /// <summary>Something is wrong with the log: nothing is signed any more.</summary>
    Stopped,
}
