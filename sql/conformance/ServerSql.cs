namespace Optiks.Storage.Conformance;

/// <summary>Where the SQL of servers differs. Names of tables and of columns that are one word are the same in all, as the case of letters does not matter.</summary>
public sealed record ServerSql
{
    /// <summary>The one after which pending rows name their requests.</summary>
    public required string NamingMigration { get; init; }

    /// <summary>Goes before the columns do; null: it goes with them.</summary>
    public string? NamingConstraint { get; init; }

    /// <summary>Takes back what migrations after <see cref="NamingMigration"/> made and cannot make twice.</summary>
    public required IReadOnlyList<string> Undo { get; init; }

    /// <summary>The column of a pending row's request id.</summary>
    public required string RequestId { get; init; }

    /// <summary>The column of its body hash.</summary>
    public required string BodyHash { get; init; }

    /// <summary>A value of that type.</summary>
    public required string AnotherRequestId { get; init; }

    /// <summary>A value of that type.</summary>
    public required string AnotherBodyHash { get; init; }

    /// <summary>What a role must not be able to do.</summary>
    public required IReadOnlyList<(string Role, string Sql)> Forbidden { get; init; }
}
