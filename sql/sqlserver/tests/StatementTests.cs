using System.Reflection;
using Microsoft.Data.SqlClient;
using Microsoft.SqlServer.TransactSql.ScriptDom;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer.Tests;

/// <summary>
/// Tests, without a server, that Microsoft's parser accepts all T-SQL of the driver, and that the driver creates commands only from these
/// texts.
/// </summary>
public sealed class StatementTests
{
    private const BindingFlags All = BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic
        | BindingFlags.DeclaredOnly;
    private const string TypeInitializer = ".cctor";
    private const byte NewObject = 0x73;

    private static readonly Assembly s_driver = typeof(SqlServerStorageProvider).Assembly;

    [Fact]
    public void Every_statement_is_TSql()
    {
        IReadOnlyList<string> texts = TSql.Statements();
        Assert.True(texts.Count > 40, $"Only {texts.Count} statements were found.");
        foreach (string text in texts)
        {
            Assert.True(TSql.Errors(text).Count == 0, $"{string.Join("; ", TSql.Errors(text))}: {text}");
        }
    }

    [Fact]
    public void What_compose_has_the_administrator_run_is_TSql()
    {
        string text = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "compose", "roles.sql"));
        Assert.Empty(TSql.Errors(text));
        Assert.Equal(4, TSql.All<CreateLoginStatement>(TSql.Parse(text)).Count);
    }

    [Theory]
    [InlineData("SELECT Epoch FROM optiks.Head WHERE")]
    [InlineData("SELECT EXISTS (SELECT 1 FROM optiks.Head)")]
    [InlineData("SELECT Epoch FROM optiks.Epoch LIMIT 10")]
    [InlineData("CREATE TABLE optiks.Epoch (Checkpoint varbinary(max) NULL)")]
    [InlineData("EXEC (N'GRANT EXECUTE ON TYPE::optiks.KeyList')")]
    public void A_broken_statement_is_refused(string text) => Assert.NotEmpty(TSql.Errors(text));

    [Fact]
    public void Statements_are_static_fields_or_scripts_and_commands_are_made_of_nothing_else()
    {
        ConstructorInfo statement = Assert.Single(typeof(Statement).GetConstructors());
        Assert.Equal([nameof(SqlServerSchema)],
            Creators(s_driver, statement).Where(method => method.Name != TypeInitializer).Select(Outermost).Distinct());
        Assert.Contains(Creators(s_driver, statement), method => method.Name == TypeInitializer);
        Assert.Empty(Creators(s_driver, Assert.Single(typeof(Sql).GetConstructors())));
        Assert.Empty(typeof(SqlCommand).GetConstructors().SelectMany(constructor => Creators(s_driver, constructor)));
        MethodInfo create = typeof(SqlConnection).GetMethod(
            nameof(SqlConnection.CreateCommand), BindingFlags.Instance | BindingFlags.Public | BindingFlags.DeclaredOnly, Type.EmptyTypes)!;
        Assert.Equal([nameof(Connection)], Callers(s_driver, create).Select(Outermost).Distinct());
        // As a positive control, the same search must find the commands that the tests create.
        Assert.Contains(nameof(SqlServerFixture),
            typeof(SqlCommand).GetConstructors().SelectMany(constructor => Creators(typeof(StatementTests).Assembly, constructor))
                .Select(Outermost));
    }

    [Fact]
    public void Copied_columns_are_those_of_the_migrations()
    {
        var columns = new Dictionary<string, List<string>>();
        foreach (TSqlStatement statement in TSql.Migrations().SelectMany(batch => TSql.Parse(batch.Text).Batches)
            .SelectMany(batch => batch.Statements))
        {
            if (statement is CreateTableStatement create)
            {
                // A later migration may create a table again with other columns, so its definition replaces the earlier one.
                columns[create.SchemaObjectName.BaseIdentifier.Value] = Names(create.Definition);
            }
            else if (statement is AlterTableAddTableElementStatement add)
            {
                columns[add.SchemaObjectName.BaseIdentifier.Value].AddRange(Names(add.Definition));
            }
        }
        // An import does not copy this column, because after an import the destruction of a period starts again from its first epoch.
        Assert.True(columns["Period"].Remove("DestroyedBefore"));
        Assert.Equal(Enum.GetValues<Table>(), BulkTable.All.Keys.Order());
        Assert.All(BulkTable.All.Values,
            table => Assert.Equal(columns[table.Name["optiks.".Length..].Trim('[', ']')].Order(StringComparer.Ordinal),
                table.Columns.Order(StringComparer.Ordinal)));

        static List<string> Names(TableDefinition definition) =>
            [.. definition.ColumnDefinitions.Select(column => column.ColumnIdentifier.Value)];
    }

    private static IEnumerable<MethodBase> Creators(Assembly assembly, ConstructorInfo constructor) =>
        Methods(assembly).Where(method => Mentions(method, constructor, code => code == NewObject));

    private static IEnumerable<MethodBase> Callers(Assembly assembly, MethodInfo callee) =>
        Methods(assembly).Where(method => Mentions(method, callee, code => code is 0x28 or 0x6F));

    private static IEnumerable<MethodBase> Methods(Assembly assembly) =>
        assembly.GetTypes().SelectMany(type => type.GetMethods(All).Cast<MethodBase>().Concat(type.GetConstructors(All)));

    // Searches a method's code for instructions that use another method. Such an instruction consists of a code and a token of four bytes.
    // The token of a method differs between assemblies. So the search resolves each value that may be a token.
    private static bool Mentions(MethodBase method, MethodBase sought, Func<byte, bool> isCode)
    {
        byte[] body = method.GetMethodBody()?.GetILAsByteArray() ?? [];
        for (int i = 0; i + 5 <= body.Length; i++)
        {
            if (!isCode(body[i]))
            {
                continue;
            }
            int token = BitConverter.ToInt32(body, i + 1);
            // The two numbers are the tables MethodDef and MemberRef, to which a method's token refers.
            if (token >>> 24 is not (0x06 or 0x0A))
            {
                continue;
            }
            try
            {
                Type[]? types = method.DeclaringType!.IsGenericType ? method.DeclaringType.GetGenericArguments() : null;
                if (method.Module.ResolveMember(
                    token, types, method.IsGenericMethod ? method.GetGenericArguments() : null) is MethodBase found
                    && found.Module == sought.Module && found.MetadataToken == sought.MetadataToken)
                {
                    return true;
                }
            }
            catch (ArgumentException)
            {
                // The bytes are not a token, but belong to another instruction.
            }
        }
        return false;
    }

    private static string Outermost(MethodBase method)
    {
        Type type = method.DeclaringType!;
        while (type.DeclaringType is not null)
        {
            type = type.DeclaringType;
        }
        return type.Name;
    }
}
