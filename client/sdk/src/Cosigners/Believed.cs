namespace Optiks.Client;

/// <summary>An answer's claim about one key; a null key means everything that the answer showed.</summary>
internal readonly record struct Believed(string? Key, ulong Version, string? ValueSha256);
