namespace Optiks.Client;

/// <summary>The status of a request to erase values (docs/spec/erasure.md section 4).</summary>
public enum ErasureStatus
{
    /// <summary>Accepted and durable at the server, not done yet.</summary>
    Pending,

    /// <summary>Done by a signed epoch, according to the server.</summary>
    Erased,

    /// <summary>Refused when it was its turn; nothing was erased.</summary>
    Refused,
}
