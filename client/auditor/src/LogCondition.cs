namespace Optiks.Auditor;

/// <summary>An auditor's condition for one log.</summary>
public enum LogCondition
{
    /// <summary>The auditor has not looked at the log yet.</summary>
    Starting,

    /// <summary>The auditor has verified and signed everything that the log had published when the auditor last looked.</summary>
    Following,

    /// <summary>
    /// The auditor's state is older than the last checkpoint that it may have signed. The auditor signs nothing until it has verified the
    /// log up to that checkpoint again.
    /// </summary>
    Waiting,

    /// <summary>The servers show fewer epochs than they showed earlier, or data that the log did not sign.</summary>
    Behind,

    /// <summary>No server of the log gave an answer.</summary>
    Unreachable,

    /// <summary>The auditor cannot write its own files, cannot sign, or failed because of a fault in its program.</summary>
    Failing,

    /// <summary>The auditor has a finding about the log, and signs no more statements about it.</summary>
    Stopped,
}
