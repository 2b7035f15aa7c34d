using System.Diagnostics.CodeAnalysis;
using Optiks.Storage.Driver;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>
/// Statement is one text of T-SQL. All of the driver's are in static fields, in <see cref="SqlServerStatements"/> or batches of an embedded script, and commands take nothing else: the tests find every one of
/// them in the assembly and have Microsoft's parser read it, with or without a server. Parameters are named: <c>@epoch</c>.
/// </summary>
/// <remarks>
/// No statement relies on a lock hint, which other servers of this protocol accept and ignore: what must not happen twice is kept apart by an update of one row, whose lock is held until the
/// transaction ends, or by a unique constraint.
/// </remarks>
internal sealed class Statement : Sql
{
    /// <summary>
    /// Ends statements that find rows of a large table by a list: for each row of the list one search in an index, in the order as written. A plan by statistics of a table that was empty when the
    /// plan was made reads it whole, and goes on doing so while the table grows to a hundred thousand rows within seconds.
    /// </summary>
    public const string ByIndex = "OPTION (LOOP JOIN, FORCE ORDER)";

    public Statement([ConstantExpected] string text)
        : base(text)
    {
    }
}
