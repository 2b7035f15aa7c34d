using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>One verified version of a key.</summary>
/// <param name="Version">Number of the version: 1, 2, ...</param>
/// <param name="Epoch">Epoch that inserted the version; 0 for a copy made at a period's start.</param>
/// <param name="Value">Value of the version; null when the value was erased.</param>
public sealed record KeyVersion(ulong Version, ulong Epoch, ReadOnlyMemory<byte>? Value)
{
    /// <summary>The period of the version. Each period has its own versions 1, 2, ...</summary>
    public ulong Period { get; init; }

    /// <summary>Whether the period began with this version, as the copy of the key's value at the end of the previous period.</summary>
    public bool IsCopy => Version == 1 && Epoch == 0;

    /// <summary>
    /// Tells whether the octets in <paramref name="note"/> are the note to which the owner committed with this value
    /// (docs/spec/user-monitor.md section 8). The result is also false if the value commits to no note. The result says nothing about
    /// whether the log is correct.
    /// </summary>
    /// <param name="opening">The octets that the owner kept with the note, of the length that <see cref="NotedValue.NewOpening"/>
    /// returns.</param>
    /// <param name="note">The note.</param>
    public bool IsNote(ReadOnlySpan<byte> opening, ReadOnlySpan<byte> note) =>
        Value is { } value && NotedValue.TryDecode(value, out NotedValue noted) && noted.IsNote(opening, note);
}
