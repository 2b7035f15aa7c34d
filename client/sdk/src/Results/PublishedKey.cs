namespace Optiks.Client;

/// <summary>PublishedKey is a key with the version that an update gave it, by the server's word.</summary>
public readonly record struct PublishedKey(ReadOnlyMemory<byte> Key, KeyVersionNumber Version);
