using Microsoft.SqlServer.TransactSql.ScriptDom;

namespace Optiks.Storage.SqlServer.Tests;

/// <summary>
/// Checks rules of SQL Server that no parser and no other server of its protocol enforces. Each rule finds statements that would fail or
/// return wrong results only on SQL Server.
/// </summary>
internal static class StatementRules
{
    // These are the catalog views' columns that statements compare.
    private static readonly string[] s_catalogNames = ["name", "program_name"];
    private static readonly string[] s_catalogOthers = ["session_id", "is_read_committed_snapshot_on", "delayed_durability"];

    private static readonly ColumnDefinition[] s_columns =
        [.. TSql.Migrations().SelectMany(batch => TSql.All<ColumnDefinition>(TSql.Parse(batch.Text))), .. MigrationColumns()];

    private static readonly HashSet<string> s_variableOctets = [.. Named(SqlDataTypeOption.VarBinary)];

    private static readonly HashSet<string> s_texts = [.. Named(SqlDataTypeOption.NVarChar), .. s_catalogNames];

    private static readonly HashSet<string> s_names = [.. s_columns.Select(Name), .. s_catalogNames, .. s_catalogOthers];

    /// <summary>Returns the broken rules of a statement, as sentences; an empty list means that the statement keeps all rules.</summary>
    public static IReadOnlyList<string> Broken(string text)
    {
        TSqlScript script = TSql.Parse(text);
        return
        [
            .. ImplicitCollations(script), .. TrailingZeros(script), .. Grouped(script), .. Outputs(script), .. Times(script), .. Settings(script), .. SentInside(script), .. Unhinted(script), .. Hints(script),
            .. OtherCase(script),
        ];
    }

    // Finds comparisons of texts without an explicit collation. Two implicit collations in one comparison give error 468, and the catalog's
    // columns have the catalog's collation.
    private static IEnumerable<string> ImplicitCollations(TSqlScript script) =>
        from comparison in TSql.All<BooleanComparisonExpression>(script)
        let columns = TSql.All<ColumnReferenceExpression>(comparison).Where(column => s_texts.Contains(Name(column))).ToArray()
        where columns.Length > 1 || columns.Any(column => s_catalogNames.Contains(Name(column)))
        where new[] { comparison.FirstExpression, comparison.SecondExpression }.Any(side => side is not PrimaryExpression { Collation: not null })
        select $"texts are compared by implicit collations: {TSql.Text(comparison)}";

    // Finds comparisons of bytes that do not also compare the lengths, because SQL Server treats 0x01 and 0x0100 as equal.
    private static IEnumerable<string> TrailingZeros(TSqlScript script)
    {
        IReadOnlyList<BooleanComparisonExpression> all = TSql.All<BooleanComparisonExpression>(script);
        HashSet<(string, string)> lengths = [.. all.Select(comparison => (TSql.Text(comparison.FirstExpression), TSql.Text(comparison.SecondExpression)))];
        return
            from comparison in all
            let sides = (First: comparison.FirstExpression, Second: comparison.SecondExpression)
            where IsVariableOctets(sides.First) || IsVariableOctets(sides.Second)
            where !lengths.Contains(($"DATALENGTH({TSql.Text(sides.First)})", $"DATALENGTH({TSql.Text(sides.Second)})"))
            select $"octets are compared without their number: {TSql.Text(comparison)}";
    }

    // Finds groupings, DISTINCT and unique constraints of bytes of variable length, because these also treat 0x01 and 0x0100 as equal.
    private static IEnumerable<string> Grouped(TSqlScript script) =>
        TSql.All<ExpressionGroupingSpecification>(script).Where(group => IsVariableOctets(group.Expression)).Select(group => $"octets of any number are grouped: {TSql.Text(group)}")
            .Concat(TSql.All<QuerySpecification>(script).Where(query => query.UniqueRowFilter == UniqueRowFilter.Distinct
                && query.SelectElements.OfType<SelectScalarExpression>().Any(element => IsVariableOctets(element.Expression))).Select(query => $"octets of any number are made distinct: {TSql.Text(query)}"))
            .Concat(TSql.All<UniqueConstraintDefinition>(script).Where(constraint => constraint.Columns.Any(column => IsVariableOctets(column.Column))).Select(constraint => $"octets of any number are unique: {TSql.Text(constraint)}"));

    // Finds updates that return rows. On other servers, an update that waited returns the row as it was before the wait.
    private static IEnumerable<string> Outputs(TSqlScript script) =>
        TSql.All<DataModificationSpecification>(script).Where(change => change.OutputClause is not null || change.OutputIntoClause is not null).Select(change => $"a change gives rows back: {TSql.Text(change)}");

    // Finds updates that use SYSUTCDATETIME() although no earlier statement waited for the row, because the function returns the time
    // before the wait.
    private static IEnumerable<string> Times(TSqlScript script)
    {
        UpdateSpecification[] updates = [.. TSql.All<UpdateSpecification>(script)];
        return updates
            .Where((update, i) => TSql.All<FunctionCall>(update).Any(call => call.FunctionName.Value == "SYSUTCDATETIME") && !updates.Take(i).Any(earlier => TSql.Text(earlier.Target) == TSql.Text(update.Target)))
            .Select(update => $"a time may be of before the wait for its row: {TSql.Text(update)}");
    }

    // Finds settings in statements. A setting ends with its command, so only the text with which every command begins may have settings.
    private static IEnumerable<string> Settings(TSqlScript script)
    {
        TSqlStatement[] statements = [.. TSql.All<TSqlStatement>(script)];
        return statements.All(IsSetting) ? [] : statements.Where(IsSetting).Select(setting => $"a setting ends with this command: {TSql.Text(setting)}");

        static bool IsSetting(TSqlStatement statement) => statement is PredicateSetStatement or SetCommandStatement;
    }

    // Finds statements that send rows inside a transaction, because the server waits for a client that does not read.
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
            if (isInside && statement is SelectStatement { QueryExpression: QuerySpecification query } && query.SelectElements.Any(element => element is not SelectSetVariable))
            {
                yield return $"rows are sent while a transaction is open: {TSql.Text(statement)}";
            }
        }
    }

    // Finds statements without the hint. For a hundred thousand rows, the server would use a plan made for an empty table or a short list.
    private static IEnumerable<string> Unhinted(TSqlScript script) =>
        from statement in TSql.All<StatementWithCtesAndXmlNamespaces>(script)
        where TSql.All<VariableTableReference>(statement).Count > 0 && TSql.All<QualifiedJoin>(statement).Count > 0
        where !statement.OptimizerHints.Any(hint => hint.HintKind == OptimizerHintKind.LoopJoin) || !statement.OptimizerHints.Any(hint => hint.HintKind == OptimizerHintKind.ForceOrder)
        select $"a list is joined by statistics: {TSql.Text(statement)}";

    // Finds table hints, because other servers ignore them.
    private static IEnumerable<string> Hints(TSqlScript script) => TSql.All<TableHint>(script).Select(hint => $"a table has a hint: {TSql.Text(hint)}");

    // Finds names in another case than their definition. If the database's collation distinguishes case, so do names.
    private static IEnumerable<string> OtherCase(TSqlScript script)
    {
        // The parser reads the units of DATEADD as columns.
        HashSet<string> own = ["second", "millisecond", .. TSql.All<SelectScalarExpression>(script).Select(element => element.ColumnName?.Value ?? ""), .. TSql.All<ColumnDefinition>(script).Select(Name)];
        return TSql.All<ColumnReferenceExpression>(script).Where(column => column.MultiPartIdentifier is not null && !s_names.Contains(Name(column)) && !own.Contains(Name(column)))
            .Select(column => $"a column is not written as it is defined: {TSql.Text(column)}");
    }

    private static bool IsVariableOctets(TSqlFragment expression) => expression is ColumnReferenceExpression column && s_variableOctets.Contains(Name(column));

    private static IEnumerable<string> Named(SqlDataTypeOption type) => s_columns.Where(column => column.DataType is SqlDataTypeReference reference && reference.SqlDataTypeOption == type).Select(Name);

    private static string Name(ColumnDefinition column) => column.ColumnIdentifier.Value;

    private static string Name(ColumnReferenceExpression column) => column.MultiPartIdentifier?.Identifiers[^1].Value ?? "";

    // Returns the columns of the migrator's own table, which a statement in its code creates.
    private static IEnumerable<ColumnDefinition> MigrationColumns() => TSql.Statements().Where(text => text.StartsWith("CREATE TABLE optiks.Migration", StringComparison.Ordinal)).SelectMany(text => TSql.All<ColumnDefinition>(TSql.Parse(text)));
}
