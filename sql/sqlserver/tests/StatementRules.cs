using Microsoft.SqlServer.TransactSql.ScriptDom;

namespace Optiks.Storage.SqlServer.Tests;

/// <summary>
/// Checks rules that neither a parser nor another server of SQL Server's protocol enforces. Each rule finds statements that would fail or
/// return wrong results only on SQL Server itself.
/// </summary>
internal static class StatementRules
{
    // The columns of the catalog's views that statements compare with texts.
    private static readonly string[] s_catalogNames = ["name", "program_name"];
    private static readonly string[] s_catalogOthers = ["session_id", "is_read_committed_snapshot_on", "delayed_durability"];

    private static readonly ColumnDefinition[] s_columns =
        [.. TSql.Migrations().SelectMany(batch => TSql.All<ColumnDefinition>(TSql.Parse(batch.Text))), .. MigrationColumns()];

    private static readonly HashSet<string> s_variableOctets = [.. Named(SqlDataTypeOption.VarBinary)];

    private static readonly HashSet<string> s_texts = [.. Named(SqlDataTypeOption.NVarChar), .. s_catalogNames];

    private static readonly HashSet<string> s_names = [.. s_columns.Select(Name), .. s_catalogNames, .. s_catalogOthers];

    /// <summary>Returns the rules that a statement breaks, as sentences; the list is empty if the statement keeps all rules.</summary>
    public static IReadOnlyList<string> Broken(string text)
    {
        TSqlScript script = TSql.Parse(text);
        return
        [
            .. ImplicitCollations(script), .. TrailingZeros(script), .. Grouped(script), .. Outputs(script), .. Times(script),
            .. Settings(script), .. SentInside(script), .. Unhinted(script), .. Hints(script),
            .. OtherCase(script),
        ];
    }

    // Finds comparisons of texts without an explicit collation. If the two sides of a comparison have different implicit collations, the
    // server fails with error 468. Columns of the catalog have the catalog's collation, which may differ from the database's.
    private static IEnumerable<string> ImplicitCollations(TSqlScript script) =>
        from comparison in TSql.All<BooleanComparisonExpression>(script)
        let columns = TSql.All<ColumnReferenceExpression>(comparison).Where(column => s_texts.Contains(Name(column))).ToArray()
        where columns.Length > 1 || columns.Any(column => s_catalogNames.Contains(Name(column)))
        where new[] { comparison.FirstExpression, comparison.SecondExpression }.Any(
            side => side is not PrimaryExpression { Collation: not null })
        select $"texts are compared by implicit collations: {TSql.Text(comparison)}";

    // Finds comparisons of bytes that do not also compare the lengths, because SQL Server treats 0x01 and 0x0100 as equal.
    private static IEnumerable<string> TrailingZeros(TSqlScript script)
    {
        IReadOnlyList<BooleanComparisonExpression> all = TSql.All<BooleanComparisonExpression>(script);
        HashSet<(string, string)> lengths =
            [.. all.Select(comparison => (TSql.Text(comparison.FirstExpression), TSql.Text(comparison.SecondExpression)))];
        return
            from comparison in all
            let sides = (First: comparison.FirstExpression, Second: comparison.SecondExpression)
            where IsVariableOctets(sides.First) || IsVariableOctets(sides.Second)
            where !lengths.Contains(($"DATALENGTH({TSql.Text(sides.First)})", $"DATALENGTH({TSql.Text(sides.Second)})"))
            select $"octets are compared without their number: {TSql.Text(comparison)}";
    }

    // Finds groupings, DISTINCT and unique constraints of bytes of variable length, because these also treat 0x01 and 0x0100 as equal.
    private static IEnumerable<string> Grouped(TSqlScript script) =>
        TSql.All<ExpressionGroupingSpecification>(script).Where(group => IsVariableOctets(group.Expression))
            .Select(group => $"octets of any number are grouped: {TSql.Text(group)}")
            .Concat(TSql.All<QuerySpecification>(script).Where(query => query.UniqueRowFilter == UniqueRowFilter.Distinct
                && query.SelectElements.OfType<SelectScalarExpression>().Any(element => IsVariableOctets(element.Expression)))
                .Select(query => $"octets of any number are made distinct: {TSql.Text(query)}"))
            .Concat(
                TSql.All<UniqueConstraintDefinition>(script)
                    .Where(constraint => constraint.Columns.Any(column => IsVariableOctets(column.Column)))
                    .Select(constraint => $"octets of any number are unique: {TSql.Text(constraint)}"));

    // Finds updates that return rows. On other servers, an update that waited returns the row as it was before the wait.
    private static IEnumerable<string> Outputs(TSqlScript script) =>
        TSql.All<DataModificationSpecification>(script)
            .Where(change => change.OutputClause is not null || change.OutputIntoClause is not null)
            .Select(change => $"a change gives rows back: {TSql.Text(change)}");

    // Finds updates that use SYSUTCDATETIME() although no earlier statement has waited for the row. If such an update has to wait,
    // SYSUTCDATETIME() returns the time before the wait.
    private static IEnumerable<string> Times(TSqlScript script)
    {
        UpdateSpecification[] updates = [.. TSql.All<UpdateSpecification>(script)];
        return updates
            .Where((update, i) => TSql.All<FunctionCall>(update).Any(call => call.FunctionName.Value == "SYSUTCDATETIME")
                && !updates.Take(i).Any(earlier => TSql.Text(earlier.Target) == TSql.Text(update.Target)))
            .Select(update => $"a time may be of before the wait for its row: {TSql.Text(update)}");
    }

    // Finds statements that set an option. An option ends with its command, so only the text at the beginning of every command may set
    // options.
    private static IEnumerable<string> Settings(TSqlScript script)
    {
        TSqlStatement[] statements = [.. TSql.All<TSqlStatement>(script)];
        return statements.All(IsSetting)
            ? []
            : statements.Where(IsSetting).Select(setting => $"a setting ends with this command: {TSql.Text(setting)}");

        static bool IsSetting(TSqlStatement statement) => statement is PredicateSetStatement or SetCommandStatement;
    }

    // Finds statements that send rows inside a transaction. If the client does not read them, the server waits, and the transaction stays
    // open.
    private static IEnumerable<string> SentInside(TSqlScript script)
    {
        bool isInside = false;
        foreach (TSqlStatement statement in TSql.All<TSqlStatement>(script))
        {
            isInside = statement switch
            {
                BeginTransactionStatement => true,
                CommitTransactionStatement or RollbackTransactionStatement => false,
                _ => isInside,
            };
            if (isInside && statement is SelectStatement { QueryExpression: QuerySpecification query }
                && query.SelectElements.Any(element => element is not SelectSetVariable))
            {
                yield return $"rows are sent while a transaction is open: {TSql.Text(statement)}";
            }
        }
    }

    // Finds statements with lists that lack the hint `ByIndex`. Without the hint, the server would use a plan for an empty table or a short
    // list even for a hundred thousand rows.
    private static IEnumerable<string> Unhinted(TSqlScript script) =>
        from statement in TSql.All<StatementWithCtesAndXmlNamespaces>(script)
        where TSql.All<VariableTableReference>(statement).Count > 0 && TSql.All<QualifiedJoin>(statement).Count > 0
        where !statement.OptimizerHints.Any(hint => hint.HintKind == OptimizerHintKind.LoopJoin)
            || !statement.OptimizerHints.Any(hint => hint.HintKind == OptimizerHintKind.ForceOrder)
        select $"a list is joined by statistics: {TSql.Text(statement)}";

    // Finds table hints. Statements must not rely on them, because other servers ignore them.
    private static IEnumerable<string> Hints(TSqlScript script) =>
        TSql.All<TableHint>(script).Select(hint => $"a table has a hint: {TSql.Text(hint)}");

    // Finds names whose upper and lower case differs from their definition. In a database whose collation distinguishes case, the server
    // would not find such names.
    private static IEnumerable<string> OtherCase(TSqlScript script)
    {
        // The parser takes the units of DATEADD for names of columns, so they are listed here.
        HashSet<string> own = ["second", "millisecond",
            .. TSql.All<SelectScalarExpression>(script).Select(element => element.ColumnName?.Value ?? ""),
            .. TSql.All<ColumnDefinition>(script).Select(Name)];
        return TSql.All<ColumnReferenceExpression>(script)
            .Where(column => column.MultiPartIdentifier is not null && !s_names.Contains(Name(column)) && !own.Contains(Name(column)))
            .Select(column => $"a column is not written as it is defined: {TSql.Text(column)}");
    }

    private static bool IsVariableOctets(TSqlFragment expression) =>
        expression is ColumnReferenceExpression column && s_variableOctets.Contains(Name(column));

    private static IEnumerable<string> Named(SqlDataTypeOption type) =>
        s_columns.Where(column => column.DataType is SqlDataTypeReference reference && reference.SqlDataTypeOption == type).Select(Name);

    private static string Name(ColumnDefinition column) => column.ColumnIdentifier.Value;

    private static string Name(ColumnReferenceExpression column) => column.MultiPartIdentifier?.Identifiers[^1].Value ?? "";

    // Returns the columns of the migrator's own table, which a statement in its code creates.
    private static IEnumerable<ColumnDefinition> MigrationColumns() =>
        TSql.Statements().Where(text => text.StartsWith("CREATE TABLE optiks.Migration", StringComparison.Ordinal))
            .SelectMany(text => TSql.All<ColumnDefinition>(TSql.Parse(text)));
}
