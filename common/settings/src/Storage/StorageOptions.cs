using System.ComponentModel.DataAnnotations;

namespace Optiks.Storage.Hosting;

/// <summary>StorageOptions (<c>Optiks:Storage</c>) name the database.</summary>
public sealed class StorageOptions
{
    /// <summary>Section of the configuration.</summary>
    public const string Section = "Optiks:Storage";

    /// <summary>Provider is the engine's name.</summary>
    /// <value><c>sqlite</c>.</value>
    [Required]
    public string Provider { get; set; } = "sqlite";

    /// <summary>Connection string in the engine's form.</summary>
    /// <value>Empty: SQLite's file in the data folder.</value>
    public string ConnectionString { get; set; } = "";
}
