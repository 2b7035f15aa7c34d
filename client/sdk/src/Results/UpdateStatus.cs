namespace Optiks.Client;

/// <summary>The status of an update (docs/spec/rest.md section 5).</summary>
public enum UpdateStatus
{
    /// <summary>The server has accepted and stored the update, but no epoch has it yet.</summary>
    Pending,

    /// <summary>A signed epoch has the update.</summary>
    Published,

    /// <summary>The log refused the update when it processed it; nothing changed.</summary>
    Refused,
}
