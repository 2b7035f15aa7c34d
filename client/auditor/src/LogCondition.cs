namespace Optiks.Auditor;

/// <summary>An auditor's condition for one log.</summary>
public enum LogCondition
{
    /// <summary>The auditor has not looked at the log yet.</summary>
    Starting,

    /// <summary>The auditor has verified and signed everything that the log published.</summary>
    Following,

    /// <summary>
    /// The auditor's state is older than the last checkpoint that it may have signed. It catches up, and signs nothing until then.
    /// </summary>
    Waiting,

    /// <summary>The servers show fewer epochs than they showed before, or data that the log did not sign.</summary>
    Behind,

    /// <summary>No server gave an answer.</summary>
    Unreachable,

    /// <summary>The auditor cannot write its own files, cannot sign, or has a fault of its own.</summary>
    Failing,

    /// <summary>The auditor has a finding about the log, and signs no more statements about it.</summary>
    Stopped,
}
