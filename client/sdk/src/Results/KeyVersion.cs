using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>One verified version of a key.</summary>
/// <param name="Version">1, 2, ...</param>
/// <param name="Epoch">Epoch that inserted it; 0 for a copy made at a period's start.</param>
/// <param name="Value">Value; null when it was erased.</param>
public sealed record KeyVersion(ulong Version, ulong Epoch, ReadOnlyMemory<byte>? Value)
{
    /// <summary>The period of the version: each period has its own versions 1, 2, ...</summary>
    public ulong Period { get; init; }

    /// <summary>Whether the period began with this version, as the copy of the key's value at the end of the previous period.</summary>
    public bool IsCopy => Version == 1 && Epoch == 0;

    /// <summary>
    /// Tells whether this is the note to which its owner committed with the value (docs/spec/user-monitor.md section 8). Also false if the
    /// value carries no note. This is no verdict about the log.
    /// </summary>
    /// <param name="opening">The octets that the owner kept with the note, as many as <see cref="NotedValue.NewOpening"/> makes.</param>
    /// <param name="note">The note.</param>
    public bool IsNote(ReadOnlySpan<byte> opening, ReadOnlySpan<byte> note) => Value is { } value && NotedValue.TryDecode(value, out NotedValue noted) && noted.IsNote(opening, note);
}
