using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>KeyVersion is one verified version of a key.</summary>
/// <param name="Version">1, 2, ...</param>
/// <param name="Epoch">Epoch that inserted it; 0 for a copy made at a period's start.</param>
/// <param name="Value">Value; null when it was erased.</param>
public sealed record KeyVersion(ulong Version, ulong Epoch, ReadOnlyMemory<byte>? Value)
{
    /// <summary>Period of the version: each has versions 1, 2, ... of its own.</summary>
    public ulong Period { get; init; }

    /// <summary>IsCopy: the period began with it, as the copy of what the key had when the one before ended.</summary>
    public bool IsCopy => Version == 1 && Epoch == 0;

    /// <summary>
    /// IsNote says whether this is the note that its owner committed to with the value (docs/spec/user-monitor.md section 8). False too if the value carries none. No verdict about the log.
    /// </summary>
    /// <param name="opening">The octets that the owner kept with the note, as many as <see cref="NotedValue.NewOpening"/> makes.</param>
    /// <param name="note">The note.</param>
    public bool IsNote(ReadOnlySpan<byte> opening, ReadOnlySpan<byte> note) => Value is { } value && NotedValue.TryDecode(value, out NotedValue noted) && noted.IsNote(opening, note);
}
