using System.ComponentModel.DataAnnotations;

namespace Optiks.QueryService.Options;

/// <summary>StorageOptions (<c>Optiks:Storage</c>) name the database.</summary>
internal sealed class StorageOptions
{
    public const string Section = "Optiks:Storage";

    /// <summary>Provider is the engine's name.</summary>
    /// <value><c>sqlite</c>.</value>
    [Required]
    public string Provider { get; set; } = "sqlite";

    /// <summary>Connection string in the engine's form. Empty: SQLite's file in the data folder.</summary>
    public string ConnectionString { get; set; } = "";
}
