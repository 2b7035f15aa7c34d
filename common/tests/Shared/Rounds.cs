namespace Optiks.Tests.Shared;

/// <summary>
/// Says how often a test repeats its steps: a few times in `make test`, more often in `make test-deep`, which sets OPTIKS_TEST_DEEP=1. This
/// file is compiled into the tests that repeat steps.
/// </summary>
internal static class Rounds
{
    private static readonly bool s_areDeep = Environment.GetEnvironmentVariable("OPTIKS_TEST_DEEP") == "1";

    public static int Of(int quick, int deep) => s_areDeep ? deep : quick;
}
