using System.Globalization;
using System.Reflection;
using Microsoft.Data.SqlClient;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer.Tests;

/// <summary>Tests, without a server, how the driver interprets the server's errors.</summary>
public sealed class ErrorTests
{
    private const int LoginFailed = 18456;

    [Theory]
    [InlineData(4060)]
    [InlineData(911)]
    [InlineData(4060, LoginFailed)]
    [InlineData(LoginFailed, 4060)]
    public void A_database_that_cannot_be_opened_is_a_mistake_only_until_it_was_open(params int[] numbers)
    {
        SqlException e = Error(numbers);
        Assert.IsType<StorageMisconfiguredException>(SqlServerErrors.Translate(e, "optiks at db", wasOpen: false));
        Assert.IsType<StorageUnavailableException>(SqlServerErrors.Translate(e, "optiks at db", wasOpen: true));
        Assert.True(SqlServerErrors.IsNoSuchDatabase(e));
    }

    [Theory]
    [InlineData(LoginFailed, typeof(StorageMisconfiguredException))]
    [InlineData(229, typeof(StorageMisconfiguredException))]
    [InlineData(230, typeof(StorageMisconfiguredException))]
    [InlineData(208, typeof(StorageMisconfiguredException))]
    [InlineData(2627, typeof(StorageCorruptException))]
    [InlineData(1205, typeof(StorageUnavailableException))]
    [InlineData(9002, typeof(StorageUnavailableException))]
    public void Other_errors_mean_the_same_before_and_after(int number, Type expected)
    {
        Assert.IsType(expected, SqlServerErrors.Translate(Error(number), "optiks at db", wasOpen: false));
        Assert.IsType(expected, SqlServerErrors.Translate(Error(number), "optiks at db", wasOpen: true));
    }

    [Fact]
    public void A_wait_for_a_lock_says_what_to_do() =>
        Assert.Contains("docs/operations/sqlserver.md, Takeover",
            Assert.IsType<StorageUnavailableException>(SqlServerErrors.Translate(Error(1222), "optiks at db", wasOpen: true)).Message,
            StringComparison.Ordinal);

    // The members with which the client creates its exceptions differ between its versions, so this code finds them by reflection.
    private static SqlException Error(params int[] numbers)
    {
        const BindingFlags Own = BindingFlags.Instance | BindingFlags.Static | BindingFlags.NonPublic;
        var errors = (SqlErrorCollection)Activator.CreateInstance(typeof(SqlErrorCollection), nonPublic: true)!;
        ConstructorInfo create = typeof(SqlError).GetConstructors(Own).MaxBy(constructor => constructor.GetParameters().Length)!;
        foreach (int number in numbers)
        {
            object error = create.Invoke([.. create.GetParameters().Select(parameter => parameter.Name switch
            {
                "infoNumber" => number,
                "errorClass" => (byte)14,
                _ when parameter.HasDefaultValue => parameter.DefaultValue,
                _ when parameter.ParameterType == typeof(string) => "text",
                _ => parameter.ParameterType.IsValueType
                    ? Convert.ChangeType(0, parameter.ParameterType, CultureInfo.InvariantCulture)
                    : null,
            })]);
            typeof(SqlErrorCollection).GetMethod("Add", Own)!.Invoke(errors, [error]);
        }
        MethodInfo make = typeof(SqlException).GetMethods(Own).Where(method => method.Name == "CreateException")
            .MinBy(method => method.GetParameters().Length)!;
        return (SqlException)make.Invoke(null, [errors, "16.0"])!;
    }
}
