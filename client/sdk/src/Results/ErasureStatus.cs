namespace Optiks.Client;

/// <summary>The status of a request to erase values (docs/spec/erasure.md section 4).</summary>
public enum ErasureStatus
{
    /// <summary>The server has accepted and stored the request, but has not erased anything yet.</summary>
    Pending,

    /// <summary>A signed epoch has erased the values, according to the server.</summary>
    Erased,

    /// <summary>The log refused the request when it processed it; nothing was erased.</summary>
    Refused,
}
