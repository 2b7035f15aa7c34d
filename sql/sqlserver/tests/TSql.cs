using System.Reflection;
using System.Runtime.CompilerServices;
using Microsoft.SqlServer.TransactSql.ScriptDom;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer.Tests;

/// <summary>Finds the driver's statements, and parses them with Microsoft's parser.</summary>
internal static class TSql
{
    /// <summary>Returns all statements of the driver, including migrations and grants.</summary>
    public static IReadOnlyList<string> Statements()
    {
        var texts = Scripts().Concat(Catalog()).Select(statement => statement.Text).ToList();
        foreach (Type type in typeof(SqlServerStorageProvider).Assembly.GetTypes().Where(type => !type.ContainsGenericParameters))
        {
            RuntimeHelpers.RunClassConstructor(type.TypeHandle);
            texts.AddRange(type.GetFields(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly)
                .Where(field => field.FieldType == typeof(Statement)).Select(field => ((Statement)field.GetValue(null)!).Text));
        }
        return texts;
    }

    /// <summary>Returns the batches of the migrations and the grants.</summary>
    public static IEnumerable<Sql> Scripts() => Migrations().Concat(SqlServerSchema.Batches(SqlServerSchema.Schema.Grants!));

    /// <summary>Returns the batches of the migrations.</summary>
    public static IEnumerable<Sql> Migrations() =>
        SqlServerSchema.Schema.Migrations.SelectMany(migration => SqlServerSchema.Batches(migration.Script));

    /// <summary>Returns the errors that the parser finds in a text, and in the T-SQL inside EXEC (N'...') in that text.</summary>
    public static IReadOnlyList<string> Errors(string text)
    {
        TSqlFragment? fragment = Read(text, out IList<ParseError> errors);
        return [.. errors.Select(error => error.Message), .. Dynamic(fragment).SelectMany(Errors)];
    }

    /// <summary>Parses a text, which must have no errors.</summary>
    public static TSqlScript Parse(string text)
    {
        TSqlFragment? script = Read(text, out IList<ParseError> errors);
        Assert.Empty(errors);
        return (TSqlScript)script!;
    }

    /// <summary>Returns all parts of a parsed text that have a given type, in the order of the text.</summary>
    public static IReadOnlyList<T> All<T>(TSqlFragment fragment)
        where T : TSqlFragment
    {
        var visitor = new Collector<T>();
        fragment.Accept(visitor);
        return visitor.Found;
    }

    /// <summary>Returns the source text of a part of a parsed text.</summary>
    public static string Text(TSqlFragment fragment) =>
        string.Concat(Enumerable.Range(fragment.FirstTokenIndex, fragment.LastTokenIndex - fragment.FirstTokenIndex + 1)
            .Select(i => fragment.ScriptTokenStream[i].Text));

    private static IEnumerable<Sql> Catalog() =>
        typeof(Statements).GetProperties().Select(property => property.GetValue(SqlServerStatements.All)).OfType<Sql>();

    private static TSqlFragment? Read(string text, out IList<ParseError> errors) =>
        new TSql150Parser(initialQuotedIdentifiers: true).Parse(new StringReader(text), out errors);

    private static IEnumerable<string> Dynamic(TSqlFragment? fragment) =>
        fragment is null ? [] : All<ExecutableStringList>(fragment).SelectMany(list => list.Strings.OfType<StringLiteral>())
            .Select(literal => literal.Value);

    private sealed class Collector<T> : TSqlFragmentVisitor
        where T : TSqlFragment
    {
        public List<T> Found { get; } = [];

        public override void Visit(TSqlFragment node)
        {
            if (node is T found)
            {
                Found.Add(found);
            }
        }
    }
}
