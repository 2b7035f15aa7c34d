namespace Optiks.Client;

/// <summary>Writes a record, and replaces the record of the same key.</summary>
internal readonly record struct RecordPut(RecordKey Key, ReadOnlyMemory<byte> Body)
{
    /// <summary>The largest number of octets in a record's body.</summary>
    public const uint MaxBody = 0xFF_FFFF;
}
