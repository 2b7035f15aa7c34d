using System.Diagnostics.CodeAnalysis;
using Optiks.Storage.Driver;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>
/// One T-SQL text. All statements of the driver are in static fields, in <see cref="SqlServerStatements"/>, or are batches of an embedded
/// script, and commands accept no other text. So the tests can find every statement in the assembly and parse it with Microsoft's parser,
/// with or without a server. Parameters are named, such as <c>@epoch</c>.
/// </summary>
/// <remarks>
/// No statement relies on a lock hint, because other servers of this protocol accept hints and ignore them. Work that must not happen twice
/// is serialized by an update of one row, whose lock lasts until the transaction ends, or prevented by a unique constraint.
/// </remarks>
internal sealed class Statement : Sql
{
    /// <summary>
    /// Ends statements that find rows of a large table by a list. For each row of the list the server searches an index once, in the
    /// written order. A plan based on statistics of an empty table would scan the table, even while the table grows to a hundred thousand
    /// rows within seconds.
    /// </summary>
    public const string ByIndex = "OPTION (LOOP JOIN, FORCE ORDER)";

    public Statement([ConstantExpected] string text)
        : base(text)
    {
    }
}
