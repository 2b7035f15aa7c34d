namespace Optiks.Client;

/// <summary>Believed is what an answer showed of one key; a null key stands for all that it showed.</summary>
internal readonly record struct Believed(string? Key, ulong Version, string? ValueSha256);
