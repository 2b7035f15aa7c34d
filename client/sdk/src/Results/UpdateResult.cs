using Optiks.Protocol;

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

    /// <summary>Status so far. Refused without a request: no verified head could be had (<see cref="Lookup"/>).</summary>
    public required UpdateStatus Status { get; init; }

    /// <summary>Epoch of publication: the version's own once it is confirmed, before that what the server says; null until published.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>Period and version that the server says it was given; null until published.</summary>
    public KeyVersionNumber? Version { get; init; }

    /// <summary>RefusedBecause is the server's reason, such as <c>expected-version</c>; null unless refused.</summary>
    public string? RefusedBecause { get; init; }

    /// <summary>Current version at the server when an expected version did not match.</summary>
    public KeyVersionNumber? Current { get; init; }

    /// <summary>Lookup verified after publication that the log shows what was set; null until then. Refused before that: there is evidence of a fork, and nothing was sent.</summary>
    public LookupResult? Lookup { get; init; }

    /// <summary>History verified when the lookup showed a later version: the named version alone; null when it was not needed or the server refused it.</summary>
    public HistoryResult? History { get; init; }

    /// <summary>Confirmation of what the server says, by lookup or history.</summary>
    public UpdateConfirmation Confirmation { get; init; }

    /// <summary>Confirmed: the log provably holds the value under the version that the server named.</summary>
    public bool Confirmed => Confirmation == UpdateConfirmation.Confirmed;

    /// <summary>Receipt is the log's verified promise to publish it; null when none was asked for, or none came that holds.</summary>
    public UpdateReceipt? Receipt { get; init; }

    /// <summary>ReceiptRefused is why a receipt that came is none; null otherwise.</summary>
    public Reason? ReceiptRefused { get; init; }

    /// <summary>Detail about what stands against a confirmation, for people; null otherwise.</summary>
    public string? Detail { get; init; }
}
