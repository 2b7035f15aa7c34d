namespace Optiks.Storage.Conformance;

/// <summary>
/// Holds the SQL that differs between the engines with servers. Names of tables and of one-word columns do not differ, because their case
/// does not matter.
/// </summary>
public sealed record ServerSql
{
    /// <summary>The name of the migration that adds, to each pending row, the columns with the id and hash of the row's request.</summary>
    public required string NamingMigration { get; init; }

    /// <summary>The constraint to drop before these columns can be dropped; null if dropping the columns also drops the
    /// constraint.</summary>
    public string? NamingConstraint { get; init; }

    /// <summary>
    /// The statements that remove the objects of the migrations after <see cref="NamingMigration"/>, so that these migrations can run
    /// again.
    /// </summary>
    public required IReadOnlyList<string> Undo { get; init; }

    /// <summary>The name of the column with a pending row's request id.</summary>
    public required string RequestId { get; init; }

    /// <summary>The name of the column with a pending row's body hash.</summary>
    public required string BodyHash { get; init; }

    /// <summary>An SQL expression for a request id that no request has.</summary>
    public required string AnotherRequestId { get; init; }

    /// <summary>An SQL expression for a body hash that no request has.</summary>
    public required string AnotherBodyHash { get; init; }

    /// <summary>Pairs of a role and a statement that this role must not be allowed to run.</summary>
    public required IReadOnlyList<(string Role, string Sql)> Forbidden { get; init; }
}
