namespace Optiks.Client;

/// <summary>Says where in the journal a record's body is, and what it hashes to.</summary>
internal readonly record struct RecordPlace(long Offset, int Length, byte[] Hash);
