using System.ComponentModel.DataAnnotations;

namespace Optiks.Storage.Hosting;

/// <summary>Configures the database (<c>Optiks:Storage</c>).</summary>
public sealed class StorageOptions
{
    /// <summary>The path of the section in the configuration.</summary>
    public const string Section = "Optiks:Storage";

    /// <summary>The name of the database engine.</summary>
    /// <value>The default is <c>sqlite</c>.</value>
    [Required]
    public string Provider { get; set; } = "sqlite";

    /// <summary>The connection string, in the form that the engine requires. If the setting is empty, the database is SQLite's file in the
    /// data folder.</summary>
    /// <value>The default is empty.</value>
    public string ConnectionString { get; set; } = "";
}
