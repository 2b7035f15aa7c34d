using System.Diagnostics.CodeAnalysis;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>
/// The text of one T-SQL statement or batch. Commands accept no other text. Each text of the driver is in a static field, in
/// <see cref="SqlServerStatements"/>, or in an embedded script. So the tests can find every text in the assembly and parse it with
/// Microsoft's parser, even without a server. Parameters have names, such as <c>@epoch</c>.
/// </summary>
/// <remarks>
/// No statement relies on a lock hint, because other servers of this protocol accept hints and ignore them. If work must not happen twice,
/// the statements either begin with an update of one row, whose lock lasts until the transaction ends, or rely on a unique constraint.
/// </remarks>
internal sealed class Statement : Sql
{
    /// <summary>
    /// The hint at the end of statements that find rows of a large table by a list. It makes the server search an index once for each row
    /// of the list, and join in the written order. A plan from statistics of an empty table would scan the table, even while the table
    /// grows to a hundred thousand rows within seconds.
    /// </summary>
    public const string ByIndex = "OPTION (LOOP JOIN, FORCE ORDER)";

    public Statement([ConstantExpected] string text)
        : base(text)
    {
    }
}
