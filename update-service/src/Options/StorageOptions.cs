using System.ComponentModel.DataAnnotations;

namespace Optiks.UpdateService.Options;

/// <summary>StorageOptions (<c>Optiks:Storage</c>) name the database.</summary>
internal sealed class StorageOptions
{
    public const string Section = "Optiks:Storage";

    private const string Sqlite = "sqlite";

    [Required]
    public string Provider { get; set; } = Sqlite;

    /// <summary>Connection string in the engine's form. Empty: SQLite's file in the data folder.</summary>
    public string ConnectionString { get; set; } = "";

    /// <summary>ConnectionStringIn gives the connection string, with the data folder of this host's configuration for SQLite's empty one.</summary>
    public string ConnectionStringIn(IConfiguration configuration) =>
        ConnectionString.Length == 0 && Provider.Equals(Sqlite, StringComparison.OrdinalIgnoreCase) && configuration[DataFolder.Variable] is { Length: > 0 } path
            ? $"Data Source=\"{new DataFolder(path).Database}\""
            : ConnectionString;
}
