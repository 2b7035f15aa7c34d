namespace Optiks.Client;

/// <summary>UpdateResult says what became of an update.</summary>
public sealed record UpdateResult
{
    /// <summary>Key that is updated.</summary>
    public required ReadOnlyMemory<byte> Key { get; init; }

    /// <summary>RequestId under which the server knows the update.</summary>
    public required Guid RequestId { get; init; }

    /// <summary>ValueSha256 of the value that was set, in hexadecimal.</summary>
    public required string ValueSha256 { get; init; }

    /// <summary>Status so far.</summary>
    public required UpdateStatus Status { get; init; }

    /// <summary>Epoch that the server says it published the update in; null until then.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>Period and version that it was given; null until published.</summary>
    public KeyVersionNumber? Version { get; init; }

    /// <summary>RefusedBecause is the server's reason, such as <c>expected-version</c>; null unless refused.</summary>
    public string? RefusedBecause { get; init; }

    /// <summary>Current version at the server when an expected version did not match.</summary>
    public KeyVersionNumber? Current { get; init; }

    /// <summary>Lookup verified after publication that the log shows what was set; null until then.</summary>
    public LookupResult? Lookup { get; init; }

    /// <summary>Confirmed: the log provably holds the value, or a later version than the one that was set.</summary>
    public bool Confirmed { get; init; }
}
