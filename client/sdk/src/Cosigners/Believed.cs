namespace Optiks.Client;

/// <summary>An answer's claim about one key. If the key is null, the claim is about everything that the answer showed.</summary>
internal readonly record struct Believed(string? Key, ulong Version, string? ValueSha256);
