using System.Runtime.CompilerServices;

namespace Optiks.Db.Tests.Support;

/// <summary>TriedPeriods lets the commands of these tests ask for periods, as no operator may yet (<see cref="PeriodSwitches"/>).</summary>
internal static class TriedPeriods
{
    [ModuleInitializer]
    internal static void Try() => Environment.SetEnvironmentVariable(PeriodSwitches.Variable, "1");
}
