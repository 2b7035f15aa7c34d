namespace Optiks.Storage.SqlServer.Tests;

/// <summary>
/// Tests that every statement of the driver keeps the rules that only SQL Server itself enforces. Also tests that each rule finds a
/// statement that breaks the rule.
/// </summary>
public sealed class StatementRulesTests
{
    [Fact]
    public void Every_statement_keeps_the_rules_of_the_server()
    {
        IReadOnlyList<string> texts = TSql.Statements();
        Assert.True(texts.Count > 40, $"Only {texts.Count} statements were found.");
        string[] broken = [.. texts.SelectMany(StatementRules.Broken)];
        Assert.True(broken.Length == 0, string.Join('\n', broken));
    }

    [Theory]
    [InlineData("SELECT 1 FROM optiks.Head AS h JOIN sys.dm_exec_sessions AS s ON s.program_name = h.Session", "implicit collations")]
    [InlineData("SELECT 1 FROM sys.dm_exec_sessions WHERE program_name COLLATE Latin1_General_BIN2 = @session", "implicit collations")]
    [InlineData("SELECT COUNT_BIG(*) FROM optiks.Pending WHERE [Key] = @key", "without their number")]
    [InlineData("SELECT 1 FROM optiks.Head WHERE RecordHash <> @hash AND DATALENGTH(RecordHash) = 32", "without their number")]
    [InlineData("SELECT [Key], COUNT_BIG(*) FROM optiks.Pending GROUP BY [Key]", "grouped")]
    [InlineData("SELECT DISTINCT Structure, [Key] FROM optiks.Pending", "distinct")]
    [InlineData("CREATE TYPE optiks.List AS TABLE ([Key] varbinary(255) NOT NULL, PRIMARY KEY ([Key]))", "unique")]
    [InlineData("UPDATE optiks.Acceptance SET LastSeq = LastSeq + 1 OUTPUT inserted.LastSeq", "gives rows back")]
    [InlineData("DELETE FROM optiks.Pending OUTPUT deleted.Seq INTO @deleted WHERE Seq = 1", "gives rows back")]
    [InlineData("UPDATE optiks.Head SET LeaseEnd = SYSUTCDATETIME()", "before the wait")]
    [InlineData("SET LOCK_TIMEOUT 5000; UPDATE optiks.Head SET Fence = Fence", "a setting")]
    [InlineData("SET NOCOUNT OFF; UPDATE optiks.Head SET Fence = Fence", "a setting")]
    [InlineData(
        "BEGIN TRANSACTION; UPDATE optiks.Acceptance SET LastSeq = LastSeq + 1; SELECT LastSeq FROM optiks.Acceptance; COMMIT TRANSACTION",
        "are sent")]
    [InlineData("SELECT r.Seq FROM @ids AS i JOIN optiks.Request AS r ON r.RequestId = i.RequestId", "by statistics")]
    [InlineData("SELECT r.Seq FROM @ids AS i JOIN optiks.Request AS r ON r.RequestId = i.RequestId OPTION (LOOP JOIN)", "by statistics")]
    [InlineData("UPDATE optiks.Head WITH (UPDLOCK) SET Fence = Fence", "has a hint")]
    [InlineData("SELECT epoch FROM optiks.Head", "as it is defined")]
    public void What_breaks_a_rule_is_found(string text, string expected) =>
        Assert.Contains(expected, Assert.Single(StatementRules.Broken(text)), StringComparison.Ordinal);

    [Theory]
    [InlineData(
        "SELECT 1 FROM optiks.Head AS h JOIN sys.dm_exec_sessions AS s ON s.program_name COLLATE Latin1_General_BIN2 = h.Session COLLATE Latin1_General_BIN2")]
    [InlineData("SELECT COUNT_BIG(*) FROM optiks.Pending WHERE [Key] = @key AND DATALENGTH([Key]) = DATALENGTH(@key)")]
    [InlineData("UPDATE optiks.Acceptance SET LastSeq = LastSeq + 1; SELECT LastSeq FROM optiks.Acceptance")]
    [InlineData("UPDATE optiks.Head SET Fence = Fence; UPDATE optiks.Head SET LeaseEnd = SYSUTCDATETIME()")]
    [InlineData("SET LOCK_TIMEOUT 5000; SET NOCOUNT ON")]
    [InlineData(
        "BEGIN TRANSACTION; UPDATE optiks.Acceptance SET LastSeq = LastSeq + 1; COMMIT TRANSACTION; SELECT LastSeq FROM optiks.Acceptance")]
    [InlineData("SELECT r.Seq FROM @ids AS i JOIN optiks.Request AS r ON r.RequestId = i.RequestId OPTION (LOOP JOIN, FORCE ORDER)")]
    public void What_keeps_them_is_not(string text) => Assert.Empty(StatementRules.Broken(text));

    [Theory]
    [InlineData("Pending")]
    [InlineData("Request")]
    [InlineData("Outcome")]
    public void Thousands_of_locked_rows_do_not_become_a_locked_table(string table) =>
        Assert.Contains(TSql.Statements(),
            text => text.Contains($"ALTER TABLE optiks.{table} SET (LOCK_ESCALATION = DISABLE)", StringComparison.Ordinal));
}
