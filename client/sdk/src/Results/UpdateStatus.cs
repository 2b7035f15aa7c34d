namespace Optiks.Client;

/// <summary>The status of an update (docs/spec/rest.md section 5).</summary>
public enum UpdateStatus
{
    /// <summary>Accepted and durable at the server, not in an epoch yet.</summary>
    Pending,

    /// <summary>In a signed epoch.</summary>
    Published,

    /// <summary>Refused when it was its turn; nothing changed.</summary>
    Refused,
}
