namespace Optiks.Storage.Conformance;

/// <summary>
/// Holds the SQL that differs between servers. Names of tables and of one-word columns are the same in all servers, because case does not
/// matter.
/// </summary>
public sealed record ServerSql
{
    /// <summary>The migration after which pending rows name their requests.</summary>
    public required string NamingMigration { get; init; }

    /// <summary>The constraint to drop before the columns; null when dropping the columns also drops the constraint.</summary>
    public string? NamingConstraint { get; init; }

    /// <summary>
    /// The statements that remove the objects that migrations after <see cref="NamingMigration"/> made, because these migrations cannot
    /// make them twice.
    /// </summary>
    public required IReadOnlyList<string> Undo { get; init; }

    /// <summary>The column of a pending row's request id.</summary>
    public required string RequestId { get; init; }

    /// <summary>The column of a pending row's body hash.</summary>
    public required string BodyHash { get; init; }

    /// <summary>A value of the request id's type.</summary>
    public required string AnotherRequestId { get; init; }

    /// <summary>A value of the body hash's type.</summary>
    public required string AnotherBodyHash { get; init; }

    /// <summary>The statements that a role must not be able to run.</summary>
    public required IReadOnlyList<(string Role, string Sql)> Forbidden { get; init; }
}
