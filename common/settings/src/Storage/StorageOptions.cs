using System.ComponentModel.DataAnnotations;

namespace Optiks.Storage.Hosting;

/// <summary>Configures the database (<c>Optiks:Storage</c>).</summary>
public sealed class StorageOptions
{
    /// <summary>The section of the configuration.</summary>
    public const string Section = "Optiks:Storage";

    /// <summary>The engine's name.</summary>
    /// <value><c>sqlite</c>.</value>
    [Required]
    public string Provider { get; set; } = "sqlite";

    /// <summary>The connection string in the engine's form.</summary>
    /// <value>Empty: SQLite's file in the data folder.</value>
    public string ConnectionString { get; set; } = "";
}
